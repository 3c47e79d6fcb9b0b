// Package stack combines trained models of a graph by logistic regression (stacked generalization, Wolpert 1992). The
// features of a candidate are its score and rank under every model, and counts of training facts. The weights are
// fitted on the validation queries. A stack is a model too: its value of an entity is minus the logarithm of the odds
// that the entity is an answer that training does not hold.
package stack

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"sync"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/stack/boost"
)

// Model is what a stack needs of a model that it combines; *sphere.Model is one.
type Model interface {
	Entities() int
	Relations() int
	Digest() string
	// Distances fills dst, row-major len(queries) x Entities(); safe for concurrent use.
	Distances(queries []kg.Query, dst []float32)
	// Values turns a row of distances into values; smaller is better. dst may be dist.
	Values(c sphere.Criterion, q kg.Query, dist, dst []float32) (threshold float32)
}

// Weights of the features, in the order of FeatureNames, by the side of the query.
type Weights struct {
	Head []float64 `json:"head"`
	Tail []float64 `json:"tail"`
}

func (w *Weights) side(s kg.Side) *[]float64 {
	if s == kg.HeadSide {
		return &w.Head
	}
	return &w.Tail
}

// Fitted has all weights of a stack.
type Fitted struct {
	All Weights `json:"all"` // fitted on all validation queries
	// Halves are the weights for the even and the odd validation queries: each was fitted on the others.
	Halves [2]Weights `json:"halves"`

	Trees *Trees `json:"trees,omitempty"` // nil without
}

// part is what a query is answered with.
type part struct {
	weights []float64
	trees   *boost.Forest // nil without
}

func (f *Fitted) part(q kg.Query) part {
	p := part{weights: *f.All.side(q.Side)}
	if f.Trees != nil {
		p.trees = f.Trees.All.side(q.Side)
	}
	return p
}

func (f *Fitted) half(q kg.Query, half int) part {
	p := part{weights: *f.Halves[half].side(q.Side)}
	if f.Trees != nil {
		p.trees = f.Trees.Halves[half].side(q.Side)
	}
	return p
}

// Stack has several models of a graph with the weights of their features. It is safe for concurrent use.
type Stack struct {
	models  []Model
	graph   *kg.Graph
	fitted  Fitted
	train   *kg.Index
	degree  []float32        // ln(1 + training facts) by entity
	logs    []float32        // ln by integers up to the number of entities and one more
	inverse []float32        // 1/i by the same
	half    map[kg.Query]int // of validation queries
	rows    sync.Pool        // of *row

	isCountless bool // fitted as if all counts were 0
	isClassless bool // fitted as if no entity had a class
}

// New combines models with weights that Fit has found on the graph.
func New(models []Model, g *kg.Graph, f Fitted) (*Stack, error) {
	s, err := prepare(models, g, Settings{WithClasses: true})
	if err != nil {
		return nil, err
	}
	for _, w := range []*Weights{&f.All, &f.Halves[0], &f.Halves[1]} {
		for _, side := range [][]float64{w.Head, w.Tail} {
			if len(side) != featureCount(len(models)) {
				return nil, fmt.Errorf("stack: %d weights do not fit %d models, which have %d features", len(side),
					len(models), featureCount(len(models)))
			}
			for _, x := range side {
				if x-x != 0 {
					return nil, fmt.Errorf("stack: a weight is %v", x)
				}
			}
		}
	}
	if err := f.Trees.check(treeFeatureCount(len(models))); err != nil {
		return nil, err
	}
	s.fitted = f
	return s, nil
}

// Models returns the models that the stack combines.
func (s *Stack) Models() []Model { return slices.Clone(s.models) }

// On returns the stack of other models on a graph with the same names. It counts that graph's training facts and has
// the same weights.
func (s *Stack) On(g *kg.Graph, models []Model) (*Stack, error) { return New(models, g, s.fitted) }

// prepare counts what features need of the graph.
func prepare(models []Model, g *kg.Graph, o Settings) (*Stack, error) {
	if len(models) < 2 {
		return nil, fmt.Errorf("stack: a stack needs at least two models, got %d", len(models))
	}
	n := g.Entities.Len()
	for _, m := range models {
		if m.Entities() != n || m.Relations() != g.Relations.Len() {
			return nil, fmt.Errorf("stack: a model has %d entities and %d relations, and graph %q has %d and %d",
				m.Entities(), m.Relations(), g.Name, n, g.Relations.Len())
		}
	}
	s := &Stack{models: models, graph: g, train: g.Index(kg.Train), half: map[kg.Query]int{},
		isCountless: o.WithoutCounts, isClassless: !o.WithClasses}
	s.tabulate(n + 1)
	facts := make([]int, n)
	for _, t := range g.Train {
		facts[t.Head]++
		if t.Tail != t.Head {
			facts[t.Tail]++
		}
	}
	for _, f := range facts {
		s.degree = append(s.degree, s.lnCount(f))
	}
	for i, q := range queries(g.Divided().Valid) { // the weights of a refit are those of the divided graph
		s.half[q] = i % 2
	}
	s.rows.New = func() any { return newRow(s) }
	return s, nil
}

// Fitted returns the weights.
func (s *Stack) Fitted() Fitted { return s.fitted }

// Digest is the SHA-256 of the models' digests and of the weights, in hexadecimal digits.
func (s *Stack) Digest() string {
	h := sha256.New()
	for _, m := range s.models {
		fmt.Fprintln(h, m.Digest())
	}
	for _, w := range []*Weights{&s.fitted.All, &s.fitted.Halves[0], &s.fitted.Halves[1]} {
		for _, side := range [][]float64{w.Head, w.Tail} {
			for _, x := range side {
				_ = binary.Write(h, binary.LittleEndian, math.Float64bits(x)) // a hash never fails
			}
		}
	}
	if s.fitted.Trees != nil {
		s.fitted.Trees.hash(h)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Settings returns the name of the stack. Its Gamma is 0: the score is minus the value.
func (s *Stack) Settings() sphere.Settings { return sphere.Settings{Variant: sphere.Clean} }

// Entities and Relations are those of the graph.
func (s *Stack) Entities() int { return s.graph.Entities.Len() }

// Relations is the number of relations.
func (s *Stack) Relations() int { return s.graph.Relations.Len() }

// LogOdds is true: values are minus logarithms of odds.
func (s *Stack) LogOdds() bool { return true }

// HasRadii is false: a stack has no geometry of its own.
func (s *Stack) HasRadii() bool { return false }

// Radius is 0.
func (s *Stack) Radius(int32) float32 { return 0 }

// DefaultCriterion is the margin: entities that are answers at least as likely as not.
func (s *Stack) DefaultCriterion() sphere.Criterion { return sphere.CriterionMargin }

// Values are the distances, whatever the criterion; the threshold 0 is a probability of one half.
func (s *Stack) Values(_ sphere.Criterion, _ kg.Query, dist, dst []float32) float32 {
	copy(dst, dist)
	return 0
}

// Distances fills dst, row-major len(queries) x Entities(), with values by the weights of all validation queries.
func (s *Stack) Distances(queries []kg.Query, dst []float32) {
	s.distances(queries, dst, s.fitted.part)
}

// DistancesAt fills dst with the distances of all entities, not only the listed ones: ranks need all.
func (s *Stack) DistancesAt(q kg.Query, _ []int32, dst []float32) { s.Distances([]kg.Query{q}, dst) }

// Crossed is the stack for validation queries. It answers them by the weights that were fitted without them, and other
// queries as the stack does.
type Crossed struct{ *Stack }

// Crossed returns the stack for validation queries.
func (s *Stack) Crossed() Crossed { return Crossed{s} }

// Distances is that of the stack, except that a validation query has the weights that were fitted without its half.
func (c Crossed) Distances(queries []kg.Query, dst []float32) {
	c.distances(queries, dst, func(q kg.Query) part {
		if half, ok := c.half[q]; ok {
			return c.fitted.half(q, half)
		}
		return c.fitted.part(q)
	})
}

// DistancesAt is that of the stack, by Distances.
func (c Crossed) DistancesAt(q kg.Query, _ []int32, dst []float32) { c.Distances([]kg.Query{q}, dst) }

func (s *Stack) distances(queries []kg.Query, dst []float32, by func(kg.Query) part) {
	w := s.rows.Get().(*row)
	defer s.rows.Put(w)
	n := s.Entities()
	w.each(queries, func(i int, q kg.Query) {
		part := by(q)
		odds := w.logOdds(part.weights)
		if part.trees != nil {
			w.correct(odds, part.trees)
		}
		out := dst[i*n : (i+1)*n]
		for e, z := range odds {
			out[e] = float32(-z)
		}
	})
}
