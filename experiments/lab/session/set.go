package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// Set is a set of answers with scores. Sets of one run can be combined: And, Or, Minus, Then, Before.
//
// The score of an answer to one query is its slack: the threshold of the run's cut minus the answer's value, in
// the model's unit of distance. It is 0 on the border of the answer set, more further inside, and less than 0 outside.
//
// Slack cannot be compared across queries, so the score of a combination is the probability that the answer is right:
// And has the product of two, Or the greater, a path the product along it, and an answer at the end of several paths
// the greatest of theirs. Known facts have probability 1. On a graph with few validation facts it is the score of
// training instead, by the weakest step.
//
// An answer is known if training or validation holds the fact, held out if the test split alone holds it, and otherwise
// inferred. A combination has the mark of the weakest part it rests on.
type Set struct {
	run     *Run
	trained *answer.Run
	by      *retrieve.Retriever
	set     *retrieve.ScoredSet
}

// newSet returns the answer to one query as a set.
func (r *Run) newSet(ctx context.Context, t *answer.Run, q kg.Query) *Set {
	by := r.retriever(ctx, t)
	set, err := by.ScoredSet(ctx, q)
	check(err)
	return &Set{r, t, by, set}
}

// with returns another set of the same run.
func (s *Set) with(set *retrieve.ScoredSet) *Set { return &Set{s.run, s.trained, s.by, set} }

// checkMatch refuses sets that do not belong together.
func (s *Set) checkMatch(operation string, o *Set) {
	switch {
	case o == nil:
		panic(fail(SetMismatch, "%s needs a set, and got nil", operation))
	case s.run.ID() != o.run.ID():
		panic(fail(SetMismatch, "%s: the sets are answers of different runs, %s and %s, whose scores cannot be compared; "+
			"query one run for both", operation, s.run.label(), o.run.label()))
	}
}

// And returns the intersection: what is in both sets.
func (s *Set) And(o *Set) *Set {
	s.checkMatch("And", o)
	set, err := s.set.And(s.run.session.context(), o.set)
	check(err)
	return s.with(set)
}

// Or returns the union: what is in either set, with the greater probability of the two.
func (s *Set) Or(o *Set) *Set {
	s.checkMatch("Or", o)
	set, err := s.set.Or(s.run.session.context(), o.set)
	check(err)
	return s.with(set)
}

// Minus returns the difference: what is in s and not in o, with its score and mark in s. That something is not in o
// rests on the model alone.
func (s *Set) Minus(o *Set) *Set {
	s.checkMatch("Minus", o)
	set, err := s.set.Minus(s.run.session.context(), o.set)
	check(err)
	return s.with(set)
}

// Then returns the next hop: everything that a member of s has the relation to. Known facts are always followed, and so
// are likely ones. The students of Max Born's students:
//
//	run.Ask("Max Born", "advised", "?").Then("advised")
func (s *Set) Then(relation string) *Set { return s.hop(kg.TailSide, relation) }

// Before returns the hop backwards: everything that has the relation to a member of s. The advisers of those who worked
// in Göttingen:
//
//	run.Ask("?", "worked_at", "Göttingen").Before("advised")
func (s *Set) Before(relation string) *Set { return s.hop(kg.HeadSide, relation) }

func (s *Set) hop(side kg.Side, relation string) *Set {
	g := s.trained.Graph
	r, err := g.FindRelation(relation)
	check(nameError(g, err))
	set, err := s.set.Hop(s.run.session.context(), side, r)
	check(err)
	return s.with(set)
}

// Top keeps the n best answers.
func (s *Set) Top(n int) *Set {
	if n < 0 {
		panic(fail(Failed, "Top(%d): the number of answers must not be negative", n))
	}
	rank := make(map[int32]int, s.Len())
	for i, e := range s.set.Members {
		rank[e] = i
	}
	return s.with(s.set.Keep(fmt.Sprintf("the best %d of %s", n, s.bracketed()),
		func(e int32) bool { return rank[e] < n }))
}

// At returns the set cut at another score. Above 0 it keeps the surer answers to one query, and below 0 it adds what
// lies just outside. Of a combination it keeps the answers of at least this probability.
//
//	run.Ask("Max Born", "advised", "?").At(0.5)
func (s *Set) At(score float64) *Set {
	if score != score {
		panic(fail(Failed, "At: the score is not a number"))
	}
	set := s.set.At(fmt.Sprintf("%s at %g", s.bracketed(), score), score)
	check(set.Estimate(s.run.session.context()))
	return s.with(set)
}

// Known keeps the answers that training or validation holds.
func (s *Set) Known() *Set { return s.keepMarked("known", retrieve.Known) }

// HeldOut keeps the answers that the test split alone holds: they are true, and the model was trained without them.
func (s *Set) HeldOut() *Set { return s.keepMarked("held out", retrieve.HeldOut) }

// Inferred keeps the answers that no split holds.
func (s *Set) Inferred() *Set { return s.keepMarked("inferred", retrieve.Inferred) }

// Novel keeps the answers that are not known, held out or inferred: what the model found beyond training and
// validation.
func (s *Set) Novel() *Set { return s.keepMarked("novel", retrieve.HeldOut, retrieve.Inferred) }

func (s *Set) keepMarked(word string, marks ...retrieve.Mark) *Set {
	return s.with(s.set.Keep(word+" of "+s.bracketed(),
		func(e int32) bool { return slices.Contains(marks, s.mark(e)) }))
}

// Len returns the number of answers.
func (s *Set) Len() int { return len(s.set.Members) }

// Names returns the answers, best score first.
func (s *Set) Names() []string {
	names := make([]string, len(s.set.Members))
	for i, e := range s.set.Members {
		names[i] = s.trained.Graph.Label(e)
	}
	return names
}

// Has reports whether an entity is in the set. A name that the graph does not have is an error.
func (s *Set) Has(name string) bool { return s.set.In[s.entity(name)] }

// Score returns the score of an entity, in the set or not; -Inf if nothing leads to it. A name that the graph does not
// have is an error.
func (s *Set) Score(name string) float64 { return s.set.Scores[s.entity(name)] }

func (s *Set) entity(name string) int32 {
	e, err := s.trained.Graph.FindEntity(name)
	check(nameError(s.trained.Graph, err))
	return e
}

// Rows returns the set as a table: name, mark, score and, at cuts by probabilities, the probability of new answers.
func (s *Set) Rows() *Rows {
	rows := &Rows{columns: []string{"name", "mark", "score"}, title: s.title()}
	if s.set.Probabilities != nil {
		rows.columns = append(rows.columns, "probability")
	}
	for _, e := range s.set.Members {
		line := []interface{}{s.trained.Graph.Label(e), s.words(e), s.set.Scores[e]}
		if s.set.Probabilities != nil {
			line = append(line, s.probability(e))
		}
		rows.values = append(rows.values, line)
	}
	return rows
}

// probability returns the probability of a member, nil if there is none.
func (s *Set) probability(e int32) interface{} {
	if p := s.set.Probabilities; p != nil && p[e] == p[e] {
		return p[e]
	}
	return nil
}
