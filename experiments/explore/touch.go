package explore

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/progress"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// Touched are entities in the order in which a wider cut takes them: those of the cut first.
type Touched struct {
	Query   kg.Query
	Cut     string
	Note    string            // that the query may be the wrong way round
	Members []retrieve.Member // those of the cut, then the next ones, by value
	Usual   int               // how many entities the cut has, maybe more than there are members
	Known   int               // facts of training and validation that answer the query, wherever they are
	HeldOut int               // facts of the test split alone that do

	// Reach is what the radius of the moved sphere is without a value: by a cut whose last answer has the value v, it
	// touches the spheres of the answers if it has the radius Reach + v and theirs are multiplied by Factor.
	Reach, Factor float64
}

// Touch answers a query by a cut. It lists all of its set and at least more entities beyond, at most limit in all.
func (s *Space) Touch(ctx context.Context, q kg.Query, cut answer.Cut, more, limit int, p progress.Listener) (
	*Touched, error,
) {
	retriever, err := s.Run.Retriever(ctx, cut, retrieve.Options{NearMisses: more}, p)
	if err != nil {
		return nil, err
	}
	a, err := retriever.Answer(ctx, q)
	if err != nil {
		return nil, err
	}
	t := &Touched{Query: q, Cut: a.Cut, Note: a.Note, Known: a.AllKnown, HeldOut: a.AllHeldOut}
	outside := slices.Clone(a.Near)
	for _, m := range a.Set {
		if m.Slack >= 0 {
			t.Members = append(t.Members, m)
		} else {
			outside = append(outside, m)
		}
	}
	t.Usual = len(t.Members)
	// Beyond the near misses lie entities that are not listed, so facts from there on have no place in the order.
	last := math.Inf(1)
	if n := len(a.Near); n > 0 {
		last = float64(a.Near[n-1].Value)
	}
	outside = slices.DeleteFunc(outside, func(m retrieve.Member) bool { return float64(m.Value) > last })
	slices.SortStableFunc(outside, func(a, b retrieve.Member) int { return cmp.Compare(a.Value, b.Value) })
	t.Members = append(t.Members, outside...)
	t.Members = t.Members[:min(len(t.Members), limit)]
	if a.Criterion != sphere.CriterionBoxes { // which has no distances
		known, factor, _ := s.model.Reach(a.Criterion, q)
		t.Reach, t.Factor = float64(known)*float64(s.model.Radius(q.Known)), float64(factor)
	}
	return t, nil
}

// Mark returns which part of the graph holds an answer, wherever the cut is.
func Mark(m retrieve.Member) retrieve.Mark {
	if m.Mark == retrieve.NotInGraph {
		return retrieve.Inferred
	}
	return m.Mark
}

// Size counts the first n members.
func (t *Touched) Size(n int) (c retrieve.Counts) {
	for _, m := range t.Members[:min(n, len(t.Members))] {
		c.Add(Mark(m))
	}
	return c
}

// Fact is a fact of an entity.
type Fact struct {
	Other int32 // the entity at the other end
	Mark  retrieve.Mark
}

// Facts are an entity's facts of one relation in one direction.
type Facts struct {
	Query kg.Query
	List  []Fact // known ones first, then by id
}

// FactsOf returns all facts of an entity: by relation, those that it heads first.
func (s *Space) FactsOf(entity int32) (list []Facts) {
	test := s.Run.Graph.Index(kg.Test)
	known := s.Run.Graph.Index(kg.Train, kg.Valid)
	for relation := range int32(s.Run.Graph.Relations.Len()) {
		for _, side := range []kg.Side{kg.TailSide, kg.HeadSide} {
			f := Facts{Query: kg.Query{Side: side, Relation: relation, Known: entity}}
			answers := known.Answers(f.Query)
			for _, e := range answers {
				f.List = append(f.List, Fact{e, retrieve.Known})
			}
			for _, e := range test.Answers(f.Query) {
				if !kg.Contains(answers, e) {
					f.List = append(f.List, Fact{e, retrieve.HeldOut})
				}
			}
			if len(f.List) > 0 {
				list = append(list, f)
			}
		}
	}
	return list
}

// OtherGraphError is the error for comparing runs of two graphs.
type OtherGraphError struct{ Run, Graph, Wanted string }

func (e *OtherGraphError) Error() string {
	return fmt.Sprintf("run %s is of the graph %s, not of %s, so its answers are not of these entities", e.Run, e.Graph, e.Wanted)
}

// Against returns the answers of another run's model to a query, by its usual cut. The run must be of the same graph.
func (s *Space) Against(ctx context.Context, other *answer.Run, q kg.Query, p progress.Listener) (
	*retrieve.Answer, error,
) {
	if other.Graph.Digest() != s.Run.Graph.Digest() {
		return nil, &OtherGraphError{other.Info.Name, other.Graph.Name, s.Run.Graph.Name}
	}
	retriever, err := other.Retriever(ctx, answer.Cut{}, retrieve.Options{NearMisses: -1}, p)
	if err != nil {
		return nil, err
	}
	a, err := retriever.Answer(ctx, q)
	if err != nil {
		return nil, err
	}
	a.Set = slices.DeleteFunc(a.Set, func(m retrieve.Member) bool { return m.Slack < 0 }) // facts outside its cut
	return a, nil
}

// Guess is an inferred answer to one of an entity's questions.
type Guess struct {
	Query kg.Query
	retrieve.Member
}

// ofQuestion is how many guesses of one question are compared with those of others.
const ofQuestion = 5

// Guesses returns the best inferred answers to the questions of facts by a cut: the most probable ones, or where the
// cut has no probabilities those that are farthest inside it.
func (s *Space) Guesses(ctx context.Context, facts []Facts, cut answer.Cut, count int, p progress.Listener) (
	[]Guess, error,
) {
	retriever, err := s.Run.Retriever(ctx, cut, retrieve.Options{Limit: ofQuestion, NearMisses: -1}, p)
	if err != nil {
		return nil, err
	}
	var list []Guess
	for _, f := range facts {
		a, err := retriever.Answer(ctx, f.Query)
		if err != nil {
			return nil, err
		}
		for _, m := range a.Set {
			if m.Mark == retrieve.Inferred && !m.Itself {
				list = append(list, Guess{f.Query, m})
			}
		}
	}
	likely := func(g Guess) float64 {
		if g.Probability == nil {
			return -1
		}
		return *g.Probability
	}
	slices.SortStableFunc(list, func(a, b Guess) int {
		return cmp.Or(cmp.Compare(likely(b), likely(a)), cmp.Compare(b.Slack, a.Slack))
	})
	return list[:min(len(list), count)], nil
}
