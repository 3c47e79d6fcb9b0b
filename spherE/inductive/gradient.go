package inductive

import (
	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// example is a positive triple as a query, with the entities to compare its answer with.
type example struct {
	known, answer int32
	asked         int32 // the kind of edge that is asked for
	of            int32 // the kind that representations of relations are for
	negatives     []int32
	positive      kg.Triple // no message passes its edges
}

// relations has the forward pass over relations for one kind that is asked for.
type relations struct {
	trace  *trace
	weight []table // by layer over entities, a row per kind of edge
}

func (n *Network) relationsOf(k *simd.Kernels, meeting *adjacency, of int32) *relations {
	r := &relations{trace: newTrace(len(n.relation), meeting.nodes(), n.width)}
	one, row := make([]float32, n.width), make([]float32, n.width)
	for i := range one {
		one[i] = 1
	}
	r.trace.through(k, meeting, int(of), one, row, func(i int) *layer { return &n.relation[i].layer },
		func(i int) table { return table{n.relation[i].meeting, meetings, n.width} })
	scratch := make([]float32, block*n.width)
	for i := range n.entity {
		r.weight = append(r.weight, n.entity[i].project(k, r.trace.last(), scratch))
	}
	return r
}

// exampleGradient has the gradients of one example.
type exampleGradient struct {
	loss   float64
	of     *Network
	weight []table   // of the weights of relations, by layer
	query  []float32 // of the representation of the asked relation
}

// example computes the loss of an example, times scale, and its gradients.
func (n *Network) example(b *backward, t *trace, edges *adjacency, r *relations, e example, temperature float64,
	scale float32,
) exampleGradient {
	w := n.width
	kinds := r.weight[0].rows
	inverse := func(kind int32) int32 { return (kind + int32(kinds/2)) % int32(kinds) }
	p := e.positive
	left := newWays(edges.without(func(to, from, kind int32) bool {
		return kind == p.Relation && to == p.Head && from == p.Tail ||
			kind == inverse(p.Relation) && to == p.Tail && from == p.Head
	}), kinds)
	query, row := make([]float32, w), make([]float32, w)
	r.trace.last().get(int(e.asked), query)
	t.through(b.k, left.to, int(e.known), query, row, func(i int) *layer { return &n.entity[i].layer },
		func(i int) table { return r.weight[i] })

	g := exampleGradient{of: n.blank(), weight: make([]table, len(n.entity)), query: make([]float32, w)}
	gradient := newTable(edges.nodes(), w)
	n.scoreGradient(b, t.last(), e, query, temperature, scale, &g, gradient)
	t.propagateBack(b, left, kinds, gradient, newTable(edges.nodes(), w),
		func(i int) *layer { return &n.entity[i].layer }, func(i int) *layer { return &b.back.entity[i].layer },
		func(i int) *layer { return &g.of.entity[i].layer }, func(i int) table { return r.weight[i] },
		func(i int, sumGradient, weightGradient table) {
			sumGradient.get(int(e.known), row)
			add(g.query, row)
			g.weight[i] = weightGradient
		})
	gradient.get(int(e.known), row)
	add(g.query, row)
	return g
}

// scoreGradient computes the loss and its gradients back to the rows of entities, which are added to gradient. The loss
// is that of the paper: binary cross-entropy, with negatives weighted by the softmax of their scores at a temperature.
// The weights have no gradient.
func (n *Network) scoreGradient(b *backward, x table, e example, query []float32, temperature float64, scale float32,
	g *exampleGradient, gradient table,
) {
	w := n.width
	candidates := append([]int32{e.answer}, e.negatives...)
	rows := newTable(len(candidates), w)
	for i, c := range candidates {
		rows.copyRow(i, x, int(c))
	}
	hidden := make([]float32, padded(len(candidates))*2*w)
	scores := make([]float32, len(candidates))
	base := n.base(b.k, query)
	for row := 0; row < rows.rows; row += block {
		count := min(block, rows.rows-row)
		to := hidden[row*2*w : (row+count)*2*w]
		repeat(to, base)
		b.k.Linear(to, 2*w, rows.from(row), rows.pitch(), rows.planes(), n.firstEntity)
		b.k.Rectified(scores[row:row+count], to, n.last, n.lastBias[0])
	}
	loss, slopes := lossOf(scores, temperature)
	g.loss = loss
	all := make([]float32, 2*w)
	row := make([]float32, w)
	for first := 0; first < rows.rows; first += block {
		count := min(block, rows.rows-first)
		own := b.row[:padded(count)*2*w]
		clear(own)
		for i := range count {
			slope := float32(float32(slopes[first+i]) * scale)
			g.of.lastBias[0] += slope
			h := hidden[(first+i)*2*w:][:2*w]
			for j, y := range h {
				if y > 0 {
					g.of.last[j] += float32(slope * y)
					own[i*2*w+j] = float32(slope * n.last[j])
				}
			}
			add(all, own[i*2*w:])
		}
		b.addOuter(g.of.firstEntity, 2*w, rows, b.consecutive(first, count), own)
		to := b.products[:count*w]
		clear(to)
		b.addThrough(to, w, own, count, b.back.firstEntity)
		for i := range count {
			gradient.get(int(candidates[first+i]), row)
			add(row, to[i*w:])
			gradient.set(int(candidates[first+i]), row)
		}
	}
	add(g.of.firstBias, all)
	for i, q := range query {
		var sum float32
		for j, y := range all {
			g.of.firstQuery[i*2*w+j] += float32(q * y)
			sum += float32(n.firstQuery[i*2*w+j] * y)
		}
		g.query[i] += sum
	}
}

// lossOf returns the loss of scores, of which the first is the answer's, and its slope by each score.
func lossOf(scores []float32, temperature float64) (loss float64, slopes []float64) {
	slopes = make([]float64, len(scores))
	loss, s := exact.Logistic(-float64(scores[0]))
	slopes[0] = -s
	negatives := scores[1:]
	if len(negatives) == 0 {
		return loss, slopes
	}
	most := negatives[0]
	for _, x := range negatives {
		most = max(most, x)
	}
	var all float64
	weights := make([]float64, len(negatives))
	for i, x := range negatives {
		weights[i] = exact.Exp(float64(x-most) / temperature)
		all += weights[i]
	}
	for i, x := range negatives {
		one, s := exact.Logistic(float64(x))
		weight := weights[i] / all
		loss += float64(weight * one)
		slopes[i+1] = float64(weight*s) / 2
	}
	slopes[0] /= 2
	return loss / 2, slopes
}

// relationsGradient goes back through the pass over relations. weight has the gradients of the weights of relations by
// layer over entities, and result the gradients of the representations. Gradients are added to g.
func (n *Network) relationsGradient(b *backward, meeting ways, r *relations, weight []table, result table, g *Network) {
	last := r.trace.last()
	for i := range n.entity {
		b.projection(&n.entity[i], &b.back.entity[i], &g.entity[i], last, weight[i], result)
	}
	r.trace.propagateBack(b, meeting, meetings, result, newTable(result.rows, result.width),
		func(i int) *layer { return &n.relation[i].layer }, func(i int) *layer { return &b.back.relation[i].layer },
		func(i int) *layer { return &g.relation[i].layer },
		func(i int) table { return table{n.relation[i].meeting, meetings, n.width} },
		func(i int, _, weightGradient table) { add(g.relation[i].meeting, weightGradient.data) })
}
