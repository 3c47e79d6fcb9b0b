package present

import (
	"testing"

	"github.com/spherelab/spherelab/experiments/results"
)

// TestPaintMarks: a mark has the colour of its kind on a terminal, and only a mark.
func TestPaintMarks(t *testing.T) {
	t.Parallel()
	const plain = "2 answers: 1 known (train)\n\n  Ada  0.5  known (train, valid)\n  Bob  0.4  held out (test)\n  Cy   0.3  inferred, itself  slack +1.000\n"
	const painted = "2 answers: 1 known (train)\n\n  Ada  0.5  \x1b[34mknown (train, valid)\x1b[0m\n" +
		"  Bob  0.4  \x1b[36mheld out (test)\x1b[0m\n  Cy   0.3  \x1b[33minferred, itself\x1b[0m  slack +1.000\n"
	if got := paintMarks(plain, results.Page{Color: true}); got != painted {
		t.Errorf("painted %q", got)
	}
	if got := paintMarks(plain, results.Page{}); got != plain {
		t.Errorf("without colours %q", got)
	}
}
