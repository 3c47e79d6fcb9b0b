package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestCompletionOfLabels: what is offered is found. A label of two entities is not; their names are.
func TestCompletionOfLabels(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{"train.txt": "Q1\tknows\tQ2\nQ2\tknows\tQ3\nQ3\tknows\tQ4\n",
		"valid.txt": "Q1\tknows\tQ3\n", "test.txt": "Q2\tknows\tQ4\n",
		"entity_labels.tsv": "Q1\tParis\nQ2\tParis\nQ3\tRome\nQ4\tdouble  space\n"} {
		expect.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	s := New(Options{})
	g := s.Graph(folder)
	words, _ := NewCompleter(s).Words(Literal{Function: "Graph.Find", Operand: "g", Value: g})
	if want := []string{"Q1", "Q2", "Rome", "double  space", "knows"}; !slices.Equal(words, want) {
		t.Errorf("offered %q, want %q", words, want)
	}
	words, _ = NewCompleter(s).Words(Literal{Function: "Run.Expression", Operand: "g", Value: g})
	if want := []string{"Q1", "Q2", "Rome"}; !slices.Equal(words, want) { // an expression makes one space of two
		t.Errorf("in an expression %q, want %q", words, want)
	}
}

// TestCompletionReadsChangedFiles: a file that was written again has other names.
func TestCompletionReadsChangedFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "g.csv")
	c := NewCompleter(New(Options{}))
	at := Literal{Function: "Graph.Facts", Operand: fmt.Sprintf("lab.Graph(%q)", file)}
	for i, relation := range []string{"likes", "knows well"} {
		text := fmt.Sprintf("a,%s,b\nb,%s,c\nc,%s,d\n", relation, relation, relation)
		expect.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		words, _ := c.Words(at)
		again, _ := c.Words(at)
		if !slices.Contains(words, relation) || !slices.Equal(again, words) || len(c.graphs) != i+1 {
			t.Errorf("offered %q, then %q, want %s; %d graphs are kept", words, again, relation, len(c.graphs))
		}
	}
	for i := range 2 * keptModels {
		c.keep(fmt.Sprint(i), &kg.Graph{})
	}
	if len(c.graphs) > keptModels {
		t.Errorf("%d graphs are kept", len(c.graphs))
	}
}
