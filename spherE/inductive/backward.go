package inductive

import (
	"math"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// backward computes gradients. It belongs to one goroutine. The kernels of the forward pass compute gradients of
// matrices and of messages, and plain loops compute the others, all in one order of sums.
type backward struct {
	k    *simd.Kernels
	back *Network // the matrices of the network, transposed: gradients go the other way

	row, products []float32 // of a block, row-major
	table         table     // of a block
	turned        []float32 // a block of rows whose floats are next to each other by row
	block         []int32   // numbers of the rows of a block
	rows          []int32   // of the rows with a gradient
}

func newBackward(k *simd.Kernels, back *Network) *backward {
	w := back.width
	return &backward{k: k, back: back, row: make([]float32, 2*block*w), products: make([]float32, 2*block*w),
		table: newTable(block, 2*w), turned: make([]float32, 2*block*w), block: make([]int32, block)}
}

// transposedNetwork returns the network with transposed matrices. Products with them turn gradients of outputs into
// gradients of inputs.
func (n *Network) transposedNetwork() *Network {
	w := n.width
	b := &Network{width: w, firstEntity: transposed(n.firstEntity, 2*w), firstQuery: transposed(n.firstQuery, 2*w)}
	of := func(l layer) layer { return layer{own: transposed(l.own, w), sum: transposed(l.sum, w)} }
	for _, l := range n.relation {
		b.relation = append(b.relation, relationLayer{layer: of(l.layer)})
	}
	for _, l := range n.entity {
		b.entity = append(b.entity, entityLayer{layer: of(l.layer), first: transposed(l.first, w),
			second: transposed(l.second, w)})
	}
	return b
}

// padded returns the number of rows to which a block of n rows is padded with zeros.
func padded(n int) int { return (n + simd.Lanes - 1) / simd.Lanes * simd.Lanes }

// consecutive returns the numbers of n rows, at most block, from row on. The next call overwrites them.
func (b *backward) consecutive(row, n int) []int32 {
	for i := range n {
		b.block[i] = int32(row + i)
	}
	return b.block[:n]
}

// live returns the numbers of the rows that are not zero. The next call overwrites them.
func (b *backward) live(t table) []int32 {
	b.rows = b.rows[:0]
	for row := range t.rows {
		for p := range t.planes() {
			if slices.ContainsFunc(t.plane(p, row)[:simd.Lanes], func(x float32) bool { return x != 0 }) {
				b.rows = append(b.rows, int32(row))
				break
			}
		}
	}
	return b.rows
}

// addOuter adds to dst, the gradient of a matrix with rows of width floats, the outer products of at most block rows of
// x with the gradients of their products. gradients are padded.
func (b *backward) addOuter(dst []float32, width int, x table, rows []int32, gradients []float32) {
	used := b.turned[:padded(len(rows))*x.width]
	clear(used)
	for i, row := range rows {
		at := i/simd.Lanes*x.width*simd.Lanes + i%simd.Lanes
		for p := range x.planes() {
			for l, y := range x.plane(p, int(row))[:simd.Lanes] {
				used[at+(p*simd.Lanes+l)*simd.Lanes] = y
			}
		}
	}
	b.k.Linear(dst, width, used, x.width*simd.Lanes, padded(len(rows))/simd.Lanes, gradients)
}

// addThrough adds the gradients of a matrix's inputs to rows of width floats. gradients has n gradients of its outputs
// as rows.
func (b *backward) addThrough(rows []float32, width int, gradients []float32, n int, matrix []float32) {
	own := len(gradients) / padded(n)
	t := table{b.table.data[:n*own], n, own}
	for i := range n {
		t.set(i, gradients[i*own:])
	}
	b.k.Linear(rows, width, t.data, t.pitch(), t.planes(), matrix)
}

// layer goes back through a layer. gradient has the gradients of its result, and receives those of x without messages.
// The gradients of the sums of messages go to those of sum. products are the rows before they were normalized.
// Gradients of weights are added to g, unless it is nil. Rows without a gradient, which are most of them in the last
// layers, are passed over.
func (b *backward) layer(l, back, g *layer, x, sum table, products []float32, gradient, sumGradient table) {
	w := x.width
	clear(sumGradient.data)
	for live := range slices.Chunk(b.live(gradient), block) {
		n := len(live)
		own := b.row[:padded(n)*w]
		clear(own)
		to := b.products[:n*w]
		for i, row := range live {
			slope := to[i*w:][:w]
			gradient.get(int(row), slope)
			l.backNormalize(own[i*w:][:w], products[int(row)*w:][:w], slope, g)
			if g != nil {
				add(g.bias, own[i*w:])
			}
		}
		if g != nil {
			b.addOuter(g.own, w, x, live, own)
			b.addOuter(g.sum, w, sum, live, own)
		}
		b.addThrough(to, w, own, n, back.own)
		for i, row := range live {
			gradient.set(int(row), to[i*w:])
		}
		clear(to)
		b.addThrough(to, w, own, n, back.sum)
		for i, row := range live {
			sumGradient.set(int(row), to[i*w:])
		}
	}
}

// add adds x to dst, which is as long.
func add(dst, x []float32) {
	for i := range dst {
		dst[i] += x[i]
	}
}

// backNormalize sets dst to the gradient of a row before it was normalized, from the gradient of the result. It leaves
// out the part of x. g may be nil. See simd.Network.Normalize.
func (l *layer) backNormalize(dst, row, gradient []float32, g *layer) {
	count := float32(len(row))
	mean := laneSum(row, func(x float32) float32 { return x }) / count
	variance := laneSum(row, func(x float32) float32 { return float32((x - mean) * (x - mean)) }) / count
	scale := 1 / float32(math.Sqrt(float64(variance+epsilon)))
	var sum, product float32
	for j, x := range row {
		normal := float32((x - mean) * scale)
		if float32(normal*l.gain[j])+l.shift[j] <= 0 {
			dst[j] = 0
			continue
		}
		if g != nil {
			g.gain[j] += float32(gradient[j] * normal)
			g.shift[j] += gradient[j]
		}
		d := float32(gradient[j] * l.gain[j])
		dst[j] = d
		sum += d
		product += float32(d * normal)
	}
	sum, product = sum/count, product/count
	for j, x := range row {
		normal := float32((x - mean) * scale)
		dst[j] = float32((dst[j] - sum - float32(normal*product)) * scale)
	}
}

// laneSum sums f of the floats of a row in the order of the kernels.
func laneSum(row []float32, f func(float32) float32) float32 {
	var sum [simd.Lanes]float32
	for j := 0; j < len(row); j += simd.Lanes {
		for l := range simd.Lanes {
			sum[l] += f(row[j+l])
		}
	}
	return simd.Reduce(&sum)
}

// projection goes back through the weights of relations in a layer over entities. gradient has the gradients of the
// weights. The gradients of the representations x are added to result.
func (b *backward) projection(l, back, g *entityLayer, x, gradient, result table) {
	w := x.width
	hidden := newTable(block, w)
	for row := 0; row < x.rows; row += block {
		n := min(block, x.rows-row)
		h := hidden.sized(n)
		products := b.products[:n*w]
		repeat(products, l.firstBias)
		b.k.Linear(products, w, x.from(row), x.pitch(), x.planes(), l.first)
		own := b.row[:padded(n)*w]
		clear(own)
		for i := range n {
			rectify(products[i*w:][:w])
			h.set(i, products[i*w:])
			gradient.get(row+i, own[i*w:][:w])
			add(g.secondBias, own[i*w:])
		}
		b.addOuter(g.second, w, h, b.consecutive(0, n), own)
		inner := b.row[block*w:][:padded(n)*w]
		clear(inner)
		b.addThrough(inner[:n*w], w, own, n, back.second)
		for i := range n * w {
			if products[i] <= 0 {
				inner[i] = 0
			}
		}
		for i := range n {
			add(g.firstBias, inner[i*w:])
		}
		b.addOuter(g.first, w, x, b.consecutive(row, n), inner)
		for i := range n {
			result.get(row+i, products[i*w:][:w])
		}
		b.addThrough(products, w, inner, n, back.first)
		for i := range n {
			result.set(row+i, products[i*w:])
		}
	}
}
