package retrieve

import (
	"context"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// twinFact is a fact by Explain, which looks at one triple at a time.
func twinFact(t *testing.T, r *Retriever, f kg.Triple, sides ...kg.Side) Fact {
	t.Helper()
	x, err := r.Explain(context.Background(), f)
	expect.NoError(t, err)
	var list []Fact
	for _, side := range sides {
		p := x.AsTail
		if side == kg.HeadSide {
			p = x.AsHead
		}
		q := f.Query(side)
		values := make([]float32, r.graph.Entities.Len())
		dist := make([]float32, len(values))
		r.model.Distances([]kg.Query{q}, dist)
		gamma := r.model.Values(sphere.CriterionMargin, q, dist, values)
		list = append(list, Fact{Triple: f, Head: x.Head, Relation: x.Relation, Tail: x.Tail, Side: side.String(),
			InSet: p.InSet, Score: gamma - values[f.Answer(side)]})
	}
	slices.SortFunc(list, func(a, b Fact) int { return compareFacts(&a, &b) })
	best := list[0]
	if other := list[len(list)-1]; other.InSet && !best.InSet {
		best = other
	}
	best.Mark, best.Splits = r.member(f, best.InSet), x.Splits
	best.Known = best.Mark == Known
	return best
}

func equalFacts(a, b []Fact) bool {
	return slices.EqualFunc(a, b, func(x, y Fact) bool {
		sx, sy := x.Splits, y.Splits
		x.Splits, y.Splits = nil, nil
		return slices.Equal(sx, sy) && x.Triple == y.Triple && x.Head == y.Head && x.Relation == y.Relation &&
			x.Tail == y.Tail &&
			x.Side == y.Side && x.Score == y.Score && x.InSet == y.InSet && x.Mark == y.Mark &&
			x.Known == y.Known
	})
}

// TestFacts compares Predict and Between with every triple explained on its own.
func TestFacts(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := smallModel(t, g, sphere.Settings{Dimension: 2, Gamma: 2})
	n := int32(g.Entities.Len())
	found, leftOut := 0, map[Ends]int{}
	for _, o := range []Options{{Criterion: sphere.CriterionMargin}, {Slack: .3}, {Slack: -3},
		{Size: func(kg.Query) int { return 3 }}} {
		r := mustNew(t, m, g, o)
		for relation := range int32(g.Relations.Len()) {
			for _, sides := range [][]kg.Side{{kg.TailSide, kg.HeadSide}, {kg.HeadSide}, {kg.TailSide}} {
				found += comparePredictions(t, r, g, relation, sides, leftOut)
			}
		}
		for head := range n {
			tail := (head * 3) % n
			var want []Fact
			for relation := range int32(g.Relations.Len()) {
				want = append(want, twinFact(t, r, kg.Triple{Head: head, Relation: relation, Tail: tail}, kg.TailSide,
					kg.HeadSide))
			}
			slices.SortFunc(want, func(a, b Fact) int { return compareFacts(&a, &b) })
			if got, err := r.Between(context.Background(), head, tail); err != nil || !equalFacts(got, want) {
				t.Fatalf("from %d to %d: %+v (%v)\nwant %+v", head, tail, got, err, want)
			}
		}
	}
	if leftOut[OneSeen] == 0 || leftOut[BothSeen] <= leftOut[OneSeen] {
		t.Errorf("left out %v: the test shows little", leftOut)
	}
	if found < 20 {
		t.Errorf("only %d new facts: the test shows little", found)
	}
	r := mustNew(t, m, g, Options{})
	if _, err := r.Predict(t.Context(), PredictOptions{Relation: 99}); err == nil {
		t.Error("an unknown relation is accepted")
	}
	if _, err := r.Between(t.Context(), 0, n); err == nil {
		t.Error("an unknown entity is accepted")
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := r.Predict(ended, PredictOptions{}); err == nil {
		t.Error("an ended context is not an error")
	}
}

// comparePredictions compares the facts of a relation with every triple explained on its own, and returns how many
// there are. It counts what ends leave out.
func comparePredictions(t *testing.T, r *Retriever, g *kg.Graph, relation int32, sides []kg.Side,
	leftOut map[Ends]int) (found int) {
	t.Helper()
	n := int32(g.Entities.Len())
	var want []Fact
	for head := range n {
		for tail := range n {
			f := kg.Triple{Head: head, Relation: relation, Tail: tail}
			if head == tail && r.Itself(f.Query(kg.TailSide)) {
				continue
			}
			if x := twinFact(t, r, f, sides...); x.InSet && !x.Known {
				want = append(want, x)
			}
		}
	}
	slices.SortFunc(want, func(a, b Fact) int { return compareFacts(&a, &b) })
	held := func(f kg.Triple, side kg.Side) bool {
		return slices.ContainsFunc(g.Train, func(x kg.Triple) bool {
			return x.Relation == relation && x.Answer(side) == f.Answer(side)
		})
	}
	for ends, tried := range map[Ends]func(f kg.Triple) bool{
		OneSeen:  func(f kg.Triple) bool { return held(f, kg.HeadSide) || held(f, kg.TailSide) },
		BothSeen: func(f kg.Triple) bool { return held(f, kg.HeadSide) && held(f, kg.TailSide) },
	} {
		part := slices.DeleteFunc(slices.Clone(want), func(x Fact) bool { return !tried(x.Triple) })
		leftOut[ends] += len(want) - len(part)
		if got, err := r.Predict(context.Background(),
			PredictOptions{Relation: relation, Sides: sides, Ends: ends}); err != nil ||
			!equalFacts(got, part) {
			t.Fatalf("ends %d of relation %d: %+v (%v)\nwant %+v", ends, relation, got, err, part)
		}
		untried, test := 0, 0
		for _, f := range g.Test {
			if f.Relation == relation {
				if test++; !tried(f) {
					untried++
				}
			}
		}
		if a, b := r.Untried(relation, ends); a != untried || b != test {
			t.Errorf("%d of %d test facts untried, want %d of %d", a, b, untried, test)
		}
	}
	for _, top := range []int{0, 1, 4} {
		last := 0
		got, err := r.Predict(context.Background(),
			PredictOptions{Relation: relation, Sides: sides, Top: top, Ends: AnyEnds,
				Progress: func(done, total int) { last = total - done }})
		if err != nil || last != 0 {
			t.Fatal(err, last)
		}
		part := want
		if top > 0 {
			part = want[:min(top, len(want))]
		}
		if !equalFacts(got, part) {
			t.Fatalf("top %d of relation %d, sides %v: %+v\nwant %+v", top, relation, sides, got, part)
		}
	}
	return len(want)
}

// TestBestFactsForgets: what is dropped is never among the best, in whatever order facts come.
func TestBestFactsForgets(t *testing.T) {
	t.Parallel()
	best := &bestFacts{limit: 3, at: map[kg.Triple]Fact{}}
	n := 3 * leastDropped
	for i := range n { // each triple first with a small score, then with a greater one
		best.add([]Fact{{Triple: kg.Triple{Head: int32(i)}, Score: float32(i % 7)}})
		back := n - 1 - i
		best.add([]Fact{{Triple: kg.Triple{Head: int32(back)}, Score: float32(back)}})
		if len(best.at) >= 2*best.limit+leastDropped {
			t.Fatalf("%d facts are held", len(best.at))
		}
	}
	for i, f := range best.sorted() {
		if f.Score != float32(n-1-i) {
			t.Errorf("fact %d has score %v", i, f.Score)
		}
	}
}
