package tracker

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/crc32"
	"strconv"

	"github.com/spherelab/spherelab/internal/jsonvalue"
)

// spoolVersion is the version that this program writes, and the newest that it reads. Version 2 may have results per
// relation, which programs of version 1 would drop, and version 3 results of evaluations. Version 4 has a claim,
// without which nothing of it may be stored. In version 5 metrics are not JSON.
const spoolVersion = 5

// entry is one line of a spool.
type entry struct {
	Kind string `json:"t"` // "header", "metric", "param", "tag", "relations", "results", "inputs", "files", "finish"

	// header
	Version  int    `json:"v,omitempty"`
	Database string `json:"db,omitempty"`
	Run      string `json:"run,omitempty"`
	Job      int64  `json:"job,omitempty"` // with Fence the claim to the run
	Fence    int64  `json:"fence,omitempty"`

	Time   int64                      `json:"ms,omitempty"` // Unix milliseconds of the call
	Step   int64                      `json:"step,omitempty"`
	Values map[string]jsonvalue.Exact `json:"values,omitempty"` // metrics
	Texts  map[string]string          `json:"texts,omitempty"`  // params or tags
	Status Status                     `json:"status,omitempty"` // finish

	logged map[string]float64 // metrics of a log call, in place of Values

	Relations []RelationResult   `json:"relations,omitempty"`
	Results   []EvaluationResult `json:"results,omitempty"`
	Inputs    []Dataset          `json:"inputs,omitempty"` // with a tracking server
	Files     []string           `json:"files,omitempty"`  // to send to a tracking server or a bucket
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const sumLength = len("00000000 ")

// encode appends an entry as one line to an empty buffer.
func encode(line []byte, e entry) ([]byte, error) {
	line = append(line, "00000000 "...)
	switch {
	case len(e.logged) > 0:
		line = appendMetrics(line, e, e.logged)
	case e.Kind == "metric":
		line = appendMetrics(line, e, e.Values)
	default:
		text, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		line = append(line, text...)
	}
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32.Checksum(line[sumLength:], castagnoli))
	hex.Encode(line, sum[:])
	return append(line, '\n'), nil
}

var errDamaged = errors.New("damaged record")

// whole is the record of a line without its newline, if that is not damaged.
func whole(line []byte) ([]byte, error) {
	if len(line) <= sumLength || line[sumLength-1] != ' ' {
		return nil, errDamaged
	}
	sum, err := strconv.ParseUint(string(line[:sumLength-1]), 16, 32)
	if err != nil || crc32.Checksum(line[sumLength:], castagnoli) != uint32(sum) {
		return nil, errDamaged
	}
	return line[sumLength:], nil
}

// decode reads one line without its newline.
func decode(line []byte) (entry, error) {
	text, err := whole(line)
	if err != nil {
		return entry{}, err
	}
	if isMetrics(text) {
		return decodeMetrics(text)
	}
	return decodeText(text)
}

// decodeText reads a record that is JSON.
func decodeText(text []byte) (entry, error) {
	if fast, ok := decodeJSONMetrics(text); ok {
		return fast, nil
	}
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return entry{}, errDamaged
	}
	return e, nil
}
