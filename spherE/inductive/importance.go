package inductive

import (
	"context"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// passing is one query of a fact as the network answers it, with what each edge did for the score of the fact's answer.
type passing struct {
	known, answer int32
	edges         *adjacency
	relations     int32
	// importance has by layer and by place of an edge the slope of the score by the edge's weight in that layer, where
	// every edge of a layer has weight 1. It is the first order of what the score would lose without the edge there.
	importance [][]float32
	share      float64 // of this query among those of the fact
}

// passings asks both queries of a fact. The share of a query that is asked in two ways is divided. The error is that of
// ctx.
func (m *Model) passings(ctx context.Context, of kg.Triple, share float64) (list []*passing, err error) {
	for _, side := range [2]kg.Side{kg.TailSide, kg.HeadSide} {
		ways := []Heads{m.heads}
		if side == kg.HeadSide && m.heads == Both {
			ways = []Heads{Inverse, Direct}
		}
		for _, h := range ways {
			p := &passing{known: of.Query(side).Known, answer: of.Answer(side), edges: m.edges,
				relations: int32(m.relations), share: share / float64(2*len(ways))}
			asked, kind := askedFor(of.Query(side), m.relations, h)
			if p.importance, err = m.importance(ctx, asked, kind, p.known, p.answer); err != nil {
				return nil, err
			}
			list = append(list, p)
		}
	}
	return list, nil
}

// importance returns passing.importance: a forward pass and a backward pass over all entities. They take 4 x width x
// (3 x layers + 4) bytes an entity and 4 x layers + 16 bytes an edge: on FB15k-237 140 MB with those of the search.
func (m *Model) importance(ctx context.Context, asked, kind, known, answer int32) ([][]float32, error) {
	n, w := m.network, m.network.width
	b := newBackward(m.kernels, n.transposedNetwork())
	relations := m.represent(kind)
	query, scratch := make([]float32, w), make([]float32, block*w)
	relations.get(int(asked), query)
	var weight []table
	for i := range n.entity {
		weight = append(weight, n.entity[i].project(m.kernels, relations, scratch))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := newTrace(len(n.entity), m.entities, w)
	t.through(m.kernels, m.edges, int(known), query, make([]float32, w),
		func(i int) *layer { return &n.entity[i].layer }, func(i int) table { return weight[i] })

	back := newWays(m.edges, weight[0].rows).from
	gradient, sumGradient := newTable(m.entities, w), newTable(m.entities, w)
	gradient.set(int(answer), n.scoreSlope(b, t.last(), answer, query))
	importance := make([][]float32, len(n.entity))
	passed := newTable(m.entities, w)
	for i := len(n.entity) - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.layer(&n.entity[i].layer, &b.back.entity[i].layer, nil, t.x[i], t.sum[i], t.products[i], gradient,
			sumGradient)
		importance[i] = edgeSlopes(m.edges, t.x[i], weight[i], sumGradient)
		if i > 0 {
			sums(m.kernels, passed, back, sumGradient, weight[i])
			add(gradient.data, passed.data)
		}
	}
	return importance, nil
}

// scoreSlope returns the slope of the score of an entity by its row.
func (n *Network) scoreSlope(b *backward, x table, entity int32, query []float32) []float32 {
	w := n.width
	row := newTable(1, w)
	row.copyRow(0, x, int(entity))
	hidden := n.base(b.k, query)
	b.k.Linear(hidden, 2*w, row.data, row.pitch(), row.planes(), n.firstEntity)
	own := make([]float32, padded(1)*2*w)
	for j, y := range hidden {
		if y > 0 {
			own[j] = n.last[j]
		}
	}
	slope := make([]float32, w)
	b.addThrough(slope, w, own, 1, b.back.firstEntity)
	return slope
}

// edgeSlopes returns by edge the sum of x[source] * weight[kind] * slope[node that it leads to].
func edgeSlopes(a *adjacency, x, weight, slope table) []float32 {
	slopes := make([]float32, len(a.source))
	row := make([]float32, x.width)
	for d := range int32(a.nodes()) {
		from, to := a.start[d], a.start[d+1]
		if slope.get(int(d), row); from == to || !slices.ContainsFunc(row, func(y float32) bool { return y != 0 }) {
			continue
		}
		for p := range x.planes() {
			y := (*[simd.Lanes]float32)(row[p*simd.Lanes:])
			sources, weights := x.plane(p, 0), weight.plane(p, 0)
			for i := from; i < to; i++ {
				s := (*[simd.Lanes]float32)(sources[int(a.source[i])*simd.Lanes:])
				k := (*[simd.Lanes]float32)(weights[int(a.kind[i])*simd.Lanes:])
				sum := slopes[i]
				for l := range simd.Lanes {
					sum += float32(float32(s[l]*k[l]) * y[l])
				}
				slopes[i] = sum
			}
		}
	}
	return slopes
}
