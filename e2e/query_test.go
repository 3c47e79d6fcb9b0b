package e2e

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("head\trelation\ttail\ne00\tplus1\t?\n?\tplus2\te05\n")
	var lines []answer
	decoder := json.NewDecoder(strings.NewReader(p.ok("query", "last", "--file", file, "--format", "json")))
	for decoder.More() {
		var a answer
		if err := decoder.Decode(&a); err != nil {
			t.Fatal(err)
		}
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
