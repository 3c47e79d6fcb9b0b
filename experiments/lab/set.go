package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// level says how well an answer is founded; a higher one is better.
type level uint8

const (
	inferred level = iota // by the model alone
	proven                // the model inferred it, and the test split, which it never saw, holds it
	known                 // a fact of training or validation
)

// Set is a set of answers with scores. Sets of one run combine: And, Or, Minus, Then, Before.
//
// The score of an answer to one question is its slack, the cut of the run's criterion minus the answer's value, in the
// model's unit of distance: 0 lies on the border of the answer set, more lies further inside, and less than 0 outside.
// And keeps the smaller of two scores, Or the greater; a path of two hops has the smallest score along it, and an answer
// at its end the greatest of its paths. So a score never promises more than the weakest step that led to it.
//
// An answer is known where training or validation hold the fact, and otherwise inferred; of the inferred ones those that
// the test split holds are marked as true. A combination is known as far as all it rests on is.
type Set struct {
	asker    *asker
	question string
	members  []int32   // best score first, then by id
	in       []bool    // by entity
	scores   []float64 // by entity, -Inf where nothing leads to it
	levels   []level   // by entity
	itself   int32     // the entity that was asked about, marked where it answers to itself; -1: none
}

// asker answers questions with one run.
type asker struct {
	run       *Run
	trained   *experiments.TrainedRun
	criterion sphere.Criterion
	known     *kg.Index // training and validation
	test      *kg.Index
	loops     []bool // by relation: a training fact leads from an entity to itself
}

func newAsker(r *Run, t *experiments.TrainedRun) *asker {
	a := &asker{run: r, trained: t, criterion: t.Criterion(), known: t.Graph.Index(kg.Train, kg.Valid), test: t.Graph.Index(kg.Test),
		loops: make([]bool, t.Graph.Relations.Len())}
	for _, f := range t.Graph.Train {
		if f.Head == f.Tail {
			a.loops[f.Relation] = true
		}
	}
	return a
}

func (a *asker) entities() int { return a.trained.Graph.Entities.Len() }

// slacks turns a row of distances to q into scores, in place.
func (a *asker) slacks(q kg.Query, row []float32) {
	cut := a.trained.Model.Values(a.criterion, q, row, row)
	for i, v := range row {
		row[i] = cut - v
	}
}

// level says how well the answer e to q is founded.
func (a *asker) level(q kg.Query, e int32) level {
	switch t := q.Triple(e); {
	case a.known.Has(t):
		return known
	case a.test.Has(t):
		return proven
	}
	return inferred
}

// ask answers one question.
func (a *asker) ask(q kg.Query) *Set {
	g := a.trained.Graph
	s := a.empty(g.Label(q.Known) + " " + g.Relations.Name(q.Relation) + " ?")
	if q.Side == kg.HeadSide {
		s.question = "? " + g.Relations.Name(q.Relation) + " " + g.Label(q.Known)
	}
	row := make([]float32, a.entities())
	a.trained.Model.Distances([]kg.Query{q}, row)
	a.slacks(q, row)
	for e, slack := range row {
		if slack == slack { // not NaN
			s.scores[e] = float64(slack)
			s.in[e] = slack >= 0
		}
	}
	for _, ix := range []*kg.Index{a.test, a.known} { // known is the better one
		l := proven
		if ix == a.known {
			l = known
		}
		for _, e := range ix.Answers(q) {
			s.levels[e] = l
		}
	}
	if !a.loops[q.Relation] && s.levels[q.Known] == inferred {
		s.itself = q.Known
	}
	return s.sorted()
}

// empty is a set without members.
func (a *asker) empty(question string) *Set {
	n := a.entities()
	s := &Set{asker: a, question: question, in: make([]bool, n), scores: make([]float64, n), levels: make([]level, n), itself: -1}
	for e := range s.scores {
		s.scores[e] = math.Inf(-1)
	}
	return s
}

// sorted lists the members.
func (s *Set) sorted() *Set {
	s.members = s.members[:0]
	for e, in := range s.in {
		if in {
			s.members = append(s.members, int32(e))
		}
	}
	slices.SortFunc(s.members, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.scores[b], s.scores[a]), cmp.Compare(a, b))
	})
	return s
}

// derived is a copy of s with another question, to be changed.
func (s *Set) derived(question string) *Set {
	d := &Set{asker: s.asker, question: question, in: slices.Clone(s.in), scores: slices.Clone(s.scores), levels: slices.Clone(s.levels), itself: s.itself}
	return d
}

// drop takes an entity out for good.
func (s *Set) drop(e int32) { s.in[e], s.scores[e] = false, math.Inf(-1) }

// keep drops all members that ok refuses; what was outside stays there.
func (s *Set) keep(question string, ok func(e int32) bool) *Set {
	d := s.derived(question)
	for e, in := range s.in {
		if in && !ok(int32(e)) || !in {
			d.drop(int32(e))
		}
	}
	return d.sorted()
}

// matching refuses sets that do not belong together.
func (s *Set) matching(operation string, o *Set) {
	switch {
	case o == nil:
		panic(fail(SetMismatch, "%s needs a set, and got nil", operation))
	case s.asker.run.info.ID != o.asker.run.info.ID:
		panic(fail(SetMismatch, "%s: the sets are answers of different runs, %s and %s, whose scores cannot be compared; ask one run for both", operation,
			s.asker.run.label(), o.asker.run.label()))
	}
}

// And is the intersection: what is in both sets, with the smaller score of the two.
func (s *Set) And(o *Set) *Set {
	s.matching("And", o)
	d := s.derived(s.bracketed() + " and " + o.bracketed())
	d.itself = -1
	for e := range d.in {
		d.in[e] = s.in[e] && o.in[e]
		d.scores[e] = min(s.scores[e], o.scores[e])
		d.levels[e] = min(s.levels[e], o.levels[e])
	}
	return d.sorted()
}

// Or is the union: what is in either set, with the greater score of the two.
func (s *Set) Or(o *Set) *Set {
	s.matching("Or", o)
	d := s.derived(s.bracketed() + " or " + o.bracketed())
	d.itself = -1
	for e := range d.in {
		d.in[e] = s.in[e] || o.in[e]
		d.scores[e] = max(s.scores[e], o.scores[e])
		d.levels[e] = max(s.levels[e], o.levels[e])
	}
	return d.sorted()
}

// Minus is the difference: what is in s and not in o, with its score in s. Known speaks of s only: that something is not
// in o is what the model says, which no fact holds.
func (s *Set) Minus(o *Set) *Set {
	s.matching("Minus", o)
	d := s.derived(s.bracketed() + " but not " + o.bracketed())
	for e := range d.in {
		if o.in[e] {
			d.drop(int32(e))
		}
	}
	return d.sorted()
}

// Then is one hop on: everything that a member of s has the relation to. The students of Max Born's students:
//
//	run.Ask("Max Born", "advised", "?").Then("advised")
func (s *Set) Then(relation string) *Set { return s.hop(kg.TailSide, relation) }

// Before is one hop back: everything that has the relation to a member of s. The advisers of those who worked in
// Göttingen:
//
//	run.Ask("?", "works_at", "Göttingen").Before("advised")
func (s *Set) Before(relation string) *Set { return s.hop(kg.HeadSide, relation) }

// hopBlock is how many members are asked about at once.
const hopBlock = 32

func (s *Set) hop(side kg.Side, relation string) *Set {
	a := s.asker
	r, err := a.trained.Graph.FindRelation(relation)
	check(nameError(a.trained.Graph, err))
	ctx := a.run.session.context()
	d := a.empty(s.bracketed() + ", then " + relation + " ?")
	if side == kg.HeadSide {
		d.question = "? " + relation + " " + s.bracketed()
	}
	n := a.entities()
	rows := make([]float32, hopBlock*n)
	for from := 0; from < len(s.members); from += hopBlock {
		check(ended(ctx))
		block := s.members[from:min(from+hopBlock, len(s.members))]
		queries := make([]kg.Query, len(block))
		for i, x := range block {
			queries[i] = kg.Query{Side: side, Known: x, Relation: r}
		}
		a.trained.Model.Distances(queries, rows[:len(block)*n])
		for i, x := range block {
			row := rows[i*n:][:n]
			a.slacks(queries[i], row)
			for y, slack := range row {
				if slack != slack { // NaN
					continue
				}
				d.scores[y] = max(d.scores[y], min(s.scores[x], float64(slack)))
				if slack >= 0 {
					d.in[y] = true
					if d.levels[y] < s.levels[x] { // looking a fact up takes longer than most of this loop
						d.levels[y] = max(d.levels[y], min(s.levels[x], a.level(queries[i], int32(y))))
					}
				}
			}
		}
	}
	return d.sorted()
}

// ended is the error of a context, as an interrupt.
func ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return &Error{Name: Interrupted, Message: interruptedCell, Err: ctx.Err()}
	}
	return nil
}

// Top keeps the n best answers.
func (s *Set) Top(n int) *Set {
	if n < 0 {
		panic(fail(Failed, "Top(%d): how many to keep cannot be negative", n))
	}
	rank := make(map[int32]int, len(s.members))
	for i, e := range s.members {
		rank[e] = i
	}
	return s.keep(fmt.Sprintf("the best %d of %s", n, s.bracketed()), func(e int32) bool { return rank[e] < n })
}

// At cuts the set at another score: above 0 it keeps the surer answers, below 0 it takes in what lies just outside.
//
//	run.Ask("Max Born", "advised", "?").At(0.5)
func (s *Set) At(score float64) *Set {
	if score != score {
		panic(fail(Failed, "At: the score is not a number"))
	}
	d := s.derived(fmt.Sprintf("%s at %g", s.bracketed(), score))
	for e, x := range d.scores {
		d.in[e] = x >= score && !math.IsInf(x, -1)
	}
	return d.sorted()
}

// Known keeps the answers that training or validation hold.
func (s *Set) Known() *Set {
	return s.keep("known of "+s.bracketed(), func(e int32) bool { return s.levels[e] == known })
}

// Inferred keeps the answers that the model found beyond training and validation.
func (s *Set) Inferred() *Set {
	return s.keep("inferred of "+s.bracketed(), func(e int32) bool { return s.levels[e] != known })
}

// Len is the number of answers.
func (s *Set) Len() int { return len(s.members) }

// Names are the answers, best score first.
func (s *Set) Names() []string {
	names := make([]string, len(s.members))
	for i, e := range s.members {
		names[i] = s.asker.trained.Graph.Label(e)
	}
	return names
}

// Has reports whether an entity is in the set. A name that the graph does not have is an error.
func (s *Set) Has(name string) bool { return s.in[s.entity(name)] }

// Score is the score of an entity, in the set or not; -Inf where nothing leads to it. A name that the graph does not have
// is an error.
func (s *Set) Score(name string) float64 { return s.scores[s.entity(name)] }

func (s *Set) entity(name string) int32 {
	e, err := s.asker.trained.Graph.FindEntity(name)
	check(nameError(s.asker.trained.Graph, err))
	return e
}

// Rows is the set as a table: name, how it is known, score.
func (s *Set) Rows() *Rows {
	rows := &Rows{columns: []string{"name", "mark", "score"}, title: s.title()}
	for _, e := range s.members {
		rows.values = append(rows.values, []interface{}{s.asker.trained.Graph.Label(e), s.mark(e), s.scores[e]})
	}
	return rows
}
