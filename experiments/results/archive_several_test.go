package results

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments"
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
	if err := SaveArchives([]*Archive{later, handMade(), other}, file); err != nil {
		t.Fatal(err)
	}
	if err := SaveArchives([]*Archive{other, later, handMade()}, again); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := FileTwin(file, Run{Logged: experiments.Logged{ConfigHash: "of no run"}}); err == nil || !strings.Contains(err.Error(), "no run of "+file) {
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

// A point in memory is larger than in a file.
func TestArchiveOfTooManyRecords(t *testing.T) {
	t.Parallel()
	whole := mustBytes(t, handMade())
	records := strings.Count(unpacked(t, whole), "\n") + len(handMade().Points)
	for limit, want := range map[int]string{records: "", records - 1: "lines and points"} {
		_, err := readArchivesUpTo(archiveLimit{1 << 20, limit}, bytes.NewReader(whole), "f")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d of %d records: %v", limit, records, err)
		}
	}
}
