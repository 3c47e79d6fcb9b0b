package results

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spherelab/spherelab/tracker"
)

// archiveSize is the memory that reading a file takes. It is bounded because a megabyte of hostile gzip unpacks to a
// gigabyte, a point is larger in memory than in the file, and a metric is larger than a point.
type archiveSize struct {
	bytes   int64 // unpacked
	records int   // points and lines
	keys    int   // different metrics of one run
}

// longest is far above any real run: nearly a million epochs with five numbers each.
var longest = archiveSize{bytes: 256 << 20, records: 5_000_000, keys: 100_000}

// maxAtOnce bounds several files together.
var maxAtOnce = archiveSize{bytes: 1 << 30, records: 10_000_000}

// longestEntry bounds the bytes of one moment, or of the params and tags of a run.
const longestEntry = 16 << 20

// readArchives reads what writeArchives wrote; file names it in errors. There is at least one run.
func readArchives(r io.Reader, file string) ([]*Archive, error) {
	list, _, err := readArchivesUpTo(longest, r, file)
	return list, err
}

// readArchivesUpTo is readArchives with a limit. It also returns the size of what it read.
func readArchivesUpTo(limit archiveSize, r io.Reader, file string) (list []*Archive, size archiveSize, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, size, fmt.Errorf("%s is not an exported run: %w", file, err)
	}
	several := false
	limited := &io.LimitedReader{R: z, N: limit.bytes + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, longestEntry)
	number := 0
	tooLong := func(what string, maximum any) error {
		return fmt.Errorf("%s: line %d: up to here the file has more than %v %s, the max of a file; export fewer runs to "+
			"one file", file, max(1, number), maximum, what)
	}
	for lines.Scan() {
		number++
		if number == 1 || several && bytes.HasPrefix(lines.Bytes(), []byte(runLine)) {
			list = append(list, &Archive{keys: map[string]string{}})
		}
		last := list[len(list)-1]
		before := len(last.Points) + len(last.Results)
		format, err := last.readLine(lines.Bytes())
		if err != nil && limited.N > 0 {
			return nil, size, fmt.Errorf("%s is not an exported run: line %d: %w", file, number, err)
		}
		if size.records += 1 + len(last.Points) + len(last.Results) - before; size.records > limit.records {
			return nil, size, tooLong("lines and points", limit.records)
		}
		if len(last.keys) > limit.keys {
			return nil, size, fmt.Errorf("%s: line %d: the run has more than %d different metrics, the max of a run", file,
				number, limit.keys)
		}
		several = several || isOfSeveral(format)
	}
	if limited.N == 0 { // the rest is missing
		return nil, size, tooLong("bytes, unpacked", limit.bytes)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, size, fmt.Errorf("%s is not an exported run: line %d has more than %d bytes", file, number+1,
			longestEntry)
	}
	if err := cmp.Or(lines.Err(), z.Close()); err != nil {
		return nil, size, fmt.Errorf("%s is damaged after line %d: %w", file, number, err)
	}
	if number == 0 {
		return nil, size, fmt.Errorf("%s is not an exported run: it is empty", file)
	}
	size.bytes = limit.bytes + 1 - limited.N
	for _, a := range list {
		a.keys = nil
		slices.SortStableFunc(a.Points, comparePoints)
		slices.SortStableFunc(a.Results, tracker.CompareResults)
		a.latest()
	}
	return list, size, nil
}

// runLine is the beginning of a run's line, whose fields are written in this order.
const runLine = `{"kind":"run",`

// readLine reads a line of a run's file. The first one is the run itself, whose format it returns.
func (a *Archive) readLine(raw []byte) (format int, err error) {
	var kind struct {
		Kind   string
		Format int
	}
	if err := json.Unmarshal(raw, &kind); err != nil {
		return 0, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if a.Info.ID == "" {
		var run archiveRun
		if kind.Kind != "run" {
			return 0, fmt.Errorf("it is of kind %q, not the run itself", kind.Kind)
		}
		if kind.Format < archiveFormat || kind.Format > newestFormat {
			return 0, fmt.Errorf("it has format %d and this program reads formats %d to %d", kind.Format, archiveFormat,
				newestFormat)
		}
		if err := d.Decode(&run); err != nil {
			return 0, err
		}
		a.Info = tracker.RunInfo{ID: run.ID, Name: run.Name, Experiment: run.Experiment, Status: run.Status,
			Start: time.UnixMilli(run.Start).UTC(), End: time.UnixMilli(run.End).UTC(), Params: run.Params,
			Tags: run.Tags}
		if a.Info.ID == "" {
			return 0, errors.New("the run has no id")
		}
		return run.Format, nil
	}
	var p archivePoint
	switch kind.Kind {
	case "metrics":
		if err := d.Decode(&p); err != nil {
			return 0, err
		}
	case "results":
		var r archiveResults
		if err := d.Decode(&r); err != nil {
			return 0, err
		}
		return 0, a.addResults(r)
	case "relation":
		var r archiveRelation
		if err := d.Decode(&r); err != nil {
			return 0, err
		}
		a.Relations = append(a.Relations, r.RelationResult)
	default:
		return 0, fmt.Errorf("it is of kind %q, not metrics, results or relation", kind.Kind)
	}
	for _, key := range sortedKeys(p.Values) {
		if known, ok := a.keys[key]; ok {
			key = known // one string in memory for all points
		} else {
			a.keys[key] = key
		}
		a.Points = append(a.Points, tracker.MetricPoint{Key: key,
			Point: tracker.Point{Step: p.Step, Time: time.UnixMilli(p.Time).UTC(), Value: float64(p.Values[key])}})
	}
	return 0, nil
}
