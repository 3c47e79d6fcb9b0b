package simd

// Compare is a kernel that compares every query with every row, as Norm.Rows does: dst[i*pitch+e] is the result of
// query i and row e. Both slices are tables of rows of stride floats; floats of dst between those of two queries do not
// change.
type Compare func(dst []float32, pitch int, queries, rows []float32, stride int)

// Comparisons has comparisons of rows for models whose scores are products. See plain_comparison.go for the loops.
type Comparisons struct {
	// DotRows computes the dot product, for few queries or rows.
	DotRows Compare
	// Products computes the same bits as DotRows. It reads a row once for several queries.
	Products Compare
}

// tiled makes a Compare from two kernels: tile takes the given number of queries and a multiple of the given number of
// rows, rest takes what is left over.
func tiled(queries, rows int, tile, rest Compare) Compare {
	return func(dst []float32, pitch int, q, c []float32, stride int) {
		n := len(q) / stride
		whole := len(c) / stride
		whole -= whole % rows
		tiles := n - n%queries
		for i := 0; i < tiles; i += queries {
			tile(dst[i*pitch:], pitch, q[i*stride:][:queries*stride], c[:whole*stride], stride)
		}
		for i := range n {
			from := whole
			if i >= tiles {
				from = 0
			}
			if from*stride < len(c) {
				rest(dst[i*pitch+from:], pitch, q[i*stride:][:stride], c[from*stride:], stride)
			}
		}
	}
}

// perQuery makes a Compare from a comparison of one query with rows of several planes of plane floats.
func perQuery(planes int, one func(dst, query, rows []float32, plane int)) Compare {
	return func(dst []float32, pitch int, queries, rows []float32, stride int) {
		for i := range len(queries) / stride {
			one(dst[i*pitch:], queries[i*stride:][:stride], rows, stride/planes)
		}
	}
}
