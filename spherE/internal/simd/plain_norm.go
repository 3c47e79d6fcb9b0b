package simd

import "math"

// plainNorm makes the kernels over many rows from those over two. If no lengths are kept, planes is not used and keep
// and pushKept are nil.
func plainNorm(
	planes int,
	pair func(q, c []float32) float32,
	push func(g, q, c []float32, w float32),
	keep func(length, q, c []float32),
	pushKept func(g, q, c []float32, w float32, length []float32),
) Norm {
	return Norm{
		Pair: pair, Push: push,
		Rows: func(dst []float32, pitch int, queries, rows []float32, stride int) {
			for i := range len(queries) / stride {
				for e := range len(rows) / stride {
					dst[i*pitch+e] = pair(row(queries, int32(i), stride), row(rows, int32(e), stride))
				}
			}
		},
		Gather: func(dst, length, q, table []float32, number []int32) {
			for k, e := range number {
				c := row(table, e, len(q))
				dst[k] = pair(q, c)
				if keep != nil {
					n := len(q) / planes
					at := k * n
					if len(length) <= n {
						at = 0
					}
					keep(length[at:][:n], q, c)
				}
			}
		},
		GatherPush: func(g, q, table []float32, number, _ []int32, weight, length []float32) {
			for k, e := range number {
				c := row(table, e, len(q))
				switch {
				case weight[k] == 0:
				case pushKept == nil:
					push(g, c, q, weight[k])
				default:
					n := len(q) / planes
					pushKept(g, c, q, weight[k], length[k*n:][:n])
				}
			}
		},
		OwnPush: func(g, own, table []float32, pull []uint64) {
			for _, x := range pull {
				e, w := int32(uint32(x)), math.Float32frombits(uint32(x>>32))
				switch {
				case e < 0:
					add(g, row(table, ^e, len(g)))
				case w != 0:
					push(g, row(table, e, len(g)), own, w)
				}
			}
		},
	}
}

func row(table []float32, number int32, stride int) []float32 {
	return table[int(number)*stride:][:stride]
}

// blockLengths computes the lengths of the blocks of c - q, for rows of the given number of planes.
func blockLengths(planes int) func(length, q, c []float32) {
	return func(length, q, c []float32) {
		n := len(length)
		for j := range n {
			x := c[j] - q[j]
			square := float32(x * x)
			for p := 1; p < planes; p++ {
				y := c[p*n+j] - q[p*n+j]
				square += float32(y * y)
			}
			length[j] = sqrt(square)
		}
	}
}

// pushLengths is Push with known lengths.
func pushLengths(planes int) func(g, q, c []float32, w float32, length []float32) {
	return func(g, q, c []float32, w float32, length []float32) {
		n := len(length)
		for j, l := range length {
			if l == 0 {
				continue
			}
			s := w / l
			for i := j; i < planes*n; i += n {
				g[i] += float32(s * (c[i] - q[i]))
			}
		}
	}
}
