package inductive

import (
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// block is the number of rows that are multiplied at once: their products stay in the first-level cache.
const block = 32

// sums sets row d of dst to the sum of x[source] * weight[kind] over the edges of node d, for all nodes of a.
func sums(k *simd.Kernels, dst table, a *adjacency, x, weight table) {
	for p := range dst.planes() {
		k.Messages(dst.plane(p, 0), a.start, a.source, a.kind, x.plane(p, 0), weight.plane(p, 0))
	}
}

// apply sets dst to the layer's result for as many rows of x and of sums of messages. dst may be x. scratch has
// block*width floats.
func (l *layer) apply(k *simd.Kernels, dst, x, sum table, scratch []float32) {
	for row := 0; row < dst.rows; row += block {
		n := min(block, dst.rows-row)
		l.applyBlock(k, dst, x, sum, row, scratch[:n*x.width])
	}
}

// applyBlock applies the layer to the rows from row on, as many as products has room for. products receives the rows
// before they are normalized.
func (l *layer) applyBlock(k *simd.Kernels, dst, x, sum table, row int, products []float32) {
	w := x.width
	repeat(products, l.bias)
	k.Linear(products, w, x.from(row), x.pitch(), x.planes(), l.own)
	k.Linear(products, w, sum.from(row), sum.pitch(), sum.planes(), l.sum)
	k.Normalize(dst.from(row), dst.pitch(), x.from(row), x.pitch(), products, l.gain, l.shift, epsilon)
}

// repeat fills rows with copies of x.
func repeat(rows, x []float32) {
	for i := 0; i < len(rows); i += len(x) {
		copy(rows[i:], x)
	}
}

// represent returns the representation of every relation for the query relation: a table of a row per node of the graph
// of relations.
func (n *Network) represent(k *simd.Kernels, g *adjacency, query int32) table {
	x, sum := newTable(g.nodes(), n.width), newTable(g.nodes(), n.width)
	one := make([]float32, n.width)
	for i := range one {
		one[i] = 1
	}
	x.set(int(query), one)
	scratch, row := make([]float32, block*n.width), make([]float32, n.width)
	for i := range n.relation {
		l := &n.relation[i]
		sums(k, sum, g, x, table{l.meeting, meetings, n.width})
		start(sum, int(query), one, 1, row)
		l.apply(k, x, x, sum, scratch)
	}
	return x
}

// start adds the start of a node, degree times x, to the sum of its messages.
func start(sum table, node int, x []float32, degree float32, scratch []float32) {
	sum.get(node, scratch)
	for i := range scratch {
		scratch[i] += float32(degree * x[i])
	}
	sum.set(node, scratch)
}

// project returns the weights of every relation in a layer over entities.
func (l *entityLayer) project(k *simd.Kernels, x table, scratch []float32) table {
	w := x.width
	dst := newTable(x.rows, w)
	for row := 0; row < x.rows; row += block {
		n := min(block, x.rows-row)
		to := scratch[:n*w]
		repeat(to, l.firstBias)
		k.Linear(to, w, x.from(row), x.pitch(), x.planes(), l.first)
		hidden := newTable(n, w)
		for i := range n {
			rectify(to[i*w:][:w])
			hidden.set(i, to[i*w:])
		}
		repeat(to, l.secondBias)
		k.Linear(to, w, hidden.data, hidden.pitch(), hidden.planes(), l.second)
		for i := range n {
			dst.set(row+i, to[i*w:])
		}
	}
	return dst
}

// rectify replaces numbers below 0 by 0.
func rectify(x []float32) {
	for i, y := range x {
		if 0 > y {
			x[i] = 0
		}
	}
}

// score sets dst to the scores of the rows of x for the query of base. scratch has 2*block*width floats.
func (n *Network) score(k *simd.Kernels, dst []float32, x table, base, scratch []float32) {
	w := 2 * n.width
	for row := 0; row < x.rows; row += block {
		count := min(block, x.rows-row)
		to := scratch[:count*w]
		repeat(to, base)
		k.Linear(to, w, x.from(row), x.pitch(), x.planes(), n.firstEntity)
		k.Rectified(dst[row:row+count], to, n.last, n.lastBias[0])
	}
}

// base returns what the query's own representation adds to the hidden floats of every score.
func (n *Network) base(k *simd.Kernels, query []float32) []float32 {
	base := append([]float32(nil), n.firstBias...)
	t := newTable(1, n.width)
	t.set(0, query)
	k.Linear(base, 2*n.width, t.data, t.pitch(), t.planes(), n.firstQuery)
	return base
}
