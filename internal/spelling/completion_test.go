package spelling_test

import (
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/spelling"
)

// TestCompletions: upper and lower case are alike, the words keep their order, and the list that is searched stays.
func TestCompletions(t *testing.T) {
	t.Parallel()
	words := []string{"Bob", "ada", "Adam", "a", "Adrian"}
	for _, c := range []struct {
		typed string
		n     int
		want  []string
	}{{"AD", 9, []string{"ada", "Adam", "Adrian"}}, {"ad", 2, []string{"ada", "Adam"}}, {"", 1, []string{"Bob"}},
		{"x", 9, nil}, {"ada", 0, nil}} {
		if got := spelling.Completions(words, c.typed, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%q, %d: %q, want %q", c.typed, c.n, got, c.want)
		}
	}
	if !slices.Equal(words, []string{"Bob", "ada", "Adam", "a", "Adrian"}) {
		t.Errorf("the list became %q", words)
	}
}
