package retrieve

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/kg"
)

// estimating are Facts whose tail and head odds count differently, of some values. It counts how often a query is
// asked.
func estimating(drop bool) *Facts {
	var seen sync.Map
	return &Facts{
		Side: func(q kg.Query, values []float32) func(float32) float64 {
			base := float64(q.Known % 5)
			for _, v := range values {
				if v == v {
					base += float64(v) / 64
				}
			}
			of := func(v float32) float64 {
				if v != v {
					return math.Inf(-1)
				}
				return base - float64(v)
			}
			seen.Store(q, of)
			return of
		},
		Seen: func(q kg.Query) func(float32) float64 {
			if of, ok := seen.Load(q); ok {
				return of.(func(float32) float64)
			}
			return nil
		},
		Of: func(relation int32, tail, head float64) Estimate {
			odds := float64(relation) + .25*tail + 2*head
			return Estimate{Probability: 1 / (1 + math.Exp(-odds/16)), Odds: odds, High: 1}
		},
		DropItself: drop,
	}
}

// single is a fake that computes single values.
type single struct{ *fake }

func (m single) Value(q kg.Query, entity int32) float32 {
	row := make([]float32, m.entities)
	m.Distances([]kg.Query{q}, row)
	m.Values("margin", q, row, row)
	return row[entity]
}

// compareExpression compares the members of an expression of one query, which are those of the query, in the order of
// their probabilities.
func compareExpression(
	t *testing.T, r *Retriever, q kg.Query, compare func(where string, fact kg.Triple, p *float64),
) {
	t.Helper()
	sign := map[kg.Side]string{kg.TailSide: ">", kg.HeadSide: "<"}[q.Side]
	x, err := ParseExpression(fmt.Sprintf("%q %s %q", r.graph.Entities.Name(q.Known), sign,
		r.graph.Relations.Name(q.Relation)))
	expect.NoError(t, err)
	s, err := r.Evaluate(t.Context(), x)
	expect.NoError(t, err)
	c, err := r.Combination(t.Context(), s)
	expect.NoError(t, err)
	if len(c.Set) != len(s.Members) {
		t.Fatalf("%s has %d of %d members", c.Query, len(c.Set), len(s.Members))
	}
	for i, m := range c.Set {
		compare("expression", q.Triple(m.Entity), m.Probability)
		if p := m.Probability; i > 0 && p != nil {
			if before := c.Set[i-1].Probability; before != nil && *before < *p {
				t.Fatalf("%s: probability %g before %g", c.Query, *before, *p)
			}
		} else if i > 0 && !c.Set[i-1].Known {
			t.Fatalf("%s: a new answer before a known one", c.Query)
		}
	}
}

// TestOneProbabilityPerFact: answers to both queries, expressions of one query, explanations, relations and predictions
// give a fact the same number, which is that of both rows; known facts have none. Models that compute single values and
// others agree.
func TestOneProbabilityPerFact(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := &fake{entities: g.Entities.Len(), relations: g.Relations.Len()}
	want := func(f *Facts, fact kg.Triple) float64 {
		var odds [2]float64
		for i, side := range bothSides {
			q, row := fact.Query(side), make([]float32, m.Entities())
			m.Distances([]kg.Query{q}, row)
			m.Values("margin", q, row, row)
			if f.DropItself && !g.Loops()[q.Relation] {
				row[q.Known] = float32(math.NaN())
			}
			odds[i] = f.Side(q, row)(row[fact.Answer(side)])
		}
		return f.Of(fact.Relation, odds[0], odds[1]).Probability
	}
	for _, drop := range []bool{false, true} {
		for _, model := range []Model{m, single{m}} {
			facts := estimating(drop)
			r := mustNew(t, model, g, Options{Probabilities: true,
				Facts: func(context.Context) (*Facts, error) { return facts, nil }})
			unlisted := mustNew(t, model, g, Options{Facts: r.options.Facts})
			compared := 0
			compare := func(where string, fact kg.Triple, got *float64) {
				if known := r.Mark(fact) == Known; known != (got == nil) {
					t.Fatalf("%s: %v is known: %v, its probability %v", where, fact, known, got)
				} else if !known {
					if compared++; *got != want(estimating(drop), fact) {
						t.Fatalf("%s: %v has %g, want %g", where, fact, *got, want(estimating(drop), fact))
					}
				}
			}
			for _, f := range slices.Concat(g.Train[:20], g.Test) {
				for _, side := range bothSides {
					q := f.Query(side)
					a, err := r.Answer(t.Context(), q)
					expect.NoError(t, err)
					for _, m := range slices.Concat(a.Set, a.Near, a.Missed) {
						compare("answer", q.Triple(m.Entity), m.Probability)
					}
				}
				for _, side := range bothSides {
					for _, by := range []*Retriever{r, unlisted} {
						compareExpression(t, by, f.Query(side), compare)
					}
				}
				x, err := r.Explain(t.Context(), f)
				expect.NoError(t, err)
				compare("explanation", f, x.Probability)
				between, err := r.Between(t.Context(), f.Head, f.Tail)
				expect.NoError(t, err)
				for _, f := range between {
					compare("relations", f.Triple, f.Probability)
				}
			}
			for _, sides := range [][]kg.Side{nil, {kg.HeadSide}} {
				all, err := r.Predict(t.Context(), PredictOptions{Ends: AnyEnds, Sides: sides})
				expect.NoError(t, err)
				for i, f := range all {
					compare("prediction", f.Triple, f.Probability)
					if i > 0 && *f.Probability > *all[i-1].Probability {
						t.Errorf("%v of probability %g stands after %g", f.Triple, *f.Probability, *all[i-1].Probability)
					}
				}
				best, err := r.Predict(t.Context(), PredictOptions{Ends: AnyEnds, Sides: sides, Top: 3})
				if err != nil || len(all) < 4 || !slices.EqualFunc(best, all[:3], func(a, b Fact) bool {
					return a.Triple == b.Triple && *a.Probability == *b.Probability
				}) {
					t.Errorf("the best 3 of %d are %+v (%v)", len(all), best, err)
				}
			}
			if compared < 100 {
				t.Errorf("%d numbers were compared", compared)
			}
		}
	}
}

// TestKnownAnswersAreShown: the narrowest cut still has every known answer, counted apart.
func TestKnownAnswersAreShown(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := &fake{entities: g.Entities.Len(), relations: g.Relations.Len()}
	nothing := Options{Border: func(kg.Query, []int32, []float32) float32 { return float32(math.Inf(-1)) }}
	r, limited := mustNew(t, m, g, nothing), nothing
	limited.Limit = 1
	for _, f := range g.Train {
		for _, side := range bothSides {
			q := f.Query(side)
			a, err := r.Answer(t.Context(), q)
			expect.NoError(t, err)
			known := g.Index(kg.Train, kg.Valid).Answers(q)
			if a.Known != len(known) || len(a.Set) != len(known) || a.Total != a.Known || a.KnownInSet != 0 {
				t.Fatalf("%v has %d known answers: %+v", q, len(known), a.Counts)
			}
			for _, x := range a.Set {
				if !x.Known || x.Slack >= 0 || !slices.Contains(known, x.Entity) {
					t.Fatalf("%v: %+v", q, x)
				}
			}
			s, err := r.ScoredSet(t.Context(), q)
			if err != nil || len(s.Members) != len(known) {
				t.Fatalf("%v: the set has %d members of %d (%v)", q, len(s.Members), len(known), err)
			}
			few, err := mustNew(t, m, g, limited).Answer(t.Context(), q)
			if err != nil || len(few.Set) != 1 || few.Known != len(known) {
				t.Fatalf("%v: limit 1 lists %d (%v)", q, len(few.Set), err)
			}
		}
	}
}

// TestNoteOfPlace: an entity that training never has in its place has a note, which reports whether it has it in the
// other.
func TestNoteOfPlace(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := &fake{entities: g.Entities.Len(), relations: g.Relations.Len()}
	r := mustNew(t, m, g, Options{})
	seen := map[string]int{}
	for relation := range int32(g.Relations.Len()) {
		all := 0
		count := map[kg.Query]int{}
		for _, t := range g.Train {
			if t.Relation == relation {
				all++
				count[t.Query(kg.HeadSide)]++
				count[t.Query(kg.TailSide)]++
			}
		}
		for e := range int32(g.Entities.Len()) {
			head := count[kg.Query{Side: kg.TailSide, Known: e, Relation: relation}]
			tail := count[kg.Query{Side: kg.HeadSide, Known: e, Relation: relation}]
			a, err := r.Answer(t.Context(), kg.Query{Side: kg.TailSide, Known: e, Relation: relation})
			expect.NoError(t, err)
			name, of := g.Label(e), g.RelationLabel(relation)
			want, kind := "", "seen"
			if head == 0 {
				want, kind = name+" is never head of "+of+" in training (0 of "+quantity.Commas(all)+")", "never"
				if tail > 0 {
					want, kind = want+", and tail of it "+times(tail)+": ? "+of+" "+name+" is the reversed question", "turned"
				}
			}
			if seen[kind]++; a.Note != want {
				t.Errorf("%s %s ? has the note %q, want %q", name, of, a.Note, want)
			}
		}
	}
	if seen["seen"] == 0 || seen["turned"] == 0 {
		t.Errorf("kinds of queries: %v", seen)
	}
	if quantity.Commas(1234567) != "1,234,567" || quantity.Commas(402) != "402" || quantity.Commas(2402) != "2,402" {
		t.Error("thousands")
	}
}

// TestPredictOfCrowdedQueries: queries of more facts than are kept give the same list as a model that holds them all.
func TestPredictOfCrowdedQueries(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	m := &fake{entities: g.Entities.Len(), relations: g.Relations.Len()}
	relation := g.Test[0].Relation
	for _, sides := range [][]kg.Side{nil, {kg.HeadSide}} {
		var lists [][]Fact
		maximum := map[int32]int{}
		for _, model := range []Model{m, single{m}} {
			facts := estimating(true)
			r := mustNew(t, model, g, Options{Facts: func(context.Context) (*Facts, error) { return facts, nil }})
			last := 1
			list, err := r.Predict(t.Context(), PredictOptions{Relation: relation, Sides: sides,
				Progress: func(done, total int) { last = total - done }})
			if err != nil || last != 0 {
				t.Fatal(err, last)
			}
			lists = append(lists, list)
		}
		for _, f := range lists[0] {
			maximum[f.Triple.Tail]++
		}
		crowded, spare := 0, 0
		for _, n := range maximum {
			if n > keptFacts {
				crowded++
			} else {
				spare++
			}
		}
		if crowded == 0 || !reflect.DeepEqual(lists[0], lists[1]) {
			t.Errorf("sides %v: %d facts and %d, of %d crowded queries and %d others", sides, len(lists[0]), len(lists[1]),
				crowded, spare)
		}
	}
}
