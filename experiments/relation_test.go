package experiments

import (
	"context"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestRelationsAreLogged: a run with fitted thresholds stores what its report says of each relation and side.
func TestRelationsAreLogged(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	cfg := runtest.SmallConfig(runtest.CircleGraph(t, 30))
	cfg.Eval.Fit = true
	result, err := (&Runner{Tracker: tr}).Train(ctx, runtest.Checked(t, cfg))
	expect.NoError(t, err)
	stored, err := tr.Relations(ctx, result.RunID)
	expect.NoError(t, err)
	cuts := append(eval.FittedNames(), result.Report.Primary, "lookup")
	rows := 0
	for _, name := range cuts {
		cut, ok := result.Report.Cut(name)
		if !ok {
			t.Fatalf("no cut %s is measured", name)
		}
		for _, g := range cut.Relations {
			for side, s := range map[string]eval.Scores{"head": g.Head, "tail": g.Tail} {
				rows++
				found := false
				for _, r := range stored {
					if r.Cut != name || r.Relation != g.Name || r.Side != side {
						continue
					}
					found = true
					if r.Category != g.Category || (eval.Scores{Triples: int(r.Triples), Queries: int(r.Queries),
						F1: r.F1, Precision: r.Precision, Recall: r.Recall, RR: r.RR, Size: r.Size, QueryF1: r.QueryF1,
						NovelF1: r.NovelF1, UnionF1: r.UnionF1, NovelTriples: int(r.NovelTriples)}) != s {
						t.Errorf("stored %+v, measured %+v", r, s)
					}
				}
				if !found {
					t.Errorf("no result of %s, side %s, at cut %s is stored", g.Name, side, name)
				}
			}
		}
	}
	if rows != len(stored) || rows < 2*len(cuts) {
		t.Errorf("%d results are stored, %d measured at the cuts %v", len(stored), rows, slices.Sorted(slices.Values(cuts)))
	}
}
