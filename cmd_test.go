package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestUsageErrorsBeforeAnythingStarts(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("model: rotate\ntrain:\n  epoch: 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "home")
	p := &program{t, []string{"HOME=" + home}}
	for _, c := range []struct{ args, wants []string }{
		{[]string{"train", bad}, []string{bad + ":3: unknown key train.epoch; did you mean train.epochs?"}},
		{[]string{"train", "--set", "dimension=0"}, []string{"--set dimension=0: dimension must be at least 1"}},
		{[]string{"train", "--set", "train.learning_rate=NaN"}, []string{"must be a finite number"}},
		{[]string{"train", "fb15k/rotate"}, []string{"no config fb15k/rotate", "did you mean fb15k-237/rotate?"}},
		{[]string{"train", "--threads", "-2"}, []string{"flag --threads: threads must be at least 0"}},
		{[]string{"train", "a", "b"}, []string{"got 2 arguments, needs at most 1"}},
		{[]string{"train", "--thread", "2"}, []string{"unknown flag: --thread", "--help"}},
		{[]string{"trian"}, []string{`unknown command "trian"; did you mean train?`}},
		{[]string{"runs", "shwo"}, []string{`unknown command "runs shwo"; did you mean show?`}},
		{[]string{"query", "last", "x"}, []string{"got 2 arguments, needs 4"}},
		{[]string{"runs", "ls", "--format", "xml"}, []string{`must be one of text, markdown, latex, csv, html, json, not "xml"`}},
		{[]string{"table", "nosuch"}, []string{`no table "nosuch"`, "bundled"}},
		{[]string{"data", "get", "fb15k"}, []string{`no known data set "fb15k"`, "fb15k-237"}},
		{[]string{"data", "ls", "--data", bad + "-nowhere"}, []string{bad + "-nowhere cannot be listed: no such file"}},
		{[]string{"data", "ls", "--data", bad}, []string{"is a file; it must be a folder"}},
		{[]string{"query", "last", "?", "advised", "?"}, []string{"exactly one '?'", "query RUN HEAD RELATION '?'"}},
		{[]string{"query", "last", "a", "advised", "b"}, []string{"exactly one '?'"}},
		{[]string{"eval", "last", "--top-l", "0"}, []string{"--top-l must be different sizes from 1, not [0]"}},
		{[]string{"eval", "last", "--top-l", "5,5"}, []string{"--top-l must be different sizes from 1, not [5 5]"}},
		{[]string{"eval", "last", "--fit", "--split", "valid"}, []string{"judge them with --split test"}},
		{[]string{"eval", "last", "--cut", "margin"}, []string{"--cut and --against-cut belong to --against"}},
		{[]string{"eval", "last", "--threads", "-3"}, []string{"--threads must not be negative"}},
		{[]string{"runs", "ls", "--status", "bogus"}, []string{"--status must be one of running, finished, failed, killed"}},
		{[]string{"tracker", "sql", " "}, []string{"the query is empty"}},
		{[]string{"train", "--set", "eval.top_l=[5,5]"}, []string{"eval.top_l has 5 twice"}},
		{[]string{"train", "--set", "=3"}, []string{"--set =3: is not of the form key=value"}},
	} {
		p.fails(exitUsage, c.wants, c.args...)
	}
	p.env = append(p.env, "SPHERELAB_SIMD=foo")
	for _, args := range [][]string{{"train"}, {"version"}, {"eval", "last"}, {"query", "last", "a", "b", "?"}} {
		p.fails(exitUsage, []string{"SPHERELAB_SIMD", "foo"}, args...)
	}
	p.env = p.env[:1]
	p.env = append(p.env, "SPHERELAB_TRAIN_EPOCH=3")
	p.fails(exitUsage, []string{"environment variable SPHERELAB_TRAIN_EPOCH", "SPHERELAB_TRAIN_EPOCHS?"}, "train")
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused command line made the home folder: %v", err)
	}
}

func TestTrainThenAskAndLookBack(t *testing.T) {
	p := newProgram(t)
	config := smallJob(t, 30)
	p.fails(exitFailed, []string{"there are no runs yet", "spherelab train"}, "query", "last", "e00", "plus1", "?")
	stdout, stderr, code := p.run("train", config)
	if code != exitOK {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	for _, want := range []string{"lookup", "SpherE-2D", "head F1", "±", "query last"} {
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
	if err := json.Unmarshal([]byte(p.ok("runs", "show", "last", "--format", "json")), &run); err != nil {
		t.Fatal(err)
	}
	if len(run.RunID) != 32 || run.Status != "FINISHED" || len(run.Digest) != 64 || run.Params["train.epochs"] != "30" ||
		run.Tags["checkpoint_digest"] != run.Digest || !(run.Metrics["loss"] > 0) {
		t.Errorf("runs show: %+v", run)
	}
	rows, err := csv.NewReader(strings.NewReader(p.ok("runs", "ls", "--format", "csv"))).ReadAll()
	if err != nil || len(rows) != 2 || rows[0][0] != "run_id" || rows[1][0] != run.RunID {
		t.Errorf("runs ls: %v, %v", rows, err)
	}
	if got := p.ok("runs", "ls"); !strings.Contains(got, run.RunID[:8]) {
		t.Errorf("runs ls:\n%s", got)
	}
	if got := p.ok("runs", "compare", "last", run.RunID[:6]); !strings.Contains(got, "test/head_f1") {
		t.Errorf("runs compare:\n%s", got)
	}
	if rows, err := csv.NewReader(strings.NewReader(p.ok("runs", "compare", "last", "last", "--format", "csv"))).ReadAll(); err != nil ||
		len(rows) != 3 || rows[0][0] != "run_id" || rows[1][0] != run.RunID {
		t.Errorf("runs compare: %v", err)
	}
	var answers struct {
		Set, Near []struct{ Label string }
		Total     int
	}
	if err := json.Unmarshal([]byte(p.ok("query", "last", "e00", "plus1", "?", "--format", "json")), &answers); err != nil {
		t.Fatal(err)
	}
	if answers.Total != len(answers.Set) || len(answers.Near) != 5 {
		t.Errorf("query: %+v", answers)
	}
	if got := p.ok("query", run.RunID[:8], "?", "plus1", "e00"); !strings.Contains(got, "near misses") || !strings.Contains(got, "slack") {
		t.Errorf("query:\n%s", got)
	}
	p.fails(exitFailed, []string{`has no entity "e0"`, "e00"}, "query", "last", "e0", "plus1", "?")
	p.fails(exitFailed, []string{`has no relation "plus"`, "plus1"}, "query", "last", "e00", "plus", "?")
	if got := p.ok("runs", "ls", "--experiment", "nosuch", "--status", "Killed"); !strings.Contains(got, `no run matches --experiment "nosuch" --status killed`) {
		t.Errorf("runs ls with filters:\n%s", got)
	}
	if got := p.ok("explain", "last", "e00", "plus1", "e01"); !strings.Contains(got, "known fact (train)") || !strings.Contains(got, "radius of the head") {
		t.Errorf("explain:\n%s", got)
	}
	var report struct {
		Cuts []struct {
			Name string
			Head struct{ F1 float64 }
		}
	}
	if err := json.Unmarshal([]byte(p.ok("eval", "last", "--format", "json")), &report); err != nil {
		t.Fatal(err)
	}
	if report.Cuts[0].Name != "sphere" || len(report.Cuts) < 8 {
		t.Errorf("eval: %+v", report.Cuts)
	}
	if got := p.ok("eval", "last", "--criterion", "intersect", "--bootstrap", "0"); !strings.Contains(got, "intersect") {
		t.Errorf("eval:\n%s", got)
	}
	sql := p.ok("tracker", "sql", "select epoch, loss from epoch order by epoch", "--format", "csv")
	if rows, err := csv.NewReader(strings.NewReader(sql)).ReadAll(); err != nil || len(rows) != 31 || rows[30][0] != "30" {
		t.Errorf("sql: %v\n%s", err, sql)
	}
	query := filepath.Join(t.TempDir(), "t.sql")
	if err := os.WriteFile(query, []byte("select count(*) as runs from run_wide"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := p.ok("table", query, "--format", "json"); strings.Join(strings.Fields(got), "") != `[{"runs":1}]` {
		t.Errorf("table of a query: %s", got)
	}
	p.fails(exitFailed, []string{"no finished run"}, "table", "bundled")
	// A name that two runs have means the newer one.
	second := p.start(config, "--set", "train.epochs=2")
	type event struct {
		Event   string
		Metrics map[string]*float64
	}
	var finished event
	for second.events.Scan() {
		finished = event{}
		if err := json.Unmarshal(second.events.Bytes(), &finished); err != nil {
			t.Fatal(err)
		}
	}
	if code := second.end(); code != exitOK || finished.Event != "run_finished" {
		t.Fatalf("exit %d, last event %s\n%s", code, finished.Event, second.stderr)
	}
	var twin struct {
		RunID   string              `json:"run_id"`
		Metrics map[string]*float64 `json:"metrics"`
	}
	if err := json.Unmarshal([]byte(p.ok("runs", "show", "last", "--format", "json")), &twin); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(twin.Metrics, func(key string, _ *float64) bool { return !strings.HasPrefix(key, "test/") })
	if len(twin.Metrics) < 50 || !reflect.DeepEqual(finished.Metrics, twin.Metrics) {
		t.Errorf("run_finished tells %d metrics, logged are %d", len(finished.Metrics), len(twin.Metrics))
	}
	for _, args := range [][]string{{"runs", "show", "circle-sphere-2d-clean"}, {"eval", "circle-sphere-2d-clean", "--bootstrap", "0"},
		{"runs", "compare", "circle-sphere-2d-clean", run.RunID}} {
		stdout, stderr, code := p.run(args...)
		if code != exitOK || !strings.Contains(stderr, "note: circle-sphere-2d-clean is the name of 2 runs; this is the newest, "+twin.RunID[:8]) ||
			!strings.Contains(stdout, twin.RunID[:8]) {
			t.Errorf("spherelab %s: exit %d\n%s\n%s", strings.Join(args, " "), code, stderr, stdout)
		}
	}
	p.ok("runs", "delete", "last")
	p.ok("runs", "delete", "last")
	p.fails(exitFailed, []string{"there are no runs yet"}, "runs", "show", "last")
	p.ok("runs", "restore", run.RunID[:8])
	p.ok("runs", "show", run.RunID)
}

func TestKilledAndInterruptedRunsResumeBitIdentically(t *testing.T) {
	p := newProgram(t)
	// More epochs than fit into the pipe: a program whose events nobody reads cannot come to its end.
	config := smallJob(t, 500)
	p.ok("train", config, "--set", "name=whole")
	digest, _, history := p.shown("whole")
	if len(digest) != 64 || len(history) < 400 {
		t.Fatalf("digest %q, %d points", digest, len(history))
	}

	killed := p.start(config, "--set", "name=killed")
	killed.until(t, 40)
	if err := killed.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed.end()
	again := p.start("--resume", killed.runID[:12], "--threads", "2")
	again.until(t, 90)
	if err := again.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	again.end()
	p.ok("train", "--resume", "killed", "--threads", "3")
	if got, status, points := p.shown("killed"); got != digest || status != "FINISHED" || !maps.Equal(points, history) {
		t.Errorf("after SIGKILL: status %s, digest equal %v, %d points of %d", status, got == digest, len(points), len(history))
	}

	stopped := p.start(config, "--set", "name=stopped")
	stopped.until(t, 30)
	if err := stopped.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := stopped.end(); code != exitInterrupted {
		t.Errorf("exit %d after an interrupt\n%s", code, stopped.stderr)
	}
	for _, want := range []string{"its state is saved", "train --resume " + stopped.runID[:8]} {
		if !strings.Contains(stopped.stderr.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, stopped.stderr)
		}
	}
	if _, status, _ := p.shown("stopped"); status != "KILLED" {
		t.Errorf("status %s after an interrupt", status)
	}
	// timeout(1) sends its signal twice: that is one order to end, and the run is saved.
	doubled := p.start("--resume", "stopped")
	doubled.until(t, 50)
	release := p.lockRuns()
	defer release()
	doubled.signal(t, syscall.SIGTERM)
	doubled.says(t, "saving")
	doubled.signal(t, syscall.SIGTERM)
	time.Sleep(sameOrder / 2)
	release()
	if code := doubled.end(); code != exitInterrupted || !strings.Contains(doubled.stderr.String(), "its state is saved") {
		t.Errorf("exit %d after a doubled signal\n%s", code, doubled.stderr)
	}
	if _, status, _ := p.shown("stopped"); status != "KILLED" {
		t.Errorf("status %s after a doubled signal", status)
	}
	// A second interrupt that comes later is meant.
	twice := p.start("--resume", "stopped")
	twice.until(t, 100)
	release = p.lockRuns()
	defer release()
	twice.signal(t, os.Interrupt)
	twice.says(t, "saving")
	time.Sleep(sameOrder + 200*time.Millisecond)
	twice.signal(t, os.Interrupt)
	if code := twice.end(); code != exitInterrupted {
		t.Errorf("exit %d after two interrupts\n%s", code, twice.stderr)
	}
	release()
	for _, want := range []string{"ended at once", "train --resume " + twice.runID[:8]} {
		if !strings.Contains(twice.stderr.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, twice.stderr)
		}
	}
	if _, status, _ := p.shown("stopped"); status != "KILLED" {
		t.Errorf("status %s after two interrupts", status)
	}
	p.fails(exitUsage, []string{"the run was started with seed = 42"}, "train", "--resume", "stopped", "--set", "seed=1")
	p.ok("train", "--resume", "stopped")
	if got, status, points := p.shown("stopped"); got != digest || status != "FINISHED" || !maps.Equal(points, history) {
		t.Errorf("after interrupts: status %s, digest equal %v, %d points of %d", status, got == digest, len(points), len(history))
	}
}

func TestDivergenceIsToldInOneLine(t *testing.T) {
	p := newProgram(t)
	p.fails(exitFailed, []string{"the loss became", "at epoch ", "step ", "train.learning_rate", "the state after epoch 0 is kept"},
		"train", smallJob(t, 50), "--set", "train.learning_rate=1000", "--set", "train.beta2=1e-9", "--set", "train.adam_epsilon=1e-30")
	if _, status, _ := p.shown("last"); status != "FAILED" {
		t.Errorf("status %s", status)
	}
}

func TestFailedRunsSayHowToGoOn(t *testing.T) {
	p := newProgram(t)
	j := p.start(smallJob(t, 5000))
	j.until(t, 20)
	folders, err := filepath.Glob(filepath.Join(strings.TrimPrefix(p.env[1], "SPHERELAB_HOME="), "artifacts", "*", j.runID))
	if err != nil || len(folders) == 0 {
		folders, err = filepath.Glob(filepath.Join(strings.TrimPrefix(p.env[1], "SPHERELAB_HOME="), "artifacts", j.runID))
	}
	if err != nil || len(folders) != 1 {
		t.Fatalf("the run's artifacts: %q, %v", folders, err)
	}
	// A file in the place of the folder stands for a disk that takes nothing more.
	if err := errors.Join(os.Rename(folders[0], folders[0]+".away"), os.WriteFile(folders[0], nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if code := j.end(); code != exitFailed || !strings.Contains(j.stderr.String(), "cannot save the state") ||
		!strings.HasSuffix(j.stderr.String(), "train --resume "+j.runID[:8]+"\n") {
		t.Errorf("exit %d\n%s", code, j.stderr)
	}
}

func TestSuggestedCommandsAreThoseOfThisProgram(t *testing.T) {
	message := "no run; `spherelab train` makes some, bring it back with: spherelab runs restore x"
	if got, want := called(message, "go run ."), "no run; `go run . train` makes some, bring it back with: go run . runs restore x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := called(message, "spherelab"); got != message {
		t.Errorf("got %q", got)
	}
}

func TestDataListTellsIncompleteFolders(t *testing.T) {
	dir := t.TempDir()
	for name, files := range map[string][]string{"whole": {"train.txt", "valid.txt.gz", "test.tsv"}, "half": {"train.txt", "test.txt"}} {
		for _, file := range files {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, name), 0o755), os.WriteFile(filepath.Join(dir, name, file), nil, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := &program{t, []string{"HOME=" + t.TempDir()}}
	rows, err := csv.NewReader(strings.NewReader(p.ok("data", "ls", "--data", dir, "--format", "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, row := range rows {
		states[row[0]] = row[1]
	}
	if states["whole"] != "here" || states["half"] != "incomplete: no valid" {
		t.Errorf("states %v", states)
	}
}

func TestNowhereToWriteOrLog(t *testing.T) {
	config := smallJob(t, 2)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p := &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + filepath.Join(file, "home")}}
	p.fails(exitFailed, []string{file, "not a directory", "set SPHERELAB_HOME or give --data-dir"}, "train", config)
	p.env = nil
	p.fails(exitFailed, []string{"SPHERELAB_HOME", "--data-dir"}, "train", config)
	p.env = []string{"HOME=" + t.TempDir(), "DATABASE_URL=postgres://nobody:secret@127.0.0.1:1/none?sslmode=disable"}
	_, stderr, code := p.run("train", config)
	if code != exitFailed || !strings.Contains(stderr, "cannot be reached") || strings.Contains(stderr, "secret") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
}

// The first command of a new user: an empty home, no database of their own.
func TestFirstTrainingInAnEmptyHome(t *testing.T) {
	trackertest.Skip(t)
	home, err := os.MkdirTemp("", "sl") // short: a socket lives in it
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t, []string{"HOME=" + home}}
	t.Cleanup(func() { stopPrivateServers(t, home); _ = os.RemoveAll(home) })
	if got := p.ok("train", smallJob(t, 2)); !strings.Contains(got, "SpherE-2D") {
		t.Errorf("train:\n%s", got)
	}
	if got := p.ok("doctor"); strings.Contains(got, "fail") || !strings.Contains(got, "1 run") {
		t.Errorf("doctor:\n%s", got)
	}
	if got := p.ok("tracker", "url"); !strings.HasPrefix(got, "postgresql://") {
		t.Errorf("tracker url: %s", got)
	}
}
