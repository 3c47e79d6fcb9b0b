package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// unzipped is the text of a compressed file.
func unzipped(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	expect.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(raw))
	expect.NoError(t, err)
	text, err := io.ReadAll(z)
	expect.NoError(t, err)
	return string(text)
}

// TestRunsTravel takes a run from one tracker to another by files, and compares what both return.
func TestRunsTravel(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	config := smallJob(t, 3)
	p.fails(exitFailed, []string{"there are no finished runs to export"}, "runs", "export")
	p.ok("train", config)
	folder := t.TempDir()
	file := strings.TrimSpace(p.ok("runs", "export", "--out", folder))
	if filepath.Dir(file) != folder || !strings.HasSuffix(file, ".jsonl.gz") {
		t.Fatalf("exported to %q", file)
	}
	named := filepath.Join(folder, "again.jsonl.gz")
	p.ok("runs", "export", "last", "--out", named)
	first, err := os.ReadFile(file)
	expect.NoError(t, err)
	second, err := os.ReadFile(named)
	if err != nil || string(first) != string(second) {
		t.Errorf("two exports of one run differ: %v", err)
	}
	brief := filepath.Join(t.TempDir(), "brief.jsonl.gz")
	p.ok("runs", "export", "last", "--brief", "--out", brief)
	whole, short := unzipped(t, named), unzipped(t, brief)
	if !strings.Contains(whole, `{"kind":"relation"`) || strings.Contains(short, `{"kind":"relation"`) ||
		!strings.Contains(short, "test/head_f1") {
		t.Errorf("export --brief:\n%s", short)
	}
	if _, stderr, code := p.run("runs", "import", brief); code != exitOK || !strings.Contains(stderr, "skipped") {
		t.Errorf("import of the brief export: exit %d, %s", code, stderr)
	}
	p.fails(exitUsage, []string{"nowhere.jsonl.gz: no such file"}, "runs", "import", "nowhere.jsonl.gz")
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "bad.jsonl.gz"), []byte("this is not what was exported"),
		0o644))
	p.fails(exitFailed, []string{"bad.jsonl.gz is not an exported run"}, "runs", "import", file,
		filepath.Join(folder, "bad.jsonl.gz"))

	other := newProgram(t)
	if out := other.ok("runs", "import", file); !strings.HasPrefix(out, "imported ") {
		t.Errorf("import said %q", out)
	}
	if _, stderr, code := other.run("runs", "import", file); code != exitOK ||
		!strings.Contains(stderr, "is in the tracker already; skipped") {
		t.Errorf("second import: exit %d, %s", code, stderr)
	}
	p.fails(exitFailed, []string{"bad.jsonl.gz is not an exported run"}, "runs", "import", folder)
	p.fails(exitFailed, []string{"has no exported runs: no file in it ends in .jsonl.gz"}, "runs", "import", t.TempDir())
	expect.NoError(t, os.Remove(filepath.Join(folder, "bad.jsonl.gz")))
	third := newProgram(t)
	if out, stderr, _ := third.run("runs", "import", folder); strings.Count(out, "imported ") != 1 ||
		strings.Count(stderr, "skipped") != 1 { // the folder has the run twice
		t.Errorf("import of a folder said %q and %q", out, stderr)
	}
	digest, status, history := p.shown("last")
	if d, s, h := other.shown("last"); d != digest || s != status || fmt.Sprint(h) != fmt.Sprint(history) ||
		len(h) < 50 {
		t.Errorf("the imported run has digest %s, status %s and %d values; want %s, %s and %d", d, s, len(h), digest,
			status, len(history))
	}
	other.fails(exitFailed, []string{"are the same run"}, "runs", "verify", "last", named)
	p.fails(exitFailed, []string{"are the same run"}, "runs", "verify", "last", "last")
	p.ok("train", config)
	again, _, _ := p.shown("last")
	if out := p.ok("runs", "verify", "last", named); again != digest ||
		!strings.Contains(out, "the same checkpoint digest: "+digest) {
		t.Errorf("the same training again: verify said %q", out)
	}
	p.fails(exitFailed, []string{"no embedded result has the config, seed, graph"}, "runs", "verify", "last")
	p.ok("train", config, "--set", "seed=5")
	out, stderr, code := p.run("runs", "verify", "last", file)
	if code != exitFailed || !strings.Contains(stderr, "spherelab: the runs differ in ") {
		t.Errorf("verifying another seed: exit %d, %s", code, stderr)
	}
	for _, want := range []string{`param seed: "5" and "42"`, "checkpoint digest: ", "loss at step 1: ", "... and "} {
		if !strings.Contains(out, want) {
			t.Errorf("verifying another seed: no %q in\n%s", want, out)
		}
	}
	other.fails(exitFailed, []string{"was imported without its checkpoint"}, "query", "last", "e00", "plus1", "?")
	// Another process trains the imported run again from its tracker alone, on the plain path and with other threads.
	other.fails(exitFailed, []string{`cannot be reproduced: data set "circle" was not found`}, "reproduce", "last")
	other.env = append(other.env, "SPHERELAB_SIMD=go")
	graphs := filepath.Dir(filepath.Dir(config))
	if out := other.ok("reproduce", "last", "--threads", "2", "--data", graphs); !strings.Contains(out, "equal, bit for bit: ") ||
		!strings.Contains(out, "the same checkpoint digest: "+digest) {
		t.Errorf("reproduce said %q", out)
	}
	other.fails(exitFailed, []string{"no run"}, "reproduce", "nothing")
}

// TestTablesOfAnEmptyTracker: the paper's tables are there, with what is missing shown as missing or taken from the
// embedded results, in every format.
func TestTablesOfAnEmptyTracker(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	for _, name := range []string{"fb15k-237", "wn18rr", "umls", "bundled", "datasets", "patterns", "dimension",
		"radius"} {
		formats := []string{"text", "json"}
		if name == "umls" || name == "patterns" { // one table of each of the two kinds in every format
			formats = []string{"text", "markdown", "latex", "csv", "html", "json"}
		}
		for _, format := range formats {
			out := p.ok("table", name, "--format", format)
			if format == "json" {
				var rows []map[string]any
				if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) < 3 {
					t.Errorf("table %s: %d rows, %v", name, len(rows), err)
				}
				continue
			}
			want := map[string]string{"fb15k-237": ".451", "wn18rr": ".712", "datasets": "20,446",
				"umls": "SpherE-2D + ComplEx", "bundled": "DistMult",
				"patterns": "NC composition", "dimension": "SpherE-10D", "radius": "Royal Society"}[name]
			if format == "csv" && name == "patterns" {
				want = "pattern-nc-composition,SpherE-3D,clean,sphere,true,5,5,"
			}
			if !strings.Contains(out, want) {
				t.Errorf("table %s --format %s lacks %s:\n%s", name, format, want, out)
			}
		}
	}
	query := filepath.Join(t.TempDir(), "my.sql")
	expect.NoError(t, os.WriteFile(query, []byte("select 6 * 7 as answer"), 0o644))
	if out := p.ok("table", query, "--format", "csv"); out != "answer\n42\n" {
		t.Errorf("table of a SQL file: %q", out)
	}
	p.fails(exitUsage, []string{"--variant", "released, paper, clean"}, "table", "wn18rr", "--variant", "clear")
	picture := filepath.Join(t.TempDir(), "radius.svg")
	if out := p.ok("runs", "radius", "bundled-sphere-2d-paper", "--top", "2", "--chart", picture, "--format",
		"csv"); !strings.Contains(out, "largest,United States,,176,1.37") || strings.Count(out, "\n") != 5 {
		t.Errorf("radii of an embedded run:\n%s", out)
	}
	if svg, err := os.ReadFile(picture); err != nil || !strings.Contains(string(svg), "triples of the entity") {
		t.Errorf("the figure: %v", err)
	}
	if out := p.ok("runs", "radius", "bundled-sphere-2d-paper"); !strings.Contains(out, "rank correlation over") ||
		!strings.Contains(out, "551 with a radius below 0") {
		t.Errorf("radii as text:\n%s", out)
	}
	p.fails(exitFailed, []string{"there are no runs yet"}, "runs", "radius", "nosuchrun")
	p.fails(exitUsage, []string{"--top must be a whole number from 1"}, "runs", "radius", "last", "--top", "0")
	p.fails(exitUsage, []string{"--full has no effect on the table ablation"}, "table", "ablation", "--full")
	p.fails(exitUsage, []string{"--variant has no effect on the table datasets"}, "table", "datasets", "--variant",
		"clean")
}

func TestInterruptedSweepGoesOn(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	config := smallJob(t, 2000)
	file := filepath.Join(filepath.Dir(config), "sweep.yaml")
	expect.NoError(t, os.WriteFile(file, []byte("runs:\n  - config: job.yaml\n    seeds: [1, 2]\n"), 0o644))
	p.fails(exitUsage, []string{"cannot read sweep nowhere.yaml"}, "sweep", "nowhere.yaml")
	p.fails(exitUsage, []string{"sweep: got 0 arguments, needs 1"}, "sweep")
	export := t.TempDir()
	cmd := p.command("sweep", file, "--export", export)
	j := &job{cmd: cmd, stderr: &trackertest.Output{}}
	cmd.Stderr = j.stderr
	expect.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // already gone unless the test failed
	j.says(t, "epoch    1/2000")
	j.signal(t, os.Interrupt)
	_ = cmd.Wait() // the code says it all
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted ||
		!strings.Contains(j.stderr.String(), "the same sweep continues from here") {
		t.Fatalf("exit %d\n%s", code, j.stderr)
	}
	if out := p.ok("sweep", "status", file); !strings.Contains(out, "0 of 2 done, 1 started, 1 missing") {
		t.Errorf("status of the interrupted sweep:\n%s", out)
	}
	_, stderr, code := p.run("sweep", file, "--export", export)
	if code != exitOK || !strings.Contains(stderr, "sweep sweep.yaml: 2 runs on 1 graph, 4000 epochs in all") || !strings.Contains(stderr, "seed 1: resuming run") ||
		!strings.Contains(stderr, "seed 2: training") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
	if files, _ := filepath.Glob(filepath.Join(export, "*.jsonl.gz")); len(files) != 2 {
		t.Errorf("exported %v", files)
	}
	if out := p.ok("sweep", "status"); !strings.Contains(out, "no graph") || !strings.Contains(out, "0 of 10 done") {
		t.Errorf("status of the paper's sweep without its graphs:\n%s", out)
	}
}

// TestSearchFindsAConfig: a search ends with a ranking and a config that trains, and says of itself how far it is.
func TestSearchFindsAConfig(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	config := smallJob(t, 4)
	file := filepath.Join(filepath.Dir(config), "find.yaml")
	text := "search:\n  config: job.yaml\n  set: [eval.every=2]\n  trials: 4\n  rungs: [2]\n  space:\n    gamma: [2, 4, 8, 12]\n"
	expect.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	best := filepath.Join(filepath.Dir(config), "best.yaml")
	p.fails(exitUsage, []string{"--export is for a list of runs"}, "sweep", file, "--export", "x")
	if out := p.ok("sweep", "status", file); !strings.Contains(out, "0 of 4 trials have a score") {
		t.Errorf("status before the search:\n%s", out)
	}
	out, stderr, code := p.run("sweep", file, "--best", best)
	if code != exitOK || !strings.Contains(out, "The best config is in "+best) ||
		!strings.Contains(stderr, "4 trials of job.yaml by tpe, judged by valid/mrr; one in 3 continues after epoch 2") {
		t.Fatalf("exit %d\n%s\n%s", code, out, stderr)
	}
	if rows := p.csv("sweep", "status", file); len(rows) != 5 || rows[1][len(rows[1])-2] != "4" ||
		rows[4][len(rows[4])-2] != "2" {
		t.Errorf("ranking %v", rows)
	}
	p.ok("train", best)
}
