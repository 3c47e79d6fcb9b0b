package tracker

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/jsonvalue"
)

func newSpool(t *testing.T) (*spool, string) {
	t.Helper()
	dir := t.TempDir()
	expect.NoError(t, os.Mkdir(filepath.Join(dir, "spool"), 0o700))
	s, err := createSpool(dir, "db", strings.Repeat("a", 32), Claim{})
	expect.NoError(t, err)
	t.Cleanup(func() { s.close() })
	return s, dir
}

// read decodes records from offset on, about limit bytes at most.
func (s *spool) read(offset, limit int64) (entries []entry, next int64, damaged int, err error) {
	text, next, err := s.lines(offset, limit)
	for line := range bytes.Lines(text) {
		e, err := decode(bytes.TrimSuffix(line, []byte{'\n'}))
		if err != nil {
			damaged++
			continue
		}
		entries = append(entries, e)
	}
	return entries, next, damaged, err
}

func TestSpoolKeepsEveryNumber(t *testing.T) {
	t.Parallel()
	s, _ := newSpool(t)
	values := map[string]jsonvalue.Exact{"a": 0.1, "b": jsonvalue.Exact(math.NaN()), "c": jsonvalue.Exact(math.Inf(1)),
		"d": jsonvalue.Exact(math.Inf(-1)), "e": math.MaxFloat64,
		"f": math.SmallestNonzeroFloat64, "g": jsonvalue.Exact(math.Copysign(0, -1)), "h": 1e21, "i": -1.0 / 3}
	expect.NoError(t, s.append(entry{Kind: "metric", Time: 5, Step: -7, Values: values}))
	entries, next, damaged, err := s.read(s.head, 1<<20)
	if err != nil || damaged != 0 || next != s.end() || len(entries) != 1 || entries[0].Step != -7 ||
		entries[0].Time != 5 {
		t.Fatalf("%v %d %d %v", entries, next, damaged, err)
	}
	for key, want := range values {
		got := entries[0].Values[key]
		if math.Float64bits(float64(got)) != math.Float64bits(float64(want)) &&
			!(math.IsNaN(float64(got)) && math.IsNaN(float64(want))) {
			t.Errorf("%s: %v became %v", key, want, got)
		}
	}
}

// TestSpoolFormat holds the lines that earlier programs wrote: a spool outlives the program, so every version has to
// read and write the same bytes.
func TestSpoolFormat(t *testing.T) {
	t.Parallel()
	for line, e := range map[string]entry{
		`61dcefd3 {"t":"header","v":1,"db":"db","run":"r"}`: {Kind: "header", Version: 1, Database: "db", Run: "r"},
		`ee9e6a04 {"t":"metric","ms":5,"step":-7,"values":{"a":0.1,"b":"NaN","c":"+Inf","d":"-Inf","e":1.7976931348623157e+308,` +
			`"f":5e-324,"g":-0,"h":1e+21,"i":-0.3333333333333333,"j":3,"k":1e-07}}`: {Kind: "metric", Time: 5, Step: -7,
			Values: map[string]jsonvalue.Exact{"a": 0.1, "b": jsonvalue.Exact(math.NaN()),
				"c": jsonvalue.Exact(math.Inf(1)),
				"d": jsonvalue.Exact(math.Inf(-1)), "e": math.MaxFloat64, "f": math.SmallestNonzeroFloat64,
				"g": jsonvalue.Exact(math.Copysign(0, -1)), "h": 1e21, "i": -1.0 / 3, "j": 3, "k": 1e-7}},
		`b2fc280f m0000000000000005fffffffffffffff9,3fb999999999999aa/b c`: {Kind: "metric", Time: 5, Step: -7,
			Values: map[string]jsonvalue.Exact{"a/b c": 0.1}},
		`1b5ff9ba {"t":"param","ms":6,"texts":{"note":"\u003ca\u003e \u0026 \"b\"\n","seed":"1"}}`: {Kind: "param",
			Time:  6,
			Texts: map[string]string{"seed": "1", "note": "<a> & \"b\"\n"}},
		`1b2c95fa {"t":"relations","ms":8,"relations":[{"cut":"margin","relation":"a\u003cb","side":"tail","category":"1-n",` +
			`"triples":3,"queries":2,"f1":0.1,"precision":0.2,"recall":0.3,"rr":0.4,"size":1e-7,"query_f1":0.6,"union_f1":0.7,` +
			`"novel_triples":1,"novel_f1":0.8}]}`: {Kind: "relations", Time: 8, Relations: []RelationResult{{Cut: "margin",
			Relation: "a<b", Side: "tail", Category: "1-n", Triples: 3, Queries: 2, F1: .1, Precision: .2, Recall: .3,
			RR: .4, Size: 1e-7, QueryF1: .6, UnionF1: .7, NovelTriples: 1, NovelF1: .8}}},
		`a8466f2e {"t":"finish","ms":7,"status":"FINISHED"}`: {Kind: "finish", Time: 7, Status: Finished},
	} {
		earlier := line[9] == '{' && e.Kind == "metric"
		if got, err := encode(nil, e); !earlier && (err != nil || string(got) != line+"\n") {
			t.Errorf("written %q, %v; want %q", got, err, line)
		}
		got, err := decode([]byte(line))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if nan := float64(got.Values["b"]); len(e.Values) > 0 && math.IsNaN(nan) { // NaN differs from itself
			got.Values["b"], e.Values["b"] = 0, 0
		}
		if !reflect.DeepEqual(got, e) {
			t.Errorf("%q was read as %+v, want %+v", line, got, e)
		}
	}
}

func TestSpoolReadsInParts(t *testing.T) {
	t.Parallel()
	s, _ := newSpool(t)
	const n = 100
	for i := range n {
		expect.NoError(t, s.append(entry{Kind: "tag", Step: int64(i),
			Texts: map[string]string{"k": strings.Repeat("x", i*7)}}))
	}
	for _, limit := range []int64{1, 50, 300, 1000, 1 << 20} {
		count := 0
		for offset := s.head; offset < s.end(); {
			entries, next, damaged, err := s.read(offset, limit)
			if err != nil || damaged != 0 || next <= offset {
				t.Fatalf("limit %d: %d %d %v", limit, next, damaged, err)
			}
			for _, e := range entries {
				if e.Step != int64(count) {
					t.Fatalf("limit %d: record %d has step %d", limit, count, e.Step)
				}
				count++
			}
			offset = next
		}
		if count != n {
			t.Errorf("limit %d: %d records", limit, count)
		}
	}
}

// A disk that takes no more: the call says so, and what was written before is intact.
func TestSpoolOnAFullDisk(t *testing.T) {
	t.Parallel()
	s, dir := newSpool(t)
	expect.NoError(t, s.append(entry{Kind: "tag", Texts: map[string]string{"a": "1"}}))
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("skipped: this system has no /dev/full")
	}
	defer full.Close()
	before, writable := s.end(), s.f
	s.room.drop()
	s.f = full
	if err := s.append(entry{Kind: "tag", Texts: map[string]string{"a": "2"}}); err == nil ||
		!strings.Contains(err.Error(), "no space") {
		t.Errorf("a full disk gives %v", err)
	}
	s.f = writable
	if s.end() != before {
		t.Error("the refused record counts")
	}
	expect.NoError(t, s.append(entry{Kind: "tag", Texts: map[string]string{"a": "3"}}))
	expect.NoError(t, s.close())
	again, header, err := openSpool(spoolPath(dir, strings.Repeat("a", 32), Claim{}))
	if err != nil || header.Database != "db" {
		t.Fatal(header, err)
	}
	defer again.close()
	entries, _, damaged, err := again.read(again.head, 1<<20)
	if err != nil || damaged != 0 || len(entries) != 2 || entries[1].Texts["a"] != "3" {
		t.Errorf("%v %d %v", entries, damaged, err)
	}
}

// TestSpoolLosesItsWindow: the mapped file is cut short, so the next copy is a fault of memory, as where a disk fails.
// The record and those after it are written by calls.
func TestSpoolLosesItsWindow(t *testing.T) {
	t.Parallel()
	s, _ := newSpool(t)
	expect.NoError(t, s.append(entry{Kind: "tag", Texts: map[string]string{"a": "1"}}))
	if !s.room.drop() {
		t.Skip("skipped: this system has no window")
	}
	expect.NoError(t, s.append(entry{Kind: "tag", Texts: map[string]string{"a": "2"}}))
	expect.NoError(t, s.f.Truncate(0))
	s.size = 2 * int64(os.Getpagesize()) // of pages that the file has no more
	at := s.size
	for _, value := range []string{"3", "4"} {
		expect.NoError(t, s.append(entry{Kind: "tag", Texts: map[string]string{"a": value}}))
	}
	if s.room.drop() {
		t.Error("the copy did not fail")
	}
	entries, _, damaged, err := s.read(at, 1<<20)
	if err != nil || damaged != 0 || len(entries) != 2 || entries[1].Texts["a"] != "4" {
		t.Errorf("%v %d %v", entries, damaged, err)
	}
}

// TestSpoolIsPrepared: calls continue while the pages of the next ones are made ready, which also moves the window.
func TestSpoolIsPrepared(t *testing.T) {
	t.Parallel()
	s, _ := newSpool(t)
	const calls = 8000 // several windows
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := s.sync(); err != nil {
				done <- err
				return
			}
		}
	}()
	for step := range int64(calls) {
		expect.NoError(t, s.append(entry{Kind: "metric", Step: step, logged: map[string]float64{strings.Repeat("k", 200): 1}}))
	}
	close(stop)
	expect.NoError(t, <-done)
	entries, _, damaged, err := s.read(s.head, 1<<30)
	if err != nil || damaged != 0 || len(entries) != calls {
		t.Fatalf("%d entries, %d damaged, %v", len(entries), damaged, err)
	}
	for i, e := range entries {
		if e.Step != int64(i) {
			t.Fatalf("record %d has step %d", i, e.Step)
		}
	}
	expect.NoError(t, s.close())
	if err := s.sync(); err == nil {
		t.Error("a closed spool is forced to the disk")
	}
}

// TestSpoolOfAKilledProgram has room after its records, or a part of one.
func TestSpoolOfAKilledProgram(t *testing.T) {
	t.Parallel()
	for _, torn := range []string{"", "00000000 m00000000"} {
		s, dir := newSpool(t)
		const calls = 3000 // more than a window
		for step := range int64(calls) {
			expect.NoError(t, s.append(entry{Kind: "metric", Step: step,
				logged: map[string]float64{"valid/head_f1": float64(step), strings.Repeat("k", 200): 1}}))
		}
		if _, err := s.f.WriteAt([]byte(torn), s.size); err != nil {
			t.Fatal(err)
		}
		s.room.drop()
		expect.NoError(t, s.f.Close()) // frees the lock, as the end of a process
		again, _, err := openSpool(spoolPath(dir, strings.Repeat("a", 32), Claim{}))
		expect.NoError(t, err)
		expect.NoError(t, again.append(entry{Kind: "tag", Texts: map[string]string{"a": "1"}}))
		entries, _, damaged, err := again.read(again.head, 1<<30)
		if err != nil || damaged != 0 || len(entries) != calls+1 || entries[calls].Texts["a"] != "1" {
			t.Errorf("%d entries, %d damaged, %v", len(entries), damaged, err)
		}
		expect.NoError(t, again.close())
		if info, err := os.Stat(again.path); err != nil || info.Size() != again.end() {
			t.Errorf("a closed spool of %d bytes has %v, %v", again.end(), info.Size(), err)
		}
	}
}

func TestSpoolIsLocked(t *testing.T) {
	t.Parallel()
	s, dir := newSpool(t)
	path := spoolPath(dir, strings.Repeat("a", 32), Claim{})
	if _, _, err := openSpool(path); !errors.Is(err, errLocked) {
		t.Errorf("a locked spool: %v", err)
	}
	if _, err := createSpool(dir, "db", strings.Repeat("a", 32), Claim{}); !errors.Is(err, errLocked) {
		t.Errorf("a second spool of the same run: %v", err)
	}
	expect.NoError(t, s.remove())
	if _, _, err := openSpool(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a removed spool: %v", err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSpoolIsAwaited: a spool that its program leaves soon is opened then.
func TestSpoolIsAwaited(t *testing.T) {
	dir := t.TempDir()
	expect.NoError(t, os.Mkdir(filepath.Join(dir, "spool"), 0o755))
	held, err := createSpool(dir, "db", strings.Repeat("a", 32), Claim{})
	expect.NoError(t, err)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := awaitSpool(gone, held.path); !errors.Is(err, errLocked) {
		t.Errorf("a locked spool: %v", err)
	}
	closed := make(chan error, 1)
	time.AfterFunc(200*time.Millisecond, func() { closed <- held.close() })
	s, header, err := awaitSpool(t.Context(), held.path)
	expect.NoError(t, err)
	expect.NoError(t, <-closed)
	if header.Database != "db" {
		t.Errorf("the header is %+v", header)
	}
	expect.NoError(t, s.close())
}

func TestSpoolCompacts(t *testing.T) {
	t.Parallel()
	s, _ := newSpool(t)
	expect.NoError(t, s.append(entry{Kind: "tag", Texts: map[string]string{"a": "1"}}))
	flushed := s.end()
	expect.NoError(t, s.append(entry{Kind: "tag", Texts: map[string]string{"a": "2"}}))
	if got, err := s.compact(flushed, 0); err != nil || got != flushed {
		t.Errorf("a record that is not stored yet was dropped: %d, %v", got, err)
	}
	if got, err := s.compact(s.end(), 0); err != nil || got != s.head || s.end() != s.head {
		t.Errorf("compacted to %d, %v", got, err)
	}
	expect.NoError(t, s.append(entry{Kind: "tag", Texts: map[string]string{"a": "3"}}))
	entries, _, damaged, err := s.read(s.head, 1<<20)
	if err != nil || damaged != 0 || len(entries) != 1 || entries[0].Texts["a"] != "3" {
		t.Errorf("%v %d %v", entries, damaged, err)
	}
}

// FuzzDecode: a damaged line is refused, and one that is accepted can be written again.
func FuzzDecode(f *testing.F) {
	for _, e := range []entry{{Kind: "metric", Values: map[string]jsonvalue.Exact{"loss": 1}},
		{Kind: "tag", Texts: map[string]string{"a": "b\n"}}, {Kind: "finish", Status: Finished}} {
		line, err := encode(nil, e)
		expect.NoError(f, err)
		f.Add(line[:len(line)-1])
		f.Add(line[:len(line)/2])
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := decode(line)
		if err != nil {
			return
		}
		if again, err := encode(nil, e); err != nil || len(again) < 10 {
			t.Errorf("%q was accepted and cannot be written again: %v", line, err)
		}
	})
}
