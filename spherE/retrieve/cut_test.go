package retrieve

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// tiedModel assigns every query the same few values, so that most entities are tied.
type tiedModel struct{ fake }

func (m *tiedModel) Values(_ sphere.Criterion, q kg.Query, _, dst []float32) float32 {
	for e := range dst {
		dst[e] = float32((e+int(q.Known))%3) / 2
	}
	dst[len(dst)-1] = float32(math.NaN())
	return .5
}

// TestCuts compares sets of a fixed size, moved thresholds and retrieve rates with sets that are sorted out by hand.
// Ties are broken by id, and slack is 0 or more exactly inside.
func TestCuts(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := &tiedModel{fake{entities: g.Entities.Len(), relations: g.Relations.Len()}}
	n := g.Entities.Len()
	size := func(q kg.Query) int { return 1 + int(q.Known+q.Relation)%(n+1) }
	for name, o := range map[string]Options{
		"size":   {Cut: "top-some", Size: size},
		"slack":  {Slack: .5},
		"wider":  {Slack: -.5},
		"fitted": {Threshold: func(q kg.Query, own float32) float32 { return own * float32(q.Relation) }},
	} {
		r := mustNew(t, m, g, o)
		rate := 0.0
		for _, f := range g.Train {
			for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
				q := f.Query(side)
				values := make([]float32, n)
				threshold := m.Values("", q, nil, values)
				ids := make([]int32, 0, n)
				for e, v := range values {
					if v == v {
						ids = append(ids, int32(e))
					}
				}
				slices.SortStableFunc(ids, func(a, b int32) int { return int(4*values[a]) - int(4*values[b]) })
				want := 0
				switch {
				case o.Size != nil:
					want = min(size(q), len(ids))
				default:
					if o.Threshold != nil {
						threshold = o.Threshold(q, threshold)
					}
					for want < len(ids) && values[ids[want]] <= threshold-o.Slack {
						want++
					}
				}
				ids = ids[:want]
				var set Set
				if err := r.Set(context.Background(), q, &set); err != nil || !slices.Equal(set.Entities, ids) {
					t.Fatalf("%s: the set is %v (%v), want %v", name, set.Entities, err, ids)
				}
				a, err := r.Answer(context.Background(), q)
				expect.NoError(t, err)
				var members []int32
				for _, x := range inCut(a) {
					members = append(members, x.Entity)
				}
				if !slices.Equal(members, ids) {
					t.Fatalf("%s: the answer has %v, want %v", name, members, ids)
				}
				for e, slack := range a.Slacks {
					if in := slices.Contains(ids, int32(e)); in != (slack >= 0) {
						t.Fatalf("%s: entity %d has slack %v, and in the set is %v", name, e, slack, in)
					}
				}
				x, err := r.Explain(context.Background(), f)
				expect.NoError(t, err)
				p := x.AsTail
				if side == kg.HeadSide {
					p = x.AsHead
				}
				if answer := f.Answer(side); p.InSet != slices.Contains(ids, answer) || p.SetSize != len(ids) {
					t.Fatalf("%s: explained as %v in a set of %d", name, p.InSet, p.SetSize)
				} else if p.InSet {
					rate += .5 / float64(len(g.Train))
				}
			}
		}
		if got, err := r.RetrieveRate(context.Background(), g.Train); err != nil || math.Abs(got-rate) > 1e-12 {
			t.Errorf("%s: retrieve rate %v (%v), want %v", name, got, err, rate)
		}
	}
	for _, o := range []Options{{Slack: float32(math.NaN())}, {Slack: float32(math.Inf(1))}, {Slack: 1, Size: size}} {
		if _, err := New(m, g, o); err == nil {
			t.Errorf("slack %v is accepted", o.Slack)
		}
	}
}

// TestBorderOfValues: a border of the values' own ends the set, and the asked entity stays out if it should.
func TestBorderOfValues(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := &tiedModel{fake{entities: g.Entities.Len(), relations: g.Relations.Len()}}
	dropped, loops := 0, g.Loops()
	nan := int32(m.Entities() - 1) // its value is NaN
	for _, drop := range []bool{false, true} {
		r := mustNew(t, m, g, Options{DropItself: drop,
			Border: func(q kg.Query, known []int32, values []float32) float32 {
				if own := values[q.Known]; q.Known < nan && (own != own) != (drop && !loops[q.Relation]) {
					t.Errorf("%v: the value of the asked entity is %g", q, own)
				}
				if !slices.Equal(known, g.Index(kg.Train, kg.Valid).Answers(q)) || len(values) != g.Entities.Len() {
					t.Error("the border does not get the known answers and all values")
				}
				return .5
			}})
		for _, f := range g.Train {
			for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
				q := f.Query(side)
				a, err := r.Answer(t.Context(), q)
				expect.NoError(t, err)
				in := false
				for _, x := range slices.Concat(inCut(a), a.Near) {
					in = in || x.Entity == q.Known
				}
				if drop && !loops[q.Relation] {
					dropped++
					if in || a.Slacks[q.Known] >= 0 {
						t.Errorf("%v: the asked entity is in the answer", q)
					}
					s, err := r.ScoredSet(t.Context(), q)
					expect.NoError(t, err)
					wide := s.At("all", -math.MaxFloat32)
					known := r.Mark(q.Triple(q.Known)) == Known // by validation
					x, wider := s.Scores[q.Known], len(wide.Members) >= 20
					if !wider || !known && (!math.IsInf(x, -1) || wide.In[q.Known]) {
						t.Errorf("%v: the asked entity has the score %g, and %d entities are in a wider set", q, x,
							len(wide.Members))
					}
				}
			}
		}
	}
	if dropped == 0 {
		t.Error("no query drops its entity")
	}
}

// TestEmptySetHasFiniteSlack: a border that lets nothing in is just below the best value, and slack moves it from
// there.
func TestEmptySetHasFiniteSlack(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := &tiedModel{fake{entities: g.Entities.Len(), relations: g.Relations.Len()}}
	q := g.Train[0].Query(kg.TailSide)
	for _, threshold := range []float32{float32(math.Inf(-1)), -math.MaxFloat32} {
		for slack, empty := range map[float32]bool{0: true, 1: true, -.25: false} {
			r := mustNew(t, m, g, Options{Slack: slack,
				Border: func(kg.Query, []int32, []float32) float32 { return threshold }})
			a, err := r.Answer(t.Context(), q)
			expect.NoError(t, err)
			if (len(inCut(a)) == 0) != empty || len(a.Near) == 0 || math.IsInf(float64(a.Near[0].Slack), 0) ||
				a.Near[0].Slack < -2 {
				t.Errorf("border %g, slack %g: %d answers, near misses %+v", threshold, slack, len(a.Set), a.Near)
			}
		}
	}
}

func TestBelow(t *testing.T) {
	t.Parallel()
	none := float32(math.Inf(-1))
	for _, least := range []float32{-3.5, 0, 1.25, 7e30} {
		w := row{values: []float32{float32(math.NaN()), least, least + 1, float32(math.Inf(1)), none}}
		if got, want := w.below(), math.Nextafter32(least, none); got != want {
			t.Errorf("below %g: %g, want %g", least, got, want)
		}
	}
}
