package multihop

import (
	"context"
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// Sampling is which questions are drawn. The zero value draws 100 of every type.
type Sampling struct {
	Types      []Type // nil: all
	Number     int    // of questions of each type; 0: 100
	Seed       uint64
	MaxAnswers int // questions with more answers are left out; 0: 100, as published
}

// All are the drawn types.
func (s Sampling) All() []Type {
	if s.Types == nil {
		return Types()
	}
	return s.Types
}

// Question is one question of several steps with its answers by the graph's facts.
type Question struct {
	Type Type
	Text string  // an expression, see retrieve.ParseExpression
	Easy []int32 // answers that a join of training and validation facts finds, ascending
	Hard []int32 // those that need a test fact, ascending
}

// attempts is the max number of draws of a type for one question that is kept.
const attempts = 2000

// Sample draws questions, as published: a type is filled from its answer, an entity drawn uniformly, back to its
// entities, by facts of all splits drawn uniformly among those of an entity; a fact is followed in either direction. A
// part that is taken away is filled from another answer of what it is taken from. Kept are questions with a hard answer
// and at most MaxAnswers answers, each once, whose parts differ. It returns fewer questions of a type where 2,000 draws
// for each give no more.
//
// The draws depend on graph and Seed alone. The error is that of ctx.
func Sample(ctx context.Context, g *kg.Graph, s Sampling) ([]Question, error) {
	if s.Number == 0 {
		s.Number = 100
	}
	if s.MaxAnswers == 0 {
		s.MaxAnswers = 100
	}
	d := newDrawer(g)
	var list []Question
	for _, t := range s.All() {
		k := place(t)
		if k < 0 {
			return nil, fmt.Errorf("multihop: query type %q is not known", t)
		}
		d.stream = draw.New(s.Seed, draw.Questions, uint64(k), 0)
		seen := map[string]bool{}
		for tries := 0; len(seen) < s.Number && tries < attempts*s.Number; tries++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			x, ok := d.fill(&types[k].node, d.anyEntity())
			if !ok || seen[x.text] || len(x.right) > s.MaxAnswers {
				continue
			}
			q := Question{Type: t, Text: x.text}
			for _, a := range x.right {
				if _, known := slices.BinarySearch(x.known, a); known {
					q.Easy = append(q.Easy, a)
				} else {
					q.Hard = append(q.Hard, a)
				}
			}
			if len(q.Hard) > 0 {
				seen[x.text] = true
				list = append(list, q)
			}
		}
	}
	return list, nil
}

// drawer fills types with entities and relations.
type drawer struct {
	graph      *kg.Graph
	all, known *kg.Index    // of all splits, and of training and validation
	from       [][]kg.Query // by entity: the queries that it answers by one fact each
	stream     draw.Stream
}

func newDrawer(g *kg.Graph) *drawer {
	splits := kg.Splits()
	d := &drawer{graph: g, all: g.Index(splits[:]...), known: g.Index(kg.Train, kg.Valid),
		from: make([][]kg.Query, g.Entities.Len())}
	for _, s := range splits {
		for _, t := range g.Split(s) {
			for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
				e := t.Answer(side)
				d.from[e] = append(d.from[e], t.Query(side))
			}
		}
	}
	return d
}

func (d *drawer) below(n int) int { return int(d.stream.Uint32n(uint32(n))) }

func (d *drawer) anyEntity() int32 { return int32(d.below(len(d.from))) }

// filled is a part with names: its text, and its answers by all facts and by the known ones, ascending.
type filled struct {
	text         string
	parts        []string // that its operator joins, through brackets
	last         kg.Query // the last hop, if it is one
	right, known []int32
}

// fill draws a part that has the answer by all facts. ok is false where the draw leads nowhere.
func (d *drawer) fill(x *node, answer int32) (f filled, ok bool) {
	if x.operator == "" {
		one := []int32{answer}
		return filled{retrieve.Quote(d.graph.Entities.Name(answer)), nil, kg.Query{}, one, one}, true
	}
	if x.operator == hop {
		if len(d.from[answer]) == 0 {
			return f, false
		}
		q := d.from[answer][d.below(len(d.from[answer]))]
		if f, ok = d.fill(x.left, q.Known); !ok || x.left.operator == hop && isReturn(f.last, q) {
			return f, false
		}
		sign := " > "
		if q.Side == kg.HeadSide {
			sign = " < "
		}
		if x.left.right != nil {
			f.text = "(" + f.text + ")"
		}
		f.text += sign + retrieve.Quote(d.graph.Relations.Name(q.Relation))
		f.parts, f.last = nil, q
		f.right, f.known = follow(d.all, q, f.right), follow(d.known, q, f.known)
		return f, true
	}
	a, ok := d.fill(x.left, answer)
	if !ok {
		return f, false
	}
	if x.operator == "minus" {
		if len(a.right) == 1 {
			return f, false
		}
		kept := answer
		for answer == kept {
			answer = a.right[d.below(len(a.right))]
		}
	}
	b, ok := d.fill(x.right, answer)
	if f.parts = append(a.joined(x.left), b.text); !ok || slices.Contains(f.parts[:len(f.parts)-1], b.text) {
		return f, false
	}
	f.text = a.inside(x.left, x) + " " + x.operator + " " + b.inside(x.right, x)
	f.right, f.known = combine(x.operator, a.right, b.right), combine(x.operator, a.known, b.known)
	return f, len(f.right) > 0
}

// joined returns the parts of x that an operator around it joins.
func (f *filled) joined(x *node) []string {
	if f.parts == nil || x.operator == hop {
		return []string{f.text}
	}
	return slices.Clone(f.parts)
}

// inside returns the text of x as a part of another text.
func (f *filled) inside(x, of *node) string {
	if x.right != nil && x.operator != of.operator {
		return "(" + f.text + ")"
	}
	return f.text
}

// isReturn reports whether the second hop leads back along the relation of the first.
func isReturn(first, second kg.Query) bool {
	return first.Relation == second.Relation && first.Side != second.Side
}

// follow returns where the relation and side of q lead to from some entities, ascending.
func follow(facts *kg.Index, q kg.Query, from []int32) []int32 {
	var to []int32
	for _, q.Known = range from {
		to = append(to, facts.Answers(q)...)
	}
	slices.Sort(to)
	return slices.Compact(to)
}

// combine applies an operator to two ascending lists.
func combine(operator string, a, b []int32) []int32 {
	if operator == "or" {
		both := slices.Sorted(slices.Values(slices.Concat(a, b)))
		return slices.Compact(both)
	}
	var list []int32
	for _, x := range a {
		if _, in := slices.BinarySearch(b, x); in == (operator == "and") {
			list = append(list, x)
		}
	}
	return list
}
