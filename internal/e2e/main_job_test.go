package e2e

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// The main job as a new user runs it, and everything that README promises of it. Its digits are the same on every
// machine.
func TestMainJobIsAsDocumented(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	trained := p.ok("train")
	table, hidden := p.ok("table", "bundled"), ""
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "This tracker lacks the embedded runs of ") {
			hidden += line
		}
	}
	if !strings.Contains(hidden, "Rotate3D, SpherE-3D") || strings.Contains(hidden, "RotatE") ||
		!strings.Contains(hidden, " runs import` stores them in this tracker") {
		t.Errorf("the runs that hide embedded ones have the note %q", hidden)
	}
	table = strings.Replace(table, hidden, "", 1)
	if !strings.HasPrefix(trained, table) {
		t.Errorf("train ended with another table than `table bundled`:\n%s\n%s", trained, table)
	}
	// What a model adds to the lookup stands next to where it is worse.
	if want := "its sets have .374 of the heads and .527 of the tails (RR at fitted-novel), lookup none"; !strings.Contains(
		trained, want) {
		t.Errorf("train does not print %q:\n%s", want, trained)
	}
	if !strings.Contains(trained, "order by run_name, epoch") {
		t.Errorf("the suggested SQL has no order:\n%s", trained)
	}
	readme, err := os.ReadFile(inRoot("README.md"))
	expect.NoError(t, err)
	_, rest, _ := strings.Cut(string(readme), "<!-- table:bundled -->\n\n```text\n")
	shown, _, closed := strings.Cut(rest, "```\n\n<!-- /table:bundled -->")
	if !closed {
		t.Fatal("README.md has no block of text between the marks table:bundled")
	}
	var want []string
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "runs: ") { // the ids are new in every run
			want = append(want, line)
		}
	}
	if got := slices.Collect(strings.Lines(shown)); !slices.Equal(got, want) {
		for i := range max(len(got), len(want)) {
			g, w := "", ""
			if i < len(got) {
				g = got[i]
			}
			if i < len(want) {
				w = want[i]
			}
			if g != w {
				t.Errorf("line %d of README's table\n%swant, as `table bundled` prints it,\n%s", i+1, g, w)
			}
		}
	}
	if text := p.ok("runs", "compare", "bundled-rotate-clean", "bundled-sphere-2d-clean"); !strings.Contains(text,
		"test/head_f1@fitted-novel") || strings.Contains(text, "test/head_f1 ") {
		t.Errorf("runs of two cuts are not at one:\n%s", text)
	}
	listedAtOneCut(t, p)

	// Whom did Max Born advise? Facts of training, a held-out fact, and inferred answers.
	text := p.ok("query", "last", "Max Born", "advised", "?", "--limit", "0")
	marks := answerMarks(text)
	for name, want := range map[string]string{
		"J. Robert Oppenheimer": "known (train)", "Carl Hermann": "known (train)", "Pascual Jordan": "held out (test)",
		"Max Born": "", "Geoffrey Hinton": "", // the asked entity, and one that is far
	} {
		if marks[name] != want {
			t.Errorf("%s is marked %q, want %q:\n%s", name, marks[name], want, text)
		}
	}
	if strings.Contains(text, "Hinton") {
		t.Errorf("Geoffrey Hinton is near:\n%s", text)
	}
	// Who advised Pascual Jordan? And Born, whose adviser is not in the graph?
	if text := p.ok("query", "last", "?", "advised",
		"Pascual Jordan"); answerMarks(text)["Max Born"] != "held out (test)" {
		t.Errorf("Max Born is not found as Pascual Jordan's adviser:\n%s", text)
	}
	sameInEveryFormat(t, p, "bundled-rotate-clean", "?", "advised", "Max Born")
	sameInEveryFormat(t, p, "last", "Max Born", "advised", "?")
	var fact struct {
		Mark, Verdict string
		Known         bool
	}
	explain := []string{"explain", "last", "Max Born", "advised", "Pascual Jordan"}
	p.json(&fact, explain...)
	if fact.Mark != "held out" || fact.Known || !strings.Contains(p.ok(explain...), fact.Verdict) ||
		!strings.Contains(fact.Verdict, "held-out fact (test)") {
		t.Errorf("explain: %+v", fact)
	}
}

// sameInEveryFormat prints one query as text, JSON and CSV, and compares members and marks.
func sameInEveryFormat(t *testing.T, p *program, query ...string) {
	t.Helper()
	format := func(name string) string {
		return p.ok(append([]string{"query", "--limit", "0", "--format", name}, query...)...)
	}
	text := format("text")
	want := map[string]string{} // without splits
	for label, mark := range answerMarks(text) {
		want[label], _, _ = strings.Cut(mark, " (")
	}
	var answer struct {
		Set []struct {
			Label, Mark   string
			Known, Itself bool
		}
		Total, Known, Inferred int
		HeldOut                int `json:"held_out"`
	}
	expect.NoError(t, json.Unmarshal([]byte(format("json")), &answer))
	if answer.Total == 0 || answer.Total != len(answer.Set) ||
		answer.Total != answer.Known+answer.HeldOut+answer.Inferred {
		t.Errorf("%q: counts %+v", query, answer)
	}
	counts := fmt.Sprintf("%d new answers; %d known answers", answer.Total-answer.Known, answer.Known)
	if answer.HeldOut > 0 {
		counts = fmt.Sprintf("%d new answers: %d held out, %d inferred; %d known answers", answer.Total-answer.Known,
			answer.HeldOut, answer.Inferred, answer.Known)
	}
	if !strings.Contains(text, counts) {
		t.Errorf("%q: no %q in\n%s", query, counts, text)
	}
	got := map[string]string{}
	for _, m := range answer.Set {
		if got[m.Label] = m.Mark; m.Itself {
			got[m.Label] += ", itself"
		}
		if m.Known != (m.Mark == "known") || m.Itself {
			t.Errorf("%q: %+v", query, m)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q: JSON has %v, text has %v", query, got, want)
	}
	lines, err := csv.NewReader(strings.NewReader(format("csv"))).ReadAll()
	expect.NoError(t, err)
	at := func(line []string, column string) string { return line[slices.Index(lines[0], column)] }
	got = map[string]string{}
	for _, line := range lines[1:] {
		if at(line, "in_set") == "true" {
			if got[at(line, "label")] = at(line, "mark"); at(line, "itself") == "true" {
				got[at(line, "label")] += ", itself"
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q: CSV has %v, text has %v", query, got, want)
	}
}

// answerMarks reads the marks of the listed set by label.
func answerMarks(text string) map[string]string {
	marks := map[string]string{}
	text, _, _ = strings.Cut(text, "\nnear misses")
	for line := range strings.Lines(text) {
		before, _, ok := strings.Cut(line, "  slack ")
		if !ok {
			continue
		}
		label, mark, ok := strings.Cut(strings.TrimSpace(before), "  ")
		if ok {
			marks[label] = strings.TrimSpace(mark)
		}
	}
	return marks
}

// listedAtOneCut checks that RotatE, whose own cut is margin, and SpherE-2D, whose own is sphere, are listed at the cut
// of answers that both have, also where the list shows one of them.
func listedAtOneCut(t *testing.T, p *program) {
	t.Helper()
	for _, args := range [][]string{nil, {"--limit", "1"}} {
		list := p.ok(append([]string{"runs", "ls", "--format", "csv"}, args...)...)
		rows, err := csv.NewReader(strings.NewReader(list)).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Fatalf("%v, %v", rows, err)
		}
		head, cut := slices.Index(rows[0], "test/head_f1"), slices.Index(rows[0], "cut")
		for _, row := range rows[1:] {
			var run struct{ Metrics map[string]float64 }
			expect.NoError(t, json.Unmarshal([]byte(p.ok("runs", "show", row[0], "--format", "json")), &run))
			if want := fmt.Sprint(run.Metrics["test/fitted-novel/head_f1"]); row[cut] != "fitted-novel" || row[head] != want ||
				want == "0" || want == fmt.Sprint(run.Metrics["test/head_f1"]) {
				t.Errorf("%q lists %v, want %s at fitted-novel", args, row, want)
			}
		}
	}
	if text := p.ok("runs", "ls"); !strings.Contains(text, "at the cut fitted-novel for all runs") {
		t.Errorf("the list does not name its cut:\n%s", text)
	}
}
