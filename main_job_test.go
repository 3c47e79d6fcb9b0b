package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// The main job as a new user runs it, and everything that README promises of it. Its digits are the same on every
// machine.
func TestMainJobIsAsDocumented(t *testing.T) {
	p := newProgram(t)
	trained := p.ok("train")
	table := p.ok("table", "bundled")
	if !strings.HasPrefix(trained, table) {
		t.Errorf("train ended with another table than `table bundled`:\n%s\n%s", trained, table)
	}
	if !strings.Contains(trained, "order by run_name, epoch") {
		t.Errorf("the suggested SQL has no order:\n%s", trained)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
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
	p.ok("runs", "compare", "bundled-rotate-clean", "bundled-sphere-2d-clean")

	// Whom did Max Born advise? Facts of training, one of the test split that the model never saw, and the model's own.
	text := p.ok("query", "last", "Max Born", "advised", "?", "--limit", "0")
	marks := answerMarks(text)
	for name, want := range map[string]string{
		"J. Robert Oppenheimer": "known (train)", "Carl Hermann": "known (train)", "Pascual Jordan": "inferred, true (test)",
		"Max Born": "inferred, itself", "Geoffrey Hinton": "",
	} {
		if marks[name] != want {
			t.Errorf("%s is marked %q, want %q:\n%s", name, marks[name], want, text)
		}
	}
	if strings.Contains(text, "Hinton") {
		t.Errorf("Geoffrey Hinton is near:\n%s", text)
	}
	// Who advised Pascual Jordan, and Born himself, of whose adviser the graph says nothing?
	if text := p.ok("query", "last", "?", "advised", "Pascual Jordan"); answerMarks(text)["Max Born"] != "inferred, true (test)" {
		t.Errorf("Max Born is not found as Pascual Jordan's adviser:\n%s", text)
	}
	var answers struct {
		Set []struct {
			Label  string
			Known  bool
			Itself bool
		}
		Total, Known, Inferred int
	}
	if err := json.Unmarshal([]byte(p.ok("query", "bundled-rotate-clean", "?", "advised", "Max Born", "--format", "json")), &answers); err != nil {
		t.Fatal(err)
	}
	if answers.Total == 0 || answers.Total != len(answers.Set) || answers.Total != answers.Known+answers.Inferred {
		t.Errorf("? advised Max Born: %+v", answers)
	}
	for _, answer := range answers.Set {
		if answer.Itself != (answer.Label == "Max Born") {
			t.Errorf("%s: itself is %v", answer.Label, answer.Itself)
		}
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
