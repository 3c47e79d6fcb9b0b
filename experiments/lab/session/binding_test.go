package session

import (
	"testing"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestBindings: an answer at the end of a path rests on the asked entity's fact and on one of its own, with a
// probability or score of each fact that is not known.
func TestBindings(t *testing.T) {
	t.Parallel()
	r, run := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: 1}, 11)
	q := run.Graph.Train[0].Query(kg.TailSide)
	name, first := run.Graph.Relations.Name(0), ask(r, run, q)
	then := first.Then(name)
	rows, seen := then.Bindings(), map[any]int{}
	for _, row := range rows.values {
		answer, mark, number := row[0], row[4], row[5]
		if seen[answer]++; seen[answer] == 1 && row[1] != run.Graph.Label(q.Known) || (mark == "known") != (number == nil) {
			t.Errorf("row %v", row)
		}
	}
	if len(seen) != then.Len() || len(seen) == 0 || len(rows.columns) != 6 {
		t.Errorf("%d of %d answers have facts; columns %q", len(seen), then.Len(), rows.columns)
	}
	if rows := first.Bindings(); rows.Len() != first.Len() || len(rows.columns) != 5 {
		t.Errorf("the answer to one query has %d facts for %d answers, columns %q", rows.Len(), first.Len(), rows.columns)
	}
}
