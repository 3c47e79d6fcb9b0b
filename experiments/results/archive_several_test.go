package results

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestSeveralRunsInOneFile: what is written is read back, in the order of names and starts, and the same runs give the
// same bytes.
func TestSeveralRunsInOneFile(t *testing.T) {
	t.Parallel()
	later, other := handMade(), handMade()
	later.Info.ID, later.Info.Start = strings.Repeat("e", 32), later.Info.Start.Add(time.Second)
	other.Info.ID, other.Info.Name = strings.Repeat("a", 32), "another"
	file, again := filepath.Join(t.TempDir(), "all"+ArchiveEnding), filepath.Join(t.TempDir(), "again"+ArchiveEnding)
	expect.NoError(t, SaveArchives([]*Archive{later, handMade(), other}, file))
	expect.NoError(t, SaveArchives([]*Archive{other, later, handMade()}, again))
	first, err := os.ReadFile(file)
	expect.NoError(t, err)
	second, err := os.ReadFile(again)
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("the order of the runs changes the file: %v", err)
	}
	list, err := OpenArchives(file)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d runs, %v", len(list), err)
	}
	for i, want := range []*Archive{other, handMade(), later} {
		if what := list[i].difference(want, "the file", "the run"); what != "" {
			t.Errorf("run %d: %s", i+1, what)
		}
		if list[i].Info.Metrics["test/head_f1"] != 1e-300 {
			t.Errorf("run %d: latest %v", i+1, list[i].Info.Metrics)
		}
	}
	if _, err := FileTwin(file, Run{Logged: answer.Logged{ConfigHash: "of no run"}}); err == nil || !strings.Contains(err.Error(), "no run of "+file) {
		t.Errorf("a run that the file lacks: %v", err)
	}
}

// TestExporterToOneFile exports runs one after the other: the file always holds all so far.
func TestExporterToOneFile(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	other := handMade()
	other.Info.ID = strings.Repeat("b", 32)
	if _, err := Import(ctx, tr, []ArchiveFile{{"a", handMade()}, {"b", other}}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "new", "all"+ArchiveEnding)
	export := Exporter(tr, file)
	for n, id := range []string{handMade().Info.ID, other.Info.ID} {
		if written, err := export(ctx, id); err != nil || written != file {
			t.Fatalf("wrote %q, %v", written, err)
		}
		if list, err := OpenArchives(file); err != nil || len(list) != n+1 {
			t.Errorf("after export %d the file has %d runs, %v", n+1, len(list), err)
		}
	}
}

func TestLongNamesFitInFiles(t *testing.T) {
	t.Parallel()
	a := handMade()
	a.Info.Name = strings.Repeat("n", 250) // MLflow's longest
	if name := a.FileName(); len(name) > 220 || !strings.HasSuffix(name, "-"+a.Info.ID[:8]+ArchiveEnding) {
		t.Errorf("a file of %d bytes: %s", len(name), name)
	}
}

// A point in memory is larger than in a file, and a metric larger than a point.
func TestArchiveOfTooManyRecords(t *testing.T) {
	t.Parallel()
	whole := mustBytes(t, handMade())
	records := strings.Count(unpacked(t, whole), "\n") + len(handMade().Points)
	keys := map[string]bool{}
	for _, p := range handMade().Points {
		keys[p.Key] = true
	}
	for _, c := range []struct {
		limit archiveSize
		want  string
	}{
		{archiveSize{1 << 20, records, len(keys)}, ""},
		{archiveSize{1 << 20, records - 1, len(keys)}, fmt.Sprintf("more than %d lines and points", records-1)},
		{archiveSize{1 << 20, records, len(keys) - 1}, fmt.Sprintf("more than %d different metrics", len(keys)-1)},
	} {
		_, _, err := readArchivesUpTo(c.limit, bytes.NewReader(whole), "f")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "f: line ")) {
			t.Errorf("%+v: %v", c.limit, err)
		}
	}
}

// TestCraftedArchive: a small file that unpacks to as many points as fit, each of another metric, costs little and its
// error says where it ends.
func TestCraftedArchive(t *testing.T) { // alone, since it measures memory
	head, _, _ := strings.Cut(unpacked(t, mustBytes(t, handMade())), "\n")
	file := filepath.Join(t.TempDir(), "crafted"+ArchiveEnding)
	f, err := os.Create(file)
	expect.NoError(t, err)
	z := gzip.NewWriter(f)
	fmt.Fprintln(z, head)
	for line := range 1000 { // of 2,000 points
		io.WriteString(z, `{"kind":"metrics","step":1,"time":1,"values":{`)
		for i := range 2000 {
			fmt.Fprintf(z, `"k%d":1,`, line*2000+i)
		}
		io.WriteString(z, `"z":1}}`+"\n")
	}
	expect.NoError(t, errors.Join(z.Close(), f.Close()))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = OpenArchives(file)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "crafted") ||
		!strings.Contains(err.Error(), "line 51: the run has more than 100000 different metrics") {
		t.Errorf("error %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 400<<20 {
		t.Errorf("reading it allocated %d bytes", n)
	}
}

// Many files are bounded together.
func TestArchivesOfTooManyRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "a"+ArchiveEnding), mustBytes(t, handMade()), 0o644))
	_, one, err := openArchive(filepath.Join(dir, "a"+ArchiveEnding))
	if err != nil || one.records == 0 || one.bytes == 0 {
		t.Fatalf("%+v, %v", one, err)
	}
	names := func(n int) []string { return slices.Repeat([]string{dir}, n) }
	if _, err := openArchivesUpTo(archiveSize{bytes: 1 << 30, records: 3 * one.records}, names(3)...); err != nil {
		t.Error(err)
	}
	for _, limit := range []archiveSize{{bytes: 1 << 30, records: 3*one.records - 1},
		{bytes: 3*one.bytes - 1, records: 1 << 20}} {
		if _, err := openArchivesUpTo(limit, names(3)...); err == nil || !strings.Contains(err.Error(), "name fewer files") {
			t.Errorf("%+v: %v", limit, err)
		}
	}
}
