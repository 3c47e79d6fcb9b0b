package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/multihop"
)

// TestEvalQueries draws questions by type and measures the answers for a graph without a run. A file that is wrong is
// refused before a run is made.
func TestEvalQueries(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	drawn := p.ok("data", "queries", "bundled", "--types", "2in,2i", "--number", "3", "--seed", "7")
	if n := strings.Count(drawn, "\n"); n != 6 || strings.Count(drawn, " minus ") != 3 {
		t.Fatalf("%d questions, %q", n, drawn)
	}
	good, bad := filepath.Join(t.TempDir(), "good.txt"), filepath.Join(t.TempDir(), "bad.txt")
	for file, text := range map[string]string{good: drawn, bad: drawn + "Max Born > advise\n"} {
		expect.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	for file, want := range map[string]string{bad: "bad.txt:7: character 12", filepath.Join(t.TempDir(), "none"): "no such file"} {
		_, stderr, code := p.run("eval", "bundled", "--queries", file)
		if code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("code %d, no %q\n%s", code, want, stderr)
		}
	}
	if list := p.ok("runs", "ls"); strings.Contains(list, "bundled") {
		t.Errorf("a run was made for a file that is refused\n%s", list)
	}
	table := p.ok("eval", "bundled", "--queries", good)
	for _, want := range []string{"2i ", "2in ", "mean with negation", "join F1"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q\n%s", want, table)
		}
	}
	var report multihop.Report
	text, stderr, code := p.run("eval", "bundled", "--queries", good, "--cut", "expected-novel", "--format", "json")
	if err := json.Unmarshal([]byte(text), &report); err != nil || code != 0 {
		t.Fatalf("code %d, %v\n%s%s", code, err, text, stderr)
	}
	if len(report.Types) != 2 || report.Types[0].Type != "2i" || report.Types[1].Questions != 3 || report.Negated == nil {
		t.Errorf("the report is %+v", report)
	}
}

// TestEvalFacts: the facts of a file are ranked by a run on all facts and by one of another model, and what is known or
// has other names is left out and counted. Without the file the first is refused, with this way to measure it.
func TestEvalFacts(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	var graph, hidden strings.Builder
	for i := range 40 {
		for _, step := range []int{1, 2, 5} {
			to := &graph
			if step == 2 && i%10 == 3 {
				to = &hidden
			}
			fmt.Fprintf(to, "n%d,plus%d,n%d\n", i, step, (i+step)%40)
		}
	}
	folder := t.TempDir()
	data, facts := filepath.Join(folder, "circle.csv"), filepath.Join(folder, "hidden.csv")
	hidden.WriteString("n0,plus1,n1\nn0,plus1,nobody\nn0,minus,n1\n")
	expect.NoError(t, os.WriteFile(data, []byte(graph.String()), 0o600))
	expect.NoError(t, os.WriteFile(facts, []byte(hidden.String()), 0o600))
	p.ok("train", data, "rules", "--set", "split.whole=true", "--set", "name=whole")
	p.ok("train", data, "frequency", "--set", "split.whole=true", "--set", "name=often")
	_, stderr, code := p.run("eval", "whole")
	if code == 0 || !strings.Contains(stderr, "--facts FILE` measures this one") {
		t.Errorf("code %d\n%s", code, stderr)
	}
	var report answer.HiddenReport
	text := p.ok("eval", "whole", "--facts", facts, "--against", "often", "--format", "json")
	expect.NoError(t, json.Unmarshal([]byte(text), &report))
	if report.Facts != 4 || len(report.Left) != 3 || len(report.Scores) != 3 {
		t.Fatalf("the report is %s", text)
	}
	for _, s := range report.Scores {
		if s.MRR < .5 || s.Against == nil || s.Against.Interval.Low <= 0 || s.Against.B > .3 || s.Hits10 != 1 {
			t.Errorf("rules and frequency: %+v, %+v", s, s.Against)
		}
	}
	table := p.ok("eval", "whole", "--facts", facts, "--side", "tail")
	for _, want := range []string{"tail      4", "3 facts are left out: 1 with an unknown entity (n0 plus1 nobody); " +
		"1 with an unknown relation (n0 minus n1); 1 already in training (n0 plus1 n1)."} {
		if !strings.Contains(table, want) || strings.Contains(table, "head ") {
			t.Errorf("no %q\n%s", want, table)
		}
	}
	if csv := p.ok("eval", "whole", "--facts", facts, "--format", "csv"); strings.Count(csv, "\n") != 4 ||
		!strings.HasPrefix(csv, "side,facts,mrr,low,high,hits_1,hits_3,hits_10\nhead,4,") {
		t.Errorf("csv is\n%s", csv)
	}
}

// TestTypesOfARun: answers among types say so in text and JSON, and a note says where the types of a file have changed
// since the training.
func TestTypesOfARun(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	folder := t.TempDir()
	data, types := filepath.Join(folder, "own.csv"), filepath.Join(folder, "types.tsv")
	expect.NoError(t, os.WriteFile(data, []byte("Ann,likes,Bob\nAnn,likes,Eve\nBob,visits,Rome\nEve,visits,Oslo\n"), 0o600))
	write := func(text string) { expect.NoError(t, os.WriteFile(types, []byte(text), 0o600)) }
	write("Bob\tperson\nEve\tperson\nAnn\tperson\nRome\tcity\n")
	p.ok("train", data, "neighbours", "--set", "name=typed")
	for _, want := range []string{"", "have changed since the run was made"} {
		text, stderr, code := p.run("query", "typed", "Bob", "likes", "?", "--types", "--cut", "top-5")
		if code != 0 || !strings.Contains(text, "cut top-5 among the entities of a type that training has there") ||
			strings.Contains(text, "Rome") || strings.Contains(stderr, "types") != (want != "") ||
			!strings.Contains(stderr, want) {
			t.Errorf("want %q: code %d\n%s%s", want, code, text, stderr)
		}
		write("Bob\tperson\nEve\tfriend\nAnn\tperson\nRome\tcity\n")
	}
	if text := p.ok("query", "typed", "Bob", "likes", "?", "--seen", "--format", "json"); !strings.Contains(text,
		`"among": "seen"`) {
		t.Errorf("JSON is %s", text)
	}
}
