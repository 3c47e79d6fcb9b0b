package session

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
)

// drawnRun is a run on the bundled graph whose model has its initial parameters: answers are as arbitrary as can be.
func drawnRun(t testing.TB, id string, s sphere.Settings, seed uint64) (*Run, *answer.Run) {
	t.Helper()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	s.Epsilon, s.Tau, s.Alpha, s.Beta = 2, .1, .1, .06
	m, err := sphere.New(s, g, seed)
	expect.NoError(t, err)
	cfg := config.Default()
	cfg.Model, cfg.Variant, cfg.Dimension, cfg.Gamma = s.Model, s.Variant, s.Dimension, s.Gamma
	cfg.Eval.Criterion = string(m.DefaultCriterion()) // chosen, so it is the default cut
	r := &Run{session: New(Options{}),
		run: results.Read(tracker.RunInfo{ID: id, Name: "drawn", Status: string(tracker.Finished)})}
	run := &answer.Run{Info: r.Info(), Graph: g, Model: m, Config: cfg}
	r.session.models[id] = run
	return r, run
}

// caught returns the error that f panics with.
func caught(t testing.TB, f func()) (err *Error) {
	t.Helper()
	defer func() {
		t.Helper()
		var ok bool
		if err, ok = recover().(*Error); !ok {
			t.Errorf("no *Error: %v", err)
			err = new(Error)
		}
	}()
	f()
	return nil
}

// fuzzy is a set as the brute force sees it: by name.
type fuzzy struct {
	in    map[string]bool
	score map[string]float64
	mark  map[string]retrieve.Mark

	of     *kg.Query // whose slacks are the scores; nil: they are probabilities
	narrow bool      // what is outside stays there
}

// ask answers a query of a drawn run.
func ask(r *Run, t *answer.Run, q kg.Query) *Set {
	return r.newSet(context.Background(), t, q)
}

func newFuzzy() fuzzy {
	return fuzzy{in: map[string]bool{}, score: map[string]float64{}, mark: map[string]retrieve.Mark{}}
}

// twin answers queries by distances and triples alone.
type twin struct {
	run        *answer.Run
	size       func(q kg.Query) int // of sets; 0: a threshold decides. nil: 0
	thresholds *sphere.Thresholds   // fitted; nil: those of the run's criterion
	steps      *retrieve.Steps      // what gives probabilities; only for combinations
}

// newTwin is a twin that combines answers.
func newTwin(t testing.TB, run *answer.Run) twin {
	t.Helper()
	by, err := run.Retriever(t.Context(), answer.Cut{}, retrieve.Options{}, nil)
	expect.NoError(t, err)
	steps, err := by.Options().Steps(t.Context())
	if err != nil || steps == nil {
		t.Fatalf("no probabilities: %v", err)
	}
	return twin{run: run, steps: steps}
}

// comparable adds probabilities to a set of one query, and the known answers.
func (w twin) comparable(f fuzzy) fuzzy {
	if f.of == nil {
		return f
	}
	d, m, q := newFuzzy(), w.run.Model, *f.of
	d.mark, d.narrow = f.mark, f.narrow
	values := make([]float32, m.Entities())
	m.Distances([]kg.Query{q}, values)
	m.Values(sphere.CriterionMargin, q, values, values)
	unlikely := w.mark(q, q.Known) == retrieve.Inferred && !w.run.Graph.Loops()[q.Relation]
	if unlikely {
		values[q.Known] = float32(math.NaN())
	}
	probability := w.steps.Probability(q, values)
	for e, v := range values {
		name := w.run.Graph.Entities.Name(int32(e))
		known := w.mark(q, int32(e)) == retrieve.Known
		d.in[name] = f.in[name] || known && !f.narrow
		switch d.score[name] = probability(v); {
		case f.narrow && !f.in[name]:
			d.score[name] = math.Inf(-1)
		case known:
			d.score[name] = 1
		case v != v:
			d.score[name] = math.Inf(-1)
		}
	}
	return d
}

// slacks are those of all entities.
func (w twin) slacks(q kg.Query) []float64 {
	m, c := w.run.Model, w.run.Criterion()
	if w.size != nil || w.thresholds != nil {
		c = sphere.CriterionMargin
	}
	row, values := make([]float32, m.Entities()), make([]float32, m.Entities())
	m.Distances([]kg.Query{q}, row)
	threshold := m.Values(c, q, row, values)
	if w.thresholds != nil {
		threshold = w.thresholds.Tail[q.Relation]
		if q.Side == kg.HeadSide {
			threshold = w.thresholds.Head[q.Relation]
		}
	}
	if w.size != nil {
		var ids []int
		for e := range values {
			ids = append(ids, e)
		}
		depths := w.depths(q)
		slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(depths[a], depths[b]) })
		n := w.size(q)
		list := make([]float64, len(values))
		for i, e := range ids {
			list[e] = float64(values[ids[n-1]] - values[e])
			if i >= n && list[e] == 0 {
				list[e] = -math.SmallestNonzeroFloat32 // tied, and outside
			}
		}
		return list
	}
	list := make([]float64, len(values))
	for e, value := range values {
		list[e] = float64(threshold - value)
	}
	return list
}

// depths are the distances less radii of all entities, by which equal values are ordered.
func (w twin) depths(q kg.Query) []float32 {
	m, c := w.run.Model.(*sphere.Model), w.run.Criterion()
	if w.size != nil || w.thresholds != nil {
		c = sphere.CriterionMargin
	}
	known, candidate, _ := m.Reach(c, q)
	row := make([]float32, m.Entities())
	m.Distances([]kg.Query{q}, row)
	for e := range row {
		row[e] -= float32(known*m.Radius(q.Known)) + float32(candidate*m.Radius(int32(e)))
	}
	return row
}

func (w twin) mark(q kg.Query, e int32) retrieve.Mark {
	g := w.run.Graph
	t := q.Triple(e)
	switch {
	case slices.Contains(g.Train, t), slices.Contains(g.Valid, t):
		return retrieve.Known
	case slices.Contains(g.Test, t):
		return retrieve.HeldOut
	}
	return retrieve.Inferred
}

func (w twin) ask(q kg.Query) fuzzy {
	f := newFuzzy()
	g := w.run.Graph
	f.of = &q
	for e, slack := range w.slacks(q) {
		name := g.Entities.Name(int32(e))
		f.score[name] = slack
		f.mark[name] = w.mark(q, int32(e))
		f.in[name] = f.score[name] >= 0 || f.mark[name] == retrieve.Known
	}
	return f
}

func (w twin) hop(a fuzzy, side kg.Side, r int32) fuzzy {
	a = w.comparable(a)
	f := newFuzzy()
	g := w.run.Graph
	for x := range int32(g.Entities.Len()) {
		from := g.Entities.Name(x)
		if a.narrow && (!a.in[from] || math.IsInf(a.score[from], -1)) ||
			!a.narrow && a.score[from] < .01 && !(a.in[from] && a.mark[from] == retrieve.Known) {
			continue
		}
		one := w.comparable(w.ask(kg.Query{Side: side, Known: x, Relation: r}))
		for name, s := range one.score {
			s = product(s, a.score[from])
			if old, ok := f.score[name]; !ok || s > old {
				f.score[name] = s
			}
			if one.mark[name] > retrieve.Inferred {
				f.mark[name] = max(f.mark[name], min(a.mark[from], one.mark[name]))
			}
		}
	}
	var likely []string
	known := 0
	for name, s := range f.score {
		f.mark[name] = max(f.mark[name], retrieve.Inferred)
		if f.in[name] = f.mark[name] == retrieve.Known; f.in[name] {
			known++
		} else if s > 0 {
			likely = append(likely, name)
		}
	}
	slices.SortFunc(likely, func(a, b string) int { return cmp.Compare(f.score[b], f.score[a]) })
	falling := make([]float64, len(likely))
	for i, name := range likely {
		falling[i] = f.score[name]
	}
	for _, name := range likely[:w.steps.Size(falling, known)] {
		f.in[name] = true
	}
	return f
}

// product is the probability of two facts.
func product(a, b float64) float64 {
	if a > 0 && b > 0 {
		return a * b
	}
	return min(a, b)
}

func (w twin) combine(f, o fuzzy, in func(a, b bool) bool, score func(a, b float64) float64,
	l func(a, b retrieve.Mark) retrieve.Mark) fuzzy {
	f, o = w.comparable(f), w.comparable(o)
	d := newFuzzy()
	d.narrow = f.narrow || o.narrow
	for name := range f.score {
		d.in[name], d.score[name], d.mark[name] = in(f.in[name], o.in[name]), score(f.score[name], o.score[name]),
			l(f.mark[name], o.mark[name])
	}
	return d
}

func (f fuzzy) filter(ok func(name string) bool) fuzzy {
	d := newFuzzy()
	d.of, d.narrow = f.of, true
	for name := range f.score {
		d.mark[name], d.score[name] = f.mark[name], math.Inf(-1)
		if f.in[name] && ok(name) {
			d.in[name], d.score[name] = true, f.score[name]
		}
	}
	return d
}

func (f fuzzy) best(n int) fuzzy {
	var names []string
	for name, in := range f.in {
		if in {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(f.score[b], f.score[a]),
			strings.Compare(a, b))
	})
	names = names[:min(n, len(names))]
	return f.filter(func(name string) bool { return slices.Contains(names, name) })
}

// same compares a set with its twin.
func same(t *testing.T, what string, s *Set, f fuzzy) {
	t.Helper()
	g := s.trained.Graph
	members := 0
	for e := range int32(g.Entities.Len()) {
		name := g.Entities.Name(e)
		score, ok := f.score[name]
		if !ok {
			score = math.Inf(-1)
		}
		if s.Has(name) != f.in[name] || s.Score(name) != score {
			t.Fatalf("%s: %s is %v with score %v, the twin has %v with %v", what, name, s.Has(name), s.Score(name),
				f.in[name], score)
		}
		if f.in[name] {
			members++
			if s.mark(e) != f.mark[name] {
				t.Fatalf("%s: %s is %v, the twin says %v", what, name, s.mark(e), f.mark[name])
			}
		}
	}
	if s.Len() != members || len(s.Names()) != members {
		t.Fatalf("%s: %d members, the twin has %d", what, s.Len(), members)
	}
	for i := 1; i < s.Len(); i++ {
		if names := s.Names(); s.Score(names[i-1]) < s.Score(names[i]) {
			t.Fatalf("%s: %s stands before %s", what, names[i-1], names[i])
		}
	}
}

// TestSetAlgebra compares every operation with its twin on arbitrary answers.
func TestSetAlgebra(t *testing.T) {
	t.Parallel()
	r, run := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: 0.4},
		11)
	w := newTwin(t, run)
	g := run.Graph
	random := rand.New(rand.NewPCG(3, 4))
	larger := 0
	for round := range 12 {
		draw := func() (*Set, fuzzy) {
			q := kg.Query{Side: kg.Side(random.IntN(2)), Known: int32(random.IntN(g.Entities.Len())),
				Relation: int32(random.IntN(g.Relations.Len()))}
			if round%2 == 0 { // of a fact, so that something is known
				q = g.Train[random.IntN(len(g.Train))].Query(q.Side)
			}
			return ask(r, run, q), w.ask(q)
		}
		a, fa := draw()
		b, fb := draw()
		same(t, "Ask", a, fa)
		if a.Len() > 1 && b.Len() > 1 {
			larger++
		}
		and := func(x, y bool) bool { return x && y }
		or := func(x, y bool) bool { return x || y }
		more := func(x, y float64) float64 { return max(x, y) }
		lower, higher := func(x, y retrieve.Mark) retrieve.Mark { return min(x, y) },
			func(x, y retrieve.Mark) retrieve.Mark { return max(x, y) }
		same(t, "And", a.And(b), w.combine(fa, fb, and, product, lower))
		same(t, "Or", a.Or(b), w.combine(fa, fb, or, more, higher))
		minus := w.combine(fa, fb, func(x, y bool) bool { return x && !y }, func(x, _ float64) float64 { return x },
			func(x, _ retrieve.Mark) retrieve.Mark { return x })
		for name, in := range w.comparable(fb).in {
			if in {
				minus.score[name] = math.Inf(-1)
			}
		}
		same(t, "Minus", a.Minus(b), minus)
		same(t, "Known", a.Known(), fa.filter(func(n string) bool { return fa.mark[n] == retrieve.Known }))
		same(t, "HeldOut", a.HeldOut(), fa.filter(func(n string) bool { return fa.mark[n] == retrieve.HeldOut }))
		same(t, "Inferred", a.Inferred(), fa.filter(func(n string) bool { return fa.mark[n] == retrieve.Inferred }))
		same(t, "Novel", a.Novel(), fa.filter(func(n string) bool { return fa.mark[n] != retrieve.Known }))
		same(t, "Top", a.Top(3), fa.best(3))
		for _, cut := range []float64{-0.3, 0, 0.2} {
			at := newFuzzy()
			at.of, at.narrow = fa.of, true
			for name := range fa.score {
				at.in[name], at.score[name], at.mark[name] = fa.score[name] >= cut, fa.score[name], fa.mark[name]
			}
			same(t, "At", a.At(cut), at)
		}
		small, fsmall := a.Top(6), fa.best(6)
		relation := int32(random.IntN(g.Relations.Len()))
		name := g.Relations.Name(relation)
		then, fthen := small.Then(name), w.hop(fsmall, kg.TailSide, relation)
		same(t, "Then", then, fthen)
		same(t, "Before", small.Before(name), w.hop(fsmall, kg.HeadSide, relation))
		four := then.Top(4)
		for _, dropped := range then.Names() {
			for _, kept := range four.Names() {
				if !four.Has(dropped) && then.Score(dropped) > then.Score(kept) {
					t.Errorf("Top keeps %s instead of %s", kept, dropped)
				}
			}
		}
		fthen = fthen.filter(func(name string) bool { return four.Has(name) })
		same(t, "Then, then", four.Then(name), w.hop(fthen, kg.TailSide, relation))
		same(t, "Then of a widened set", b.At(-0.1).Top(5).Then(name), w.hop(func() fuzzy {
			at := newFuzzy()
			at.of, at.narrow = fb.of, true
			for n := range fb.score {
				at.in[n], at.score[n], at.mark[n] = fb.score[n] >= -0.1, fb.score[n], fb.mark[n]
			}
			return at.best(5)
		}(), kg.TailSide, relation))
		// Laws that hold for any sets.
		la, lb := a.Or(a).Len(), b.Or(b).Len() // with the known answers
		if a.And(b).Len()+a.Minus(b).Len() != la || a.Or(b).Len() != la+lb-a.And(b).Len() {
			t.Errorf("counts: %d and %d, and %d, or %d, minus %d", la, lb, a.And(b).Len(), a.Or(b).Len(), a.Minus(b).Len())
		}
	}
	if larger < 3 {
		t.Errorf("only %d pairs of sets have members: the test shows little", larger)
	}
}

// TestThenManyMembers crosses the border of a block of 32 members.
func TestThenManyMembers(t *testing.T) {
	t.Parallel()
	r, run := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: 0.5},
		2)
	w := newTwin(t, run)
	q := run.Graph.Train[0].Query(kg.TailSide)
	a := ask(r, run, q).At(-1).Top(2*32 + 3)
	at := newFuzzy()
	base := w.ask(q)
	at.of, at.narrow = base.of, true
	for n := range base.score {
		at.in[n], at.score[n], at.mark[n] = base.score[n] >= -1, base.score[n], base.mark[n]
	}
	fa := at.best(2*32 + 3)
	if a.Len() <= 2*32 {
		t.Fatalf("only %d members", a.Len())
	}
	same(t, "Then", a.Then(run.Graph.Relations.Name(0)), w.hop(fa, kg.TailSide, 0))
}

// TestSetsDoNotChange: operations leave their sets as they are.
func TestSetsDoNotChange(t *testing.T) {
	t.Parallel()
	r, run := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: 1},
		11)
	q := run.Graph.Train[0].Query(kg.TailSide)
	a := ask(r, run, q)
	b := ask(r, run, run.Graph.Train[1].Query(kg.TailSide))
	before := fmt.Sprint(a.Names(), a.set.Scores, a.set.In, a.set.Marks)
	a.And(b)
	a.Or(b)
	a.Minus(b)
	a.Top(1)
	a.At(3)
	a.Known()
	a.Inferred()
	a.Then(run.Graph.Relations.Name(0))
	if fmt.Sprint(a.Names(), a.set.Scores, a.set.In, a.set.Marks) != before {
		t.Error("an operation changed its set")
	}
	if a.At(2).At(0).Len() != a.Len() {
		t.Error("At does not cut again")
	}
	if a.Top(1).At(-100).Len() > 1 {
		t.Error("what Top drops comes back")
	}
}

func TestSetMisuse(t *testing.T) {
	t.Parallel()
	s := sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 2, Gamma: 1}
	r, run := drawnRun(t, "a", s, 1)
	other, otherRun := drawnRun(t, "b", s, 2)
	q := run.Graph.Train[0].Query(kg.TailSide)
	a, b := ask(r, run, q), ask(other, otherRun, q)
	for _, c := range []struct {
		do   func()
		name string
	}{
		{func() { a.And(b) }, SetMismatch}, {func() { a.Or(nil) }, SetMismatch}, {func() { a.Minus(b) }, SetMismatch},
		{func() { a.Top(-1) }, Failed}, {func() { a.At(math.NaN()) }, Failed},
		{func() { a.Then("nothing") }, UnknownRelation},
		{func() { a.Has("nobody") }, UnknownEntity}, {func() { r.Ask("?", "advised", "?") }, BadQuestion},
	} {
		if err := caught(t, c.do); err.Name != c.name {
			t.Errorf("%s: %v, want %s", err.Name, err, c.name)
		}
	}
	interrupted, stop := context.WithCancel(context.Background())
	stop()
	r.session.o.Cell = fixedCell{interrupted}
	if err := caught(t, func() { a.At(-100).Then("advised") }); err.Name != Interrupted {
		t.Errorf("an interrupted hop is %s: %v", err.Name, err)
	}
}

// fixedCell is a cell with a context that shows nothing.
type fixedCell struct{ ctx context.Context }

func (c fixedCell) Context() context.Context          { return c.ctx }
func (fixedCell) Show(string, map[string]interface{}) {}
