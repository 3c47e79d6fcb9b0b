package results

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// handMade is an archive with everything that JSON and sorting could stumble over.
func handMade() *Archive {
	at := func(ms int64) time.Time { return time.UnixMilli(1_700_000_000_000 + ms).UTC() }
	point := func(key string, step, ms int64, value float64) tracker.MetricPoint {
		return tracker.MetricPoint{Key: key, Point: tracker.Point{Step: step, Time: at(ms), Value: value}}
	}
	return &Archive{
		Info: tracker.RunInfo{ID: strings.Repeat("0123456789abcdef", 2), Name: "hand <made> & / odd",
			Experiment: "circle",
			Status:     "FINISHED", Start: at(0), End: at(5000),
			Params: map[string]string{"model": "rotate", "seed": "1"}, Tags: map[string]string{"cpu": "x",
				"mlflow.runName": "hand <made> & / odd"}},
		Points: []tracker.MetricPoint{point("a", 1, 10, .1), point("loss", 1, 10, math.Pi), point("loss", 1, 10, 4),
			point("loss", 1, 11, math.Inf(1)),
			point("loss", 2, 9, math.NaN()), point("test/head_f1", 2, 9, 1e-300),
			point("test/tail_f1", 2, 9, math.Inf(-1))},
	}
}

func handMadeRelations() []tracker.RelationResult {
	return []tracker.RelationResult{
		{Cut: "top-10", Relation: "r", Side: "head", Category: "1-n", Triples: 3, Queries: 2, F1: .1, Precision: 1. / 3,
			Recall: 1e-7, RR: 1, Size: 10, QueryF1: .2, UnionF1: .3, NovelTriples: 1, NovelF1: .4},
		{Cut: "top-10", Relation: "r", Side: "tail", Category: "1-n", Triples: 3, Queries: 3}}
}

// A run with results per relation is written in the second format, and comes back with every digit.
func TestArchiveOfRelations(t *testing.T) {
	ctx, tr := context.Background(), trackertest.Open(t)
	a := handMade()
	a.Relations = handMadeRelations()
	raw := mustBytes(t, a)
	text := unpacked(t, raw)
	want := `{"kind":"relation","cut":"top-10","relation":"r","side":"head","category":"1-n","triples":3,"queries":2,"f1":0.1,` +
		`"precision":0.3333333333333333,"recall":1e-7,"rr":1,"size":10,"query_f1":0.2,"union_f1":0.3,"novel_triples":1,"novel_f1":0.4}
{"kind":"relation","cut":"top-10","relation":"r","side":"tail","category":"1-n","triples":3,"queries":3,"f1":0,` +
		`"precision":0,"recall":0,"rr":0,"size":0,"query_f1":0,"union_f1":0,"novel_triples":0,"novel_f1":0}
`
	if !strings.HasPrefix(text, `{"kind":"run","format":2,`) || !strings.HasSuffix(text, "\n"+want) {
		t.Errorf("file\n%s\ndoes not end with\n%s", text, want)
	}
	back, err := readOne(raw, "x")
	expect.NoError(t, err)
	if what := a.difference(back, "a", "b"); what != "" {
		t.Error(what)
	}
	if _, err := Import(ctx, tr, []ArchiveFile{{"x", back}}); err != nil {
		t.Fatal(err)
	}
	brief := handMade()
	if done, err := Import(ctx, tr, []ArchiveFile{{"brief", brief}}); err != nil || !done[0].Skipped {
		t.Errorf("the run without results per relation, where it is stored with them: %+v, %v", done, err)
	}
	brief.Info.Name = "another"
	if _, err := Import(ctx, tr, []ArchiveFile{{"brief", brief}}); err == nil {
		t.Error("another name is not seen where the file has no results per relation")
	}
	mustExport(t, tr, a.Info.ID, raw)
	for want, change := range map[string]func(*Archive){
		`the result of relation "r", side head, at cut top-10 is {`:                func(a *Archive) { a.Relations[0].Size = 11 },
		`the result of relation "r", side tail, at cut top-10 is only in this`:     func(a *Archive) { a.Relations = a.Relations[:1] },
		`the result of relation "s", side tail, at cut top-10 is only in the file`: func(a *Archive) { a.Relations[1].Relation = "s" },
	} {
		changed := handMade()
		changed.Relations = handMadeRelations()
		change(changed)
		_, err := Import(ctx, tr, []ArchiveFile{{"changed", changed}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
}

// mustExport exports a run, which must have the given bytes.
func mustExport(t *testing.T, tr *tracker.Tracker, id string, raw []byte) {
	t.Helper()
	info, err := tr.FindRun(t.Context(), id)
	expect.NoError(t, err)
	again, err := ArchiveRun(t.Context(), tr, info)
	if err != nil || !bytes.Equal(mustBytes(t, again), raw) {
		t.Errorf("the imported run is exported as other bytes: %v\n%s", err, unpacked(t, mustBytes(t, again)))
	}
}

func mustBytes(t *testing.T, a *Archive) []byte {
	t.Helper()
	raw, err := a.Bytes()
	expect.NoError(t, err)
	return raw
}

func unpacked(t *testing.T, raw []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(raw))
	expect.NoError(t, err)
	text, err := io.ReadAll(z)
	expect.NoError(t, err)
	if !z.ModTime.IsZero() || z.Name != "" {
		t.Errorf("the file has its time %v or its name %q", z.ModTime, z.Name)
	}
	return string(text)
}

func TestArchiveOfOddNumbers(t *testing.T) {
	a := handMade()
	raw := mustBytes(t, a)
	text := unpacked(t, raw)
	want := `{"kind":"run","format":1,"id":"0123456789abcdef0123456789abcdef","name":"hand <made> & / odd","experiment":"circle","status":"FINISHED",` +
		`"start":1700000000000,"end":1700000005000,"params":{"model":"rotate","seed":"1"},"tags":{"cpu":"x","mlflow.runName":"hand <made> & / odd"}}
{"kind":"metrics","step":1,"time":1700000000010,"values":{"a":0.1,"loss":3.141592653589793}}
{"kind":"metrics","step":1,"time":1700000000010,"values":{"loss":4}}
{"kind":"metrics","step":1,"time":1700000000011,"values":{"loss":"+Inf"}}
{"kind":"metrics","step":2,"time":1700000000009,"values":{"loss":"NaN","test/head_f1":1e-300,"test/tail_f1":"-Inf"}}
`
	if text != want {
		t.Errorf("file\n%s\nwant\n%s", text, want)
	}
	back, err := readOne(raw, "x")
	expect.NoError(t, err)
	if what := a.difference(back, "a", "b"); what != "" {
		t.Error(what)
	}
	if back.Info.Metrics["test/head_f1"] != 1e-300 || !math.IsNaN(back.Info.Metrics["loss"]) ||
		back.Info.Steps["a"] != 1 {
		t.Errorf("latest %v at %v", back.Info.Metrics, back.Info.Steps)
	}
	if name := a.FileName(); name != "hand__made______odd-01234567.jsonl.gz" {
		t.Errorf("file name %s", name)
	}
	tr := trackertest.Open(t)
	if _, err := Import(context.Background(), tr, []ArchiveFile{{"x", back}}); err != nil {
		t.Fatal(err)
	}
	mustExport(t, tr, a.Info.ID, raw)
}

func TestExportImportExportGivesTheSameBytes(t *testing.T) {
	ctx, tr := context.Background(), trackertest.Open(t)
	info := trainSmall(t, tr, func(c *config.Config) { c.Tags = map[string]string{"purpose": "test"} })
	a, err := ArchiveRun(ctx, tr, info)
	expect.NoError(t, err)
	folder := t.TempDir()
	file := filepath.Join(folder, a.FileName())
	err = SaveArchive(a, file)
	expect.NoError(t, err)
	raw, err := os.ReadFile(file)
	expect.NoError(t, err)
	text := unpacked(t, raw)
	for _, key := range []string{"checkpoint_digest", "graph_digest", "numerics_version", `"train.epochs":"8"`,
		"config_hash", "system/epoch_seconds", `"format":4`, `{"kind":"relation","cut":"lookup","relation":"plus3","side":"head"`, `"test/head_f1":`,
		`{"cut":"top-3","metric":"head_f1","value":`, `"purpose":"test"`} {
		if !strings.Contains(text, key) {
			t.Errorf("the export lacks %s", key)
		}
	}
	for what, local := range map[string]string{"the folder of the graph": info.Tags[answer.TagSource],
		"this machine": `"host"`, "the user": "mlflow.user"} {
		if strings.Contains(text, local) {
			t.Errorf("the export contains %s", what)
		}
	}

	other := trackertest.OpenWith(t, trackertest.Database(t), tracker.Options{DataDir: t.TempDir()})
	opened, err := OpenArchives(file)
	expect.NoError(t, err)
	for i, skipped := range []bool{false, true} {
		done, err := Import(ctx, other, opened)
		if err != nil || len(done) != 1 || done[0].Skipped != skipped || done[0].RunID != info.ID {
			t.Errorf("import %d: %+v, %v", i+1, done, err)
		}
	}
	if done, err := Import(ctx, tr, append(opened, opened...)); err != nil || !done[0].Skipped || !done[1].Skipped {
		t.Errorf("import where it was made: %+v, %v", done, err)
	}
	imported, err := other.FindRun(ctx, "last")
	if err != nil || imported.Tags[tracker.TagImported] != "true" ||
		imported.Tags["checkpoint_digest"] != info.Tags["checkpoint_digest"] ||
		!maps.Equal(imported.Params, info.Params) {
		t.Errorf("imported %+v, %v", imported, err)
	}
	again, err := ArchiveRun(ctx, other, imported)
	if err != nil || !bytes.Equal(mustBytes(t, again), raw) {
		t.Errorf("the imported run is exported as other bytes: %v", err)
	}
	if _, err := answer.Open(ctx, other, info.ID, nil); err == nil || !strings.Contains(err.Error(),
		"was imported without its checkpoint") {
		t.Errorf("asking an imported run: %v", err)
	}
}

// TestImportOfADifferentRun: a run that is there with other contents is one error, and no file of the import is stored.
func TestImportOfADifferentRun(t *testing.T) {
	ctx, tr := context.Background(), trackertest.Open(t)
	if _, err := Import(ctx, tr, []ArchiveFile{{"first", handMade()}}); err != nil {
		t.Fatal(err)
	}
	fresh := handMade()
	fresh.Info.ID = strings.Repeat("f", 32)
	for want, change := range map[string]func(*Archive){
		`param seed is "2" in the file and "1" in this tracker`:                    func(a *Archive) { a.Info.Params["seed"] = "2" },
		`param more is "x" in the file and missing`:                                func(a *Archive) { a.Info.Params["more"] = "x" },
		`tag cpu is missing in the file`:                                           func(a *Archive) { delete(a.Info.Tags, "cpu") },
		`its experiment is other in the file and circle in this`:                   func(a *Archive) { a.Info.Experiment = "other" },
		`a = 0.2 at step 1`:                                                        func(a *Archive) { a.Points[0].Value = .2 },
		`test/tail_f1 = -Inf at step 2`:                                            func(a *Archive) { a.Points = a.Points[:len(a.Points)-1] },
		`the result of relation "r", side head, at cut top-10 is only in the file`: func(a *Archive) { a.Relations = handMadeRelations() },
		`its end is 2023-11-14T22:13:26Z`:                                          func(a *Archive) { a.Info.End = a.Info.End.Add(time.Second) },
	} {
		changed := handMade()
		change(changed)
		_, err := Import(ctx, tr, []ArchiveFile{{"fresh", fresh}, {"changed", changed}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(),
			"nothing was imported: changed: run 0123") {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
	two := handMade()
	two.Info.ID, two.Info.Name = fresh.Info.ID, "renamed"
	if _, err := Import(ctx, tr, []ArchiveFile{{"fresh", fresh}, {"two", two}}); err == nil ||
		!strings.Contains(err.Error(), "is in two files: its name is") {
		t.Errorf("two files of one run: %v", err)
	}
	expect.NoError(t, tr.Delete(ctx, handMade().Info.ID))
	if _, err := Import(ctx, tr, []ArchiveFile{{"fresh", fresh}, {"first", handMade()}}); err == nil ||
		!strings.Contains(err.Error(), "is deleted in this tracker") {
		t.Errorf("deleted run: %v", err)
	}
	if runs, err := tr.Runs(ctx, tracker.Filter{}); err != nil || len(runs) > 0 {
		t.Errorf("%d runs were stored by refused imports, %v", len(runs), err)
	}
}

// readOne reads a file of one run.
func readOne(raw []byte, file string) (*Archive, error) {
	list, err := readArchives(bytes.NewReader(raw), file)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%d runs", len(list))
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

func TestDamagedArchives(t *testing.T) {
	pack := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		expect.NoError(t, z.Close())
		return b.Bytes()
	}
	whole := mustBytes(t, handMade())
	first, _, _ := strings.Cut(unpacked(t, whole), "\n")
	for want, raw := range map[string][]byte{
		"f is not an exported run: gzip":                                  []byte("kind,run,id\nof a table, not packed\n"),
		"f is not an exported run: it is empty":                           pack(""),
		"f is damaged after line":                                         whole[:len(whole)-12],
		"line 1: it is of kind \"metrics\"":                               pack(`{"kind":"metrics"}`),
		"it has format 6 and this program reads formats 1 to 5":           pack(`{"kind":"run","format":6,"new":1}`),
		"line 1: the run has no id":                                       pack(`{"kind":"run","format":3}`),
		"line 1: json: unknown field \"new\"":                             pack(`{"kind":"run","format":1,"new":1}`),
		"line 2: it is of kind \"run\", not metrics, results or relation": pack(first + "\n" + `{"kind":"run"}`),
		"line 2: invalid character":                                       pack(first + "\nnonsense"),
		`line 2: "x" is not a number`: pack(first + "\n" +
			`{"kind":"metrics","step":1,"time":1,"values":{"a":"x"}}`),
		`line 2: json: unknown field "value"`: pack(first + "\n" + `{"kind":"relation","value":1}`),
		`line 2: json: unknown field "f1"`: pack(first + "\n" +
			`{"kind":"results","values":[{"f1":1}]}`),
		`line 2: result "mrr" lacks its value`: pack(first + "\n" +
			`{"kind":"results","values":[{"metric":"mrr"}]}`),
		`line 2: result "f1" lacks its value or an end`: pack(first + "\n" +
			`{"kind":"results","values":[{"metric":"f1","value":1,"low":0}]}`),
		`line 3: json: unknown field "value"`: pack(first + "\n" + `{"kind":"metrics"}` + "\n" +
			`{"kind":"metrics","value":1}`),
	} {
		if _, err := readOne(raw, "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
	a := handMade()
	a.Relations = handMadeRelations()
	whole = mustBytes(t, a)
	size := int64(len(unpacked(t, whole)))
	for _, cut := range []int64{1, 20, size - int64(len(first)) - 1} { // inside a line or at the end of one
		limit := archiveSize{size - cut, 100, 100}
		if _, _, err := readArchivesUpTo(limit, bytes.NewReader(whole), "f"); err == nil ||
			!strings.HasPrefix(err.Error(), "f: line ") || !strings.Contains(err.Error(), fmt.Sprintf("more than %d bytes", size-cut)) {
			t.Errorf("%d bytes too long: %v", cut, err)
		}
	}
	back, read, err := readArchivesUpTo(archiveSize{size, 100, 100}, bytes.NewReader(whole), "f")
	if err != nil || len(back) != 1 || len(back[0].Relations) != 2 || read.bytes != size {
		t.Errorf("an archive of the greatest size: %v", err)
	}
	if _, err := OpenArchives(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestOnlyFinishedRunsAreExported(t *testing.T) {
	if _, err := ArchiveRun(context.Background(), nil, tracker.RunInfo{ID: "abcdef0123", Name: "x",
		Status: "RUNNING"}); err == nil || !strings.Contains(err.Error(), "is RUNNING; only finished runs") {
		t.Errorf("error %v", err)
	}
}

func TestResultsOfAFolder(t *testing.T) {
	older, newer := handMade(), handMade()
	newer.Info.ID, newer.Info.Start = strings.Repeat("e", 32), older.Info.Start.Add(time.Hour)
	files := fstest.MapFS{"r/README.md": {Data: []byte("text")}, "r/a.jsonl.gz": {Data: mustBytes(t, older)},
		"r/b.jsonl.gz": {Data: mustBytes(t, newer)}}
	list, err := readResults(files, "r")
	if err != nil || len(list) != 2 || list[0].Info.ID != newer.Info.ID ||
		list[1].File != "experiments/results/r/a.jsonl.gz" {
		t.Errorf("%+v, %v", list, err)
	}
	points, err := archivedRuns(list).History(context.Background(), older.Info.ID, "loss")
	if err != nil || len(points) != 4 || points[0].Value != math.Pi {
		t.Errorf("history %v, %v", points, err)
	}
	files["r/c.jsonl.gz"] = &fstest.MapFile{Data: []byte("x")}
	if _, err := readResults(files, "r"); err == nil || !strings.Contains(err.Error(),
		"experiments/results/r/c.jsonl.gz is not an exported run") {
		t.Errorf("damaged file: %v", err)
	}
}

// TestEmbeddedResultsAreOfConfigs: what is embedded is finished and evaluated, names no machine and none of its folders
// and is trained as a config says that is embedded as well, or is a stack of embedded runs.
func TestEmbeddedResultsAreOfConfigs(t *testing.T) {
	results, err := EmbeddedResults()
	expect.NoError(t, err)
	trained := map[string]string{} // graph by checkpoint
	for _, r := range results {
		if run := Read(r.Info); len(run.Stack) == 0 {
			trained[run.Checkpoint] = run.GraphDigest
		}
	}
	for _, r := range results {
		run := Read(r.Info)
		for _, checkpoint := range run.Stack {
			if trained[checkpoint] != run.GraphDigest {
				t.Errorf("%s combines a model %s that is not embedded", r.File, checkpoint)
			}
		}
		stacked := len(run.Stack) > 1
		if !run.Evaluated() || !run.Finished() || !stacked && (configOf(run).name == "" || unlikeConfig(run) != "") {
			t.Errorf("%s: status %s, evaluated %v, config %q, unlike it in %q", r.File, r.Info.Status, run.Evaluated(),
				configOf(run).name, unlikeConfig(run))
		}
		for _, tag := range localTags {
			if r.Info.Tags[tag] != "" {
				t.Errorf("%s contains %s", r.File, tag)
			}
		}
		if filepath.Base(r.File) != r.FileName() {
			t.Errorf("%s should be named %s", r.File, r.FileName())
		}
	}
}
