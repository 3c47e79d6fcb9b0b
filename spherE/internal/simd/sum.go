package simd

import "math"

// Combine adds weighted rows: dst[d] += weight[d*perDst + k*perRow] * rows[k] for ascending k, float by float. dst and
// rows are tables of rows of stride floats.
type Combine func(dst, weight []float32, perDst, perRow int, rows []float32, stride int)

// Sums has the inner loops of losses over all entities. See plain_sum.go for the loops.
type Sums struct {
	Combine Combine
	// AddScaled adds w times x to g.
	AddScaled func(g, x []float32, w float32)
	// Adagrad updates parameters p by gradient g; v are the sums of squares (Duchi et al., JMLR 2011).
	Adagrad func(p, v, g []float32, rate, epsilon float32)
}

// blocked makes a Combine from a kernel for four rows of dst, and from one for a single row.
func blocked(four, one func(dst, weight []float32, perDst, perRow, count int, rows []float32, stride int)) Combine {
	return func(dst, weight []float32, perDst, perRow int, rows []float32, stride int) {
		count := len(rows) / stride
		if count == 0 {
			return
		}
		for d := 0; d*stride < len(dst); {
			n, kernel := 1, one
			if (d+4)*stride <= len(dst) {
				n, kernel = 4, four
			}
			kernel(dst[d*stride:][:n*stride], weight[d*perDst:], perDst, perRow, count, rows, stride)
			d += n
		}
	}
}

// dotNorm makes a Norm of the dot product of point and row, which has a sign: the gradient by one is the other. It
// keeps no lengths.
func dotNorm(c Comparisons, s Sums) Norm {
	return Norm{
		Pair: func(q, c0 []float32) float32 {
			var dst [1]float32
			c.DotRows(dst[:], 1, q, c0, len(q))
			return dst[0]
		},
		Push: func(g, q, _ []float32, w float32) { s.AddScaled(g, q, w) },
		Rows: c.Products,
		Gather: func(dst, _, q, table []float32, number []int32) {
			for k, e := range number {
				c.DotRows(dst[k:], 1, q, row(table, e, len(q)), len(q))
			}
		},
		GatherPush: func(g, q, table []float32, number, _ []int32, weight, _ []float32) {
			for k, e := range number {
				if weight[k] != 0 {
					s.AddScaled(g, row(table, e, len(q)), weight[k])
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
					s.AddScaled(g, row(table, e, len(g)), w)
				}
			}
		},
	}
}
