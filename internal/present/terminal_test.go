package present

import (
	"bytes"
	"testing"

	"github.com/spherelab/spherelab/experiments/results"
)

// TestOf: a pipe has any width and no colours; COLUMNS says another width.
func TestOf(t *testing.T) {
	t.Parallel()
	for columns, want := range map[string]int{"": 0, "x": 0, "-3": 0, "100": 100, "10": narrowest} {
		lookup := func(name string) string { return map[string]string{"COLUMNS": columns}[name] }
		if got := Of(&bytes.Buffer{}, lookup); got != (results.Page{Width: want}) {
			t.Errorf("COLUMNS=%q gives the page %+v, want the width %d", columns, got, want)
		}
	}
}
