package inductive

import (
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// trace has what the backward pass needs of a forward pass over a graph: the rows before each layer and after the last
// one, and for each layer the sums of messages and the rows before they were normalized.
type trace struct {
	x, sum   []table
	products [][]float32
}

func newTrace(layers, rows, width int) *trace {
	t := &trace{x: []table{newTable(rows, width)}}
	for range layers {
		t.x, t.sum = append(t.x, newTable(rows, width)), append(t.sum, newTable(rows, width))
		t.products = append(t.products, make([]float32, rows*width))
	}
	return t
}

// last are the rows after the last layer.
func (t *trace) last() table { return t.x[len(t.x)-1] }

// through passes messages through layers, from the start row of one node. layer and weight return the layer and the
// weights with a number.
func (t *trace) through(
	k *simd.Kernels, a *adjacency, node int, first, scratch []float32, layer func(int) *layer, weight func(int) table,
) {
	clear(t.x[0].data)
	t.x[0].set(node, first)
	for i := range t.sum {
		x, w := t.x[i], t.x[i].width
		sums(k, t.sum[i], a, x, weight(i))
		start(t.sum[i], node, first, 1, scratch)
		for row := 0; row < x.rows; row += block {
			n := min(block, x.rows-row)
			layer(i).applyBlock(k, t.x[i+1], x, t.sum[i], row, t.products[i][row*w:(row+n)*w])
		}
	}
}

// ways are the edges of a graph in the three orders in which forward and backward passes read them.
type ways struct {
	to     *adjacency // by the node that an edge leads to
	from   *adjacency // by the node that it comes from; source is the node that it leads to
	byKind *adjacency // by kind; source is the node that it comes from, and kind the one that it leads to
}

// newWays returns the ways of a graph whose edges have kinds kinds.
func newWays(a *adjacency, kinds int) ways {
	w := ways{to: a, from: sized(a.nodes(), len(a.source)), byKind: sized(kinds, len(a.source))}
	each := func(do func(to, from, kind int32)) {
		for d := range int32(a.nodes()) {
			for i := a.start[d]; i < a.start[d+1]; i++ {
				do(d, a.source[i], a.kind[i])
			}
		}
	}
	each(func(_, from, kind int32) {
		w.from.start[from+1]++
		w.byKind.start[kind+1]++
	})
	for _, b := range []*adjacency{w.from, w.byKind} {
		for i := range b.nodes() {
			b.start[i+1] += b.start[i]
		}
	}
	nextFrom := append([]int32(nil), w.from.start...)
	nextKind := append([]int32(nil), w.byKind.start...)
	each(func(to, from, kind int32) {
		w.from.source[nextFrom[from]], w.from.kind[nextFrom[from]] = to, kind
		nextFrom[from]++
		w.byKind.source[nextKind[kind]], w.byKind.kind[nextKind[kind]] = from, to
		nextKind[kind]++
	})
	return w
}

// sized returns an adjacency with room for a number of edges.
func sized(nodes, edges int) *adjacency {
	return &adjacency{start: make([]int32, nodes+1), source: make([]int32, edges), kind: make([]int32, edges)}
}

// without returns a graph without the edges for which drop returns true.
func (a *adjacency) without(drop func(to, from, kind int32) bool) *adjacency {
	b := &adjacency{start: make([]int32, 1, len(a.start)), source: make([]int32, 0, len(a.source)),
		kind: make([]int32, 0, len(a.kind))}
	for d := range int32(a.nodes()) {
		for i := a.start[d]; i < a.start[d+1]; i++ {
			if !drop(d, a.source[i], a.kind[i]) {
				b.source, b.kind = append(b.source, a.source[i]), append(b.kind, a.kind[i])
			}
		}
		b.start = append(b.start, int32(len(b.source)))
	}
	return b
}

// propagateBack goes back through the layers of a trace. gradient has the gradients of the last rows, and receives
// those of the first ones. done receives the gradients of a layer's sums of messages and of its weights of the kinds of
// edges. kinds is the number of kinds.
func (t *trace) propagateBack(b *backward, w ways, kinds int, gradient, scratch table, layer, back, g func(int) *layer,
	weight func(int) table, done func(i int, sumGradient, weightGradient table),
) {
	sumGradient := newTable(gradient.rows, gradient.width)
	for i := len(t.sum) - 1; i >= 0; i-- {
		b.layer(layer(i), back(i), g(i), t.x[i], t.sum[i], t.products[i], gradient, sumGradient)
		weightGradient := newTable(kinds, gradient.width)
		sums(b.k, weightGradient, w.byKind, t.x[i], sumGradient)
		done(i, sumGradient, weightGradient)
		sums(b.k, scratch, w.from, sumGradient, weight(i))
		add(gradient.data, scratch.data)
	}
}
