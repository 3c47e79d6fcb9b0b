package tracker

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"strconv"
)

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

// whole returns the record of a line without its newline, if the line is not damaged.
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

// SpoolInstance returns the Identity.Instance of the store that a spool is for. ok is false if its header is damaged.
func SpoolInstance(spool []byte) (instance string, ok bool) {
	first, _, _ := bytes.Cut(spool, []byte{'\n'})
	header, err := decode(first)
	return header.Database, err == nil
}
