package eval

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/spherE/kg"
)

// TestWorthOf: the numbers are those of the report and of Compare; a set of everything lowers what lookup gives, and
// one that holds the held-out facts adds to it.
func TestWorthOf(t *testing.T) {
	t.Parallel()
	ctx, g := context.Background(), randomFacts(rand.New(rand.NewPCG(7, 9)), 60, 5, 0).graph(t)
	m := &fake{g: g, levels: 1 << 20, gamma: 3, salt: 5}
	r := mustRun(t, m, g, Settings{Cuts: []Cut{Criterion(""), Top(60), Top(1)}, KeepRecords: true})
	for cut, want := range map[string]string{"top-60": Lowers, LookupName: Unclear} {
		all, err := WorthOf(ctx, r, cut, CompareSettings{Seed: 4, Resamples: 300})
		if err != nil || len(all) != 2 || all[0].Side != kg.HeadSide || all[1].Side != kg.TailSide {
			t.Fatalf("%s: %+v, %v", cut, all, err)
		}
		of, _ := r.Cut(cut)
		lookup, _ := r.Cut(LookupName)
		if all[0].With != of.Head.UnionF1 || all[1].With != of.Tail.UnionF1 || all[0].Lookup != lookup.Head.UnionF1 ||
			all[1].Lookup != lookup.Tail.UnionF1 {
			t.Errorf("%s: %+v", cut, all)
		}
		for _, w := range all {
			if w.Verdict() != want || !strings.HasSuffix(w.String(), want) || w.Difference.Low > w.With-w.Lookup ||
				w.Difference.High < w.With-w.Lookup {
				t.Errorf("%s", w)
			}
		}
	}
	oracle := mustRun(t, &knows{fake: m}, g, Settings{Cuts: []Cut{Criterion("")}, KeepRecords: true})
	all, err := WorthOf(ctx, oracle, oracle.Primary, CompareSettings{})
	if err != nil || len(all) != 2 || all[0].Verdict() != Adds || all[1].Verdict() != Adds || all[0].With != 1 {
		t.Errorf("of the held-out facts: %+v, %v", all, err)
	}
	mirrored := Worth{Difference: Interval{Low: math.Copysign(0, -1), High: .2}}
	if mirrored.Verdict() != Unclear {
		t.Errorf("an interval that touches 0: %s", mirrored.Verdict())
	}
	if !slices.Contains(ExpectedNames(), ExpectedUnion) {
		t.Errorf("%s is none of %v", ExpectedUnion, ExpectedNames())
	}
	if _, err := WorthOf(ctx, r, "top-3", CompareSettings{}); err == nil {
		t.Error("a cut that was not measured is compared")
	}
}

// knows is a model that retrieves what any split holds.
type knows struct{ *fake }

func (k *knows) Distances(queries []kg.Query, dst []float32) {
	n := k.Entities()
	for i, q := range queries {
		for e := range n {
			dst[i*n+e] = 1000
		}
		for _, a := range k.g.Index().Answers(q) {
			dst[i*n+int(a)] = 0
		}
	}
}

func (k *knows) DistancesAt(q kg.Query, entities []int32, dst []float32) { listed(k, q, entities, dst) }
