package e2e

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// manyQueries uses the other forms of query, and predict, on the newest run of the circle graph, and compares them with
// single queries and explanations.
func manyQueries(t *testing.T, p *program) {
	t.Helper()
	type member struct {
		Label, Mark string
		Slack       float32
	}
	type answer struct {
		Head, Tail string
		Cut        string `json:"cut_name"`
		Set        []member
	}
	var one, top answer
	p.json(&one, "query", "last", "e00", "plus1", "?")
	p.json(&top, "query", "last", "e00", "plus1", "?", "--cut", "top-2")
	if one.Cut != "fitted-novel" || top.Cut != "top-2" || len(top.Set) != 2 {
		t.Errorf("cuts %q and %q with %d answers", one.Cut, top.Cut, len(top.Set))
	}
	const note = "note: cut fitted-novel: thresholds are fitted on 3 validation facts, too few"
	for _, args := range [][]string{{"query", "last", "e00", "plus1", "?"}, {"explain", "last", "e00", "plus1", "e01"},
		{"predict", "last", "--relation", "plus1"}} {
		for _, cut := range [][]string{nil, {"--cut", "fitted-novel"}} {
			if _, stderr, _ := p.run(append(args, cut...)...); strings.Contains(stderr, note) == (cut != nil) {
				t.Errorf("%s %s says of the default cut:\n%s", args[0], cut, stderr)
			}
		}
	}

	file := filepath.Join(t.TempDir(), "queries.tsv")
	write := func(text string) {
		t.Helper()
		expect.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	write("head\trelation\ttail\ne00\tplus1\t?\n?\tplus2\te05\n")
	var lines []answer
	decoder := json.NewDecoder(strings.NewReader(p.ok("query", "last", "--file", file, "--format", "json")))
	for decoder.More() {
		var a answer
		expect.NoError(t, decoder.Decode(&a))
		lines = append(lines, a)
	}
	if len(lines) != 2 || !slices.Equal(lines[0].Set, one.Set) || lines[1].Tail != "e05" {
		t.Errorf("a file of two queries: %+v", lines)
	}
	rows, err := csv.NewReader(strings.NewReader(p.ok("query", "last", "--file", file, "--format", "csv"))).ReadAll()
	if err != nil || !slices.Equal(rows[0][:5], []string{"query", "head", "relation", "tail", "entity"}) ||
		rows[1][0] != "e00 plus1 ?" || rows[1][1] != "e00" || rows[len(rows)-1][3] != "e05" {
		t.Errorf("CSV of a file: %v, %v", rows, err)
	}
	write("e00\tplus1\t?\ne00\tplus9\t?\n")
	p.fails(exitFailed, []string{file + ":2: ", `no relation "plus9"`}, "query", "last", "--file", file)

	write("e00\tplus1\t?\ne00\t?\te01\ne00 > plus1 > plus1\n")
	texts := p.ok("query", "last", "--file", file)
	for _, one := range [][]string{{"e00", "plus1", "?"}, {"e00", "?", "e01"}, {"e00 > plus1 > plus1"}} {
		if alone := p.ok(append([]string{"query", "last"}, one...)...); !strings.Contains(texts, alone) {
			t.Errorf("a file of questions lacks the text of %q:\n%s\nwant\n%s", one, texts, alone)
		}
	}

	var path struct{ Set []member }
	p.json(&path, "query", "last", "e00 > plus1")
	for i := range one.Set {
		if path.Set[i].Label != one.Set[i].Label || path.Set[i].Mark != one.Set[i].Mark || path.Set[i].Slack != 0 {
			t.Errorf("a path of one hop has %+v, the query %+v", path.Set[i], one.Set[i])
		}
	}
	if got := p.ok("query", "last", "(e00 > plus1 or e00 > plus2) < plus1 minus e00 > plus1"); !strings.Contains(got,
		"but not (e00 plus1 ?)") {
		t.Errorf("an expression:\n%s", got)
	}
	p.fails(exitFailed, []string{`character 7: `, `no relation "plus9"`}, "query", "last", "e00 > plus9")

	manyFacts(t, p)
}

// manyFacts compares the relations between two entities, and predictions, with explanations.
func manyFacts(t *testing.T, p *program) {
	t.Helper()
	type fact struct {
		Head, Relation, Tail, Mark string
		Probability                *float64
		InSet                      bool `json:"in_set"`
	}
	var predicted []fact
	var relations struct{ Facts []fact }
	p.json(&relations, "query", "last", "e00", "?", "e01")
	p.json(&predicted, "predict", "last", "--relation", "plus3", "--top", "4")
	between := relations.Facts
	if len(between) != 3 || len(predicted) == 0 {
		t.Fatalf("%d relations, %d new facts", len(between), len(predicted))
	}
	for _, f := range append(between, predicted...) {
		type side struct {
			InSet bool `json:"in_set"`
		}
		var x struct {
			Mark        string
			Probability *float64
			AsTail      side `json:"as_tail"`
			AsHead      side `json:"as_head"`
		}
		p.json(&x, "explain", "last", f.Head, f.Relation, f.Tail)
		same := (f.Probability == nil) == (x.Probability == nil) &&
			(f.Probability == nil || *f.Probability == *x.Probability)
		if x.Mark != f.Mark || !same || f.InSet != (x.AsTail.InSet || x.AsHead.InSet) {
			t.Errorf("%+v is explained as %+v", f, x)
		}
	}
	for _, f := range predicted {
		if f.Mark == "known" || !f.InSet {
			t.Errorf("predicted: %+v", f)
		}
	}
}

// TestAskAFile: a question to a file of triples makes a run once, and says which run answers.
func TestAskAFile(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	file := filepath.Join(t.TempDir(), "family.csv")
	var b strings.Builder
	for i := range 300 { // a tree with three children each, said in both directions
		fmt.Fprintf(&b, "p%d,child_of,p%d\np%d,parent_of,p%d\n", i+1, i/3, i/3, i+1)
	}
	expect.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	ask := func(want string) {
		t.Helper()
		stdout, stderr, code := p.run("query", file, "p7", "parent_of", "?")
		if code != 0 || !strings.Contains(stdout, "p22") || !strings.Contains(stderr, want) {
			t.Errorf("code %d\n%s\n%s\nwant %s", code, stdout, stderr, want)
		}
	}
	ask("data get ultra-50g` fetches it")
	ask("the best of 3 runs on this graph by MRR on validation facts")
	if list := p.ok("runs", "ls"); strings.Count(list, "family") < 3 {
		t.Error(list)
	}
	stdout, stderr, code := p.run("train", file, "--set", "train.epochs=20", "--budget", "5m")
	for _, want := range []string{"ComplEx + trees", "Is family-best worth using?", "heads: lookup alone has union F1",
		"(family-best), whose numbers these are\nanswers:  run ", "trained again on all 600 facts", "query last "} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("code %d, no %q\n%s", code, want, stdout)
		}
	}
	for _, want := range []string{"family: Neighbours, Rules, Inductive, SpherE-2D, ComplEx and their stack, then the same again on all facts",
		"(budget 5m)", "data get ultra-50g` fetches it", "1 of 12: Neighbours: done already", "12 of 12: their stack on all facts: training"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q\n%s", want, stderr)
		}
	}
	ask("its model trained again on all facts, answers in its place")
	for _, args := range [][]string{{"eval", "last"}, {"runs", "calibration", "last"},
		{"eval", "family-best", "--against", "last"}, {"eval", "last", "--queries", "-"}} {
		p.fails(1, []string{"(family-best-refit) was trained on all facts, so none is left to measure it; run "}, args...)
	}
	if out := p.ok("eval", file, "--cut", "expected-novel"); !strings.Contains(out, "expected-novel") {
		t.Error(out)
	}
	if out := p.ok("reproduce", "last"); !strings.Contains(out, "the same checkpoint digest") {
		t.Error(out)
	}
	p.ok("train", "bundled", "rotate", "--set", "train.epochs=1")
	if next := p.ok("train", file, "--set", "train.epochs=20", "--budget", "5m"); strings.Contains(next, "query last") ||
		!strings.Contains(next, "spherelab query ") {
		t.Errorf("what is next asks a run on another graph\n%s", next)
	}
	var last struct{ Event, Run_name, Measured string }
	lines := strings.Split(strings.TrimSpace(p.ok("train", file, "--set", "train.epochs=20", "--budget", "5m", "--json")), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Event != "best" ||
		last.Run_name != "family-best-refit" || last.Measured == "" {
		t.Errorf("the last line is %s, %v", lines[len(lines)-1], err)
	}
	if _, stderr, code := p.run("query", file, "nobody", "parent_of", "?"); code == 0 || strings.Contains(stderr, "answers") {
		t.Errorf("code %d, a name that is not there: %s", code, stderr)
	}
	p.fails(2, []string{"--hours ends the training of one model"}, "train", file, "--hours", "1")
	p.fails(2, []string{"--budget is for a stack: eval.final is false"}, "train", file, "--budget", "2m", "--set",
		"eval.final=false")
	for _, flag := range []string{"--budget=2m", "--refit", "--measured"} {
		p.fails(2, []string{" is about the best models for a graph, and one is chosen"}, "train", "bundled/rotate", flag)
	}
	p.fails(2, []string{"--measured leaves out what --refit makes"}, "train", file, "--refit", "--measured")
	p.fails(2, []string{"--refit is for a stack: eval.final is false"}, "train", file, "--refit", "--set", "eval.final=false")
	p.fails(2, []string{"--budget must be a time such as 90s"}, "train", file, "--budget", "soon")
	if _, stderr, code := p.run("predict", file+"x", "--relation", "parent_of"); code == 0 ||
		!strings.Contains(stderr, "family.csvx") {
		t.Errorf("code %d, %s", code, stderr)
	}
}
