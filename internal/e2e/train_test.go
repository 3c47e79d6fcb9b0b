package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestTrainAFileOfFacts goes from a file to answers in two commands, and repeats the run from the config that train
// shows.
func TestTrainAFileOfFacts(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	facts := "s,p,o\n"
	for i := range 60 {
		facts += fmt.Sprintf("town %02d,east of,town %02d\ntown %02d,far east of,town %02d\n", i, (i+1)%60, i, (i+2)%60)
	}
	file := filepath.Join(t.TempDir(), "towns.csv")
	expect.NoError(t, os.WriteFile(file, []byte(facts), 0o644))
	stdout, stderr, code := p.run("train", file, "sphere-2d", "--set", "train.epochs=20", "--set", "split.seed=3")
	if code != exitOK {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	for _, want := range []string{"lookup", "expected-novel", "query last \"town "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("standard output lacks %q:\n%s", want, stdout)
		}
	}
	if !strings.Contains(stderr, "divided by a fixed draw into 96 train, 12 valid and 12 test triples") {
		t.Errorf("standard error does not say how the file is divided:\n%s", stderr)
	}
	if got := p.ok("query", "last", "town 05", "east of", "?"); !strings.Contains(got, "town 06") {
		t.Errorf("query:\n%s", got)
	}
	calibratedAnswers(t, p)
	_, config, found := strings.Cut(stderr, "this config repeats the run:\n")
	config, _, ended := strings.Cut(config, "\nSpherE-2D (clean) on towns: run")
	if !found || !ended {
		t.Fatalf("no config is shown:\n%s", stderr)
	}
	again := filepath.Join(t.TempDir(), "again.yaml")
	expect.NoError(t, os.WriteFile(again, []byte(strings.ReplaceAll(config, "\n  ", "\n")[2:]), 0o644))
	p.ok("train", again)
	rows := p.csv("runs", "ls")
	if len(rows) != 3 {
		t.Fatalf("runs: %v", rows)
	}
	p.ok("runs", "verify", rows[1][0], rows[2][0])
}

// calibratedAnswers asks the newest run, which was calibrated, for probabilities and for what they are worth.
func calibratedAnswers(t *testing.T, p *program) {
	t.Helper()
	var answer struct {
		Cut string `json:"cut_name"`
		Set []struct {
			Known       bool
			Probability *float64
		}
	}
	p.json(&answer, "query", "last", "town 05", "east of", "?")
	if answer.Cut != "expected-novel" {
		t.Errorf("the answers of a calibrated run are by cut %s", answer.Cut)
	}
	p.json(&answer, "query", "last", "town 05", "east of", "?", "--recall", ".9")
	for _, m := range answer.Set {
		if m.Known != (m.Probability == nil) || !m.Known && !(*m.Probability > 0 && *m.Probability < 1) {
			t.Errorf("%+v", m)
		}
	}
	var report struct {
		Sides []struct {
			Split, Side string
			Bands       []struct{ Entities float64 }
		}
		Promises []struct {
			Cut  string
			Test *struct{ Recall float64 }
		}
	}
	picture := filepath.Join(t.TempDir(), "reliability.svg")
	p.json(&report, "runs", "calibration", "last", "--precision", ".5", "--recall", ".9", "--chart", picture)
	if svg, err := os.ReadFile(picture); err != nil || !strings.HasPrefix(string(svg), "<svg") {
		t.Errorf("picture: %v, %.80s", err, svg)
	}
	if len(report.Sides) != 4 || len(report.Promises) != 2 || report.Promises[1].Cut != "recall-0.9" ||
		report.Promises[1].Test == nil || len(report.Sides[3].Bands) == 0 || report.Sides[3].Split != "test" {
		t.Errorf("%+v", report)
	}
	if text := p.ok("runs", "calibration", "last"); !strings.Contains(text, "share that is right") ||
		!strings.Contains(text, "precision-0.9") {
		t.Errorf("calibration as text:\n%s", text)
	}
	p.fails(exitUsage, []string{`--precision must be above 0 and below 1, of six digits at most, not "2"`}, "runs",
		"calibration", "last", "--precision", "2")
	shown := p.ok("runs", "show", "last", "--full")
	for _, key := range []string{"valid/head_ece", "test/tail_brier", "eval.calibrate"} {
		if !strings.Contains(shown, key) {
			t.Errorf("runs show lacks %s", key)
		}
	}
}

func TestTrainThenAskAndLookBack(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	config := smallJob(t, 30)
	p.fails(exitFailed, []string{"there are no runs yet", "spherelab train"}, "query", "last", "e00", "plus1", "?")
	stdout, stderr, code := p.run("train", config)
	if code != exitOK {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	for _, want := range []string{"lookup", "SpherE-2D", "head  tail", "MRR", "query last"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("standard output lacks %q:\n%s", want, stdout)
		}
	}
	for _, want := range []string{"epoch 30/30", "validation: head F1", "finished in"} {
		if !strings.Contains(stderr, want) || strings.Contains(stdout, want) {
			t.Errorf("%q belongs on standard error alone:\n%s", want, stderr)
		}
	}
	var run struct {
		RunID   string             `json:"run_id"`
		Status  string             `json:"status"`
		Digest  string             `json:"checkpoint_digest"`
		Params  map[string]string  `json:"params"`
		Metrics map[string]float64 `json:"metrics"`
		Tags    map[string]string  `json:"tags"`
	}
	p.json(&run, "runs", "show", "last")
	if len(run.RunID) != 32 || run.Status != "FINISHED" || len(run.Digest) != 64 ||
		run.Params["train.epochs"] != "30" ||
		run.Tags["checkpoint_digest"] != run.Digest || !(run.Metrics["loss"] > 0) {
		t.Errorf("runs show: %+v", run)
	}
	if rows := p.csv("runs", "ls"); len(rows) != 2 || rows[0][0] != "run_id" || rows[1][0] != run.RunID {
		t.Errorf("runs ls: %v", rows)
	}
	if got := p.ok("runs", "ls"); !strings.Contains(got, run.RunID[:8]) {
		t.Errorf("runs ls:\n%s", got)
	}
	if got := p.ok("runs", "compare", "last", run.RunID[:6]); !strings.Contains(got, "test/head_f1") {
		t.Errorf("runs compare:\n%s", got)
	}
	rows := p.csv("runs", "compare", "last", "last")
	if len(rows) != 3 || rows[0][0] != "run_id" || rows[1][0] != run.RunID {
		t.Errorf("runs compare: %v", rows)
	}
	var answers struct {
		Set, Near []struct{ Label string }
		Total     int
	}
	p.json(&answers, "query", "last", "e00", "plus1", "?")
	if answers.Total != len(answers.Set) || len(answers.Near) != 5 {
		t.Errorf("query: %+v", answers)
	}
	if got := p.ok("query", run.RunID[:8], "?", "plus1", "e00"); !strings.Contains(got, "near misses") ||
		!strings.Contains(got, "slack") {
		t.Errorf("query:\n%s", got)
	}
	manyQueries(t, p)
	p.fails(exitFailed, []string{`has no entity "e0"`, "e00"}, "query", "last", "e0", "plus1", "?")
	p.fails(exitFailed, []string{`has no relation "plus"`, "plus1"}, "query", "last", "e00", "plus", "?")
	if got := p.ok("runs", "ls", "--experiment", "nosuch", "--status", "Killed"); !strings.Contains(got,
		`no run matches --experiment "nosuch" --status killed`) {
		t.Errorf("runs ls with filters:\n%s", got)
	}
	if got := p.ok("explain", "last", "e00", "plus1", "e01"); !strings.Contains(got, "known fact (train)") ||
		!strings.Contains(got, "radius of the head") {
		t.Errorf("explain:\n%s", got)
	}
	evaluateAndTabulate(t, p)
	trainTwin(t, p, config, run.RunID)
	p.ok("runs", "delete", "last")
	p.ok("runs", "delete", "last")
	p.fails(exitFailed, []string{"there are no runs yet"}, "runs", "show", "last")
	p.ok("runs", "restore", run.RunID[:8])
	p.ok("runs", "show", run.RunID)
}

// evaluateAndTabulate evaluates the newest run, and asks the database and the embedded results.
func evaluateAndTabulate(t *testing.T, p *program) {
	t.Helper()
	var report struct {
		Cuts []struct {
			Name string
			Head struct{ F1 float64 }
		}
	}
	p.json(&report, "eval", "last")
	if report.Cuts[0].Name != "sphere" || len(report.Cuts) < 8 {
		t.Errorf("eval: %+v", report.Cuts)
	}
	if got := p.ok("eval", "last", "--criterion", "intersect", "--bootstrap", "0"); !strings.Contains(got,
		"intersect") {
		t.Errorf("eval:\n%s", got)
	}
	epochs := p.csv("tracker", "sql", "select epoch, loss from epoch order by epoch")
	if len(epochs) != 31 || epochs[30][0] != "30" {
		t.Errorf("sql: %v", epochs)
	}
	query := filepath.Join(t.TempDir(), "t.sql")
	expect.NoError(t, os.WriteFile(query, []byte("select count(*) as runs from run_wide"), 0o644))
	if got := p.ok("table", query, "--format", "json"); strings.Join(strings.Fields(got), "") != `[{"runs":1}]` {
		t.Errorf("table of a query: %s", got)
	}
	if got := p.ok("table", "umls"); !strings.Contains(got, "These are the embedded results") {
		t.Errorf("table of a graph without runs in this tracker:\n%s", got)
	}
}

// trainTwin trains a second run of the same name: the name means the newer one.
func trainTwin(t *testing.T, p *program, config, first string) {
	t.Helper()
	// A name that two runs have means the newer one.
	second := p.start(config, "--set", "train.epochs=2")
	type event struct {
		Event   string
		Metrics map[string]*float64
	}
	var finished event
	for second.events.Scan() {
		finished = event{}
		expect.NoError(t, json.Unmarshal(second.events.Bytes(), &finished))
	}
	if code := second.end(); code != exitOK || finished.Event != "run_finished" {
		t.Fatalf("exit %d, last event %s\n%s", code, finished.Event, second.stderr)
	}
	var twin struct {
		RunID   string              `json:"run_id"`
		Metrics map[string]*float64 `json:"metrics"`
	}
	p.json(&twin, "runs", "show", "last")
	maps.DeleteFunc(twin.Metrics, func(key string, _ *float64) bool { return !strings.HasPrefix(key, "test/") })
	if len(twin.Metrics) < 50 || !reflect.DeepEqual(finished.Metrics, twin.Metrics) {
		t.Errorf("run_finished tells %d metrics, logged are %d", len(finished.Metrics), len(twin.Metrics))
	}
	for _, args := range [][]string{{"runs", "show", "circle-sphere-2d-clean"},
		{"eval", "circle-sphere-2d-clean", "--bootstrap", "0"},
		{"runs", "compare", "circle-sphere-2d-clean", first}} {
		stdout, stderr, code := p.run(args...)
		if code != exitOK || !strings.Contains(stderr,
			"note: circle-sphere-2d-clean is the name of 2 runs; this is the newest, "+twin.RunID[:8]) ||
			!strings.Contains(stdout, twin.RunID[:8]) {
			t.Errorf("spherelab %s: exit %d\n%s\n%s", strings.Join(args, " "), code, stderr, stdout)
		}
	}
}

// The first command of a new user: an empty home, no database of their own.
// A model whose blocks have radii has the criterion blocks and no other one about radii.
func TestCriterionOfRadiiOfBlocks(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.ok("train", smallJob(t, 3), "--set", "model=sphere-5d", "--set", "variant=released")
	var report struct {
		Cuts []struct{ Name string }
	}
	p.json(&report, "eval", "last", "--criterion", "blocks", "--bootstrap", "0")
	if len(report.Cuts) == 0 || report.Cuts[0].Name != "blocks" {
		t.Errorf("eval --criterion blocks: %+v", report.Cuts)
	}
	if got := p.ok("eval", "--help"); !strings.Contains(got, "margin, sphere, intersect, blocks") {
		t.Errorf("eval --help:\n%s", got)
	}
	var answers struct{ Criterion string }
	p.json(&answers, "query", "last", "e00", "plus1", "?", "--criterion", "blocks")
	if answers.Criterion != "blocks" {
		t.Errorf("query --criterion blocks answers by %q", answers.Criterion)
	}
	for _, criterion := range []string{"sphere", "intersect"} {
		p.fails(exitFailed, []string{"must be one of default, blocks, margin for sphere-5d in variant released"},
			"eval", "last", "--criterion", criterion)
	}
}

func TestFirstTrainingInAnEmptyHome(t *testing.T) {
	t.Parallel()
	trackertest.Skip(t)
	home, err := os.MkdirTemp("", "sl") // short: a socket lives in it
	expect.NoError(t, err)
	p := &program{t, []string{"HOME=" + home}}
	t.Cleanup(func() { stopPrivateServers(t, home); _ = os.RemoveAll(home) })
	if got := p.ok("train", smallJob(t, 2)); !strings.Contains(got, "SpherE-2D") {
		t.Errorf("train:\n%s", got)
	}
	if got := p.ok("doctor"); strings.Contains(got, "fail") || !strings.Contains(got, "1 run") {
		t.Errorf("doctor:\n%s", got)
	}
	reader := strings.TrimSpace(p.ok("tracker", "url"))
	if !strings.HasPrefix(reader, "postgresql://spherelab_reader_") {
		t.Errorf("tracker url: %s", reader)
	}
	if got := p.ok("tracker", "url", "--owner"); !strings.HasPrefix(got, "postgresql://spherelab@/") {
		t.Errorf("tracker url --owner: %s", got)
	}
	// No program of ours runs now.
	db, err := sqlx.Open("postgres", reader)
	expect.NoError(t, err)
	defer db.Close()
	var runs int
	if err := db.Get(&runs, "select count(*) from run_wide"); err != nil || runs != 1 {
		t.Errorf("through the printed address: %d runs, %v", runs, err)
	}
}
