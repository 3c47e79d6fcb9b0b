package retrieve

import (
	"context"
	"slices"
	"testing"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// twinFact is a fact by Explain, which looks at one triple at a time.
func twinFact(t *testing.T, r *Retriever, f kg.Triple, sides ...kg.Side) Fact {
	t.Helper()
	x, err := r.Explain(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
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
			Slack: p.Slack, InSet: p.InSet, Score: gamma - values[f.Answer(side)]})
	}
	slices.SortFunc(list, func(a, b Fact) int { return compareFacts(&a, &b) })
	best := list[0]
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
			x.Side == y.Side && x.Score == y.Score && x.Slack == y.Slack && x.InSet == y.InSet && x.Mark == y.Mark &&
			x.Known == y.Known
	})
}

// TestFacts compares Predict and Between with every triple explained on its own.
func TestFacts(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := smallModel(t, g, sphere.Settings{Dimension: 2, Gamma: 2})
	n := int32(g.Entities.Len())
	found := 0
	for _, o := range []Options{{Criterion: sphere.CriterionMargin}, {Slack: .3}, {Slack: -3},
		{Size: func(kg.Query) int { return 3 }}} {
		r := mustNew(t, m, g, o)
		for relation := range int32(g.Relations.Len()) {
			for _, sides := range [][]kg.Side{{kg.TailSide, kg.HeadSide}, {kg.HeadSide}, {kg.TailSide}} {
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
				found += len(want)
				var seen []Fact
				for _, x := range want {
					same := func(side kg.Side) func(kg.Triple) bool {
						return func(f kg.Triple) bool {
							return f.Relation == relation &&
								f.Answer(side) == x.Triple.Answer(side)
						}
					}
					if slices.ContainsFunc(g.Train, same(kg.HeadSide)) &&
						slices.ContainsFunc(g.Train, same(kg.TailSide)) {
						seen = append(seen, x)
					}
				}
				if got, err := r.Predict(context.Background(),
					PredictOptions{Relation: relation, Sides: sides, Seen: true}); err != nil ||
					!equalFacts(got, seen) {
					t.Fatalf("seen of relation %d: %+v (%v)\nwant %+v", relation, got, err, seen)
				}
				for _, top := range []int{0, 1, 4} {
					last := 0
					got, err := r.Predict(context.Background(),
						PredictOptions{Relation: relation, Sides: sides, Top: top,
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
		t.Error("an ended context is no error")
	}
}

// TestBestFactsForgets: what is dropped is never among the best, in whatever order facts come.
func TestBestFactsForgets(t *testing.T) {
	t.Parallel()
	best := &bestFacts{limit: 3, at: map[kg.Triple]Fact{}}
	n := 3 * leastDropped
	for i := range n { // each triple first with little slack, then with more
		best.add([]Fact{{Triple: kg.Triple{Head: int32(i)}, Slack: float32(i % 7)}})
		back := n - 1 - i
		best.add([]Fact{{Triple: kg.Triple{Head: int32(back)}, Slack: float32(back)}})
		if len(best.at) >= 2*best.limit+leastDropped {
			t.Fatalf("%d facts are held", len(best.at))
		}
	}
	for i, f := range best.sorted() {
		if f.Slack != float32(n-1-i) {
			t.Errorf("fact %d has slack %v", i, f.Slack)
		}
	}
}

func TestAnswersInOrder(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := smallModel(t, g, sphere.Settings{Dimension: 2, Gamma: 2})
	r := mustNew(t, m, g, Options{Threads: 3})
	var all []kg.Query
	for len(all) <= answersBlock {
		all = append(all, queries(g)...)
	}
	next := 0
	err := r.Answers(t.Context(), all, func(i int, a *Answer) error {
		one, err := r.Answer(t.Context(), all[i])
		if err != nil || i != next || !equalMembers(a.Set, one.Set) || a.Query != all[i] {
			t.Fatalf("answer %d, want %d: %v", i, next, err)
		}
		next++
		return nil
	})
	if err != nil || next != len(all) {
		t.Errorf("%d of %d answers: %v", next, len(all), err)
	}
	ended, stop := context.WithCancel(t.Context())
	count := 0
	err = r.Answers(ended, all, func(int, *Answer) error { count++; stop(); return nil })
	if err != context.Canceled || count == 0 || count == len(all) {
		t.Errorf("%d answers after the end: %v", count, err)
	}
	if err := r.Answers(t.Context(), all,
		func(int, *Answer) error { return context.DeadlineExceeded }); err != context.DeadlineExceeded {
		t.Errorf("error %v", err)
	}
	bad := append(slices.Clone(all), kg.Query{Relation: 99})
	if err := r.Answers(t.Context(), bad, func(int, *Answer) error { t.Error("answered"); return nil }); err == nil {
		t.Error("an unknown relation is accepted")
	}
}
