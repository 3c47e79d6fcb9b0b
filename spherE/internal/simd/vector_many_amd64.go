package simd

import "math"

// pairs are vector kernels over two rows, from which vectorNorm makes those over listed rows. Each prefetches the row
// next meanwhile. A call per row costs little, compared with a row.
type pairs struct {
	planes int // of lengths that are kept; 0 for none
	pair   func(q, c, next, length []float32) float32
	push   func(g, q, c, next []float32, w float32) // adds the gradient by c
	pull   func(g, q, c, next []float32, w float32) // adds the gradient by q
	rows   Compare                                  // compares many queries with many rows
}

func vectorNorm(p pairs) Norm {
	return Norm{
		Pair: func(q, c []float32) float32 { return p.pair(q, c, c, nil) },
		Push: func(g, q, c []float32, w float32) { p.push(g, q, c, c, w) },
		Rows: p.rows,
		Gather: func(dst, length, q, table []float32, number []int32) {
			listed, kept := number[:cap(number)], []float32(nil)
			for k, e := range number {
				next := row(table, listed[min(k+Ahead, len(listed)-1)], len(q))
				if p.planes > 0 {
					n := len(q) / p.planes
					if kept = length[:n]; len(length) > n {
						kept = length[k*n:][:n]
					}
				}
				dst[k] = p.pair(q, row(table, e, len(q)), next, kept)
			}
		},
		GatherPush: func(g, q, table []float32, number, _ []int32, weight, _ []float32) {
			listed := number[:cap(number)]
			for k, e := range number {
				if w := weight[k]; w != 0 {
					p.pull(g, q, row(table, e, len(q)), row(table, listed[min(k+Ahead, len(listed)-1)], len(q)), w)
				}
			}
		},
		OwnPush: func(g, own, table []float32, pull []uint64) {
			listed := pull[:cap(pull)]
			for k, x := range pull {
				e, w := int32(uint32(x)), math.Float32frombits(uint32(x>>32))
				switch {
				case e < 0:
					add(g, row(table, ^e, len(g)))
				case w != 0:
					later := int32(uint32(listed[min(k+Ahead, len(listed)-1)]))
					p.push(g, row(table, e, len(g)), own, row(table, later^later>>31, len(g)), w)
				}
			}
		},
	}
}
