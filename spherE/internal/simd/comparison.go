package simd

// Compare is a kernel that compares every query with every row, as Norm.Rows does: dst[i*pitch+e] is the result of
// query i and row e. Both slices are tables of rows of stride floats; floats of dst between those of two queries do not
// change.
type Compare func(dst []float32, pitch int, queries, rows []float32, stride int)

// Comparisons has comparisons of rows for models whose distance is not a Norm. See plain_comparison.go for the loops.
type Comparisons struct {
	// AbsoluteRows gives the 1-norm of the difference.
	AbsoluteRows Compare
	// DotRows gives the dot product, for few queries or rows.
	DotRows Compare
	// Products gives the same bits as DotRows. It reads a row once for several queries.
	Products Compare

	// BlockRows gives the sum of the lengths of blocks of so many floats, for rows of so many planes.
	BlockRows func(dst []float32, pitch int, queries, rows []float32, stride, planes int)
	// HingeRows gives the sum over blocks of max(length - known - candidate, -tolerance*candidate) +
	// tolerance*candidate. A row has a plane of radii behind its planes: known is the query's, candidate the row's.
	// A NaN makes the sum NaN.
	HingeRows func(dst []float32, pitch int, queries, rows []float32, stride, planes int, tolerance float32)
	// InsideRows is HingeRows without what is added to the maximum.
	InsideRows func(dst []float32, pitch int, queries, rows []float32, stride, planes int, tolerance float32)
}

// tiled makes a Compare from a kernel for so many queries, and for rows whose number is a multiple of another, and
// from one for what is left over.
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

// perQuery calls compare for every query, with its part of dst and the floats of a plane.
func perQuery(
	dst []float32, pitch int, queries []float32, stride, planes int, compare func(dst, query []float32, plane int),
) {
	for i := range len(queries) / stride {
		compare(dst[i*pitch:], queries[i*stride:][:stride], stride/planes)
	}
}

// compareBlocks makes Comparisons.BlockRows from a kernel for one query.
func compareBlocks(
	one func(dst, query, rows []float32, plane, planes int),
) func(dst []float32, pitch int, queries, rows []float32, stride, planes int) {
	return func(dst []float32, pitch int, queries, rows []float32, stride, planes int) {
		perQuery(dst, pitch, queries, stride, planes, func(dst, query []float32, plane int) {
			one(dst, query, rows, plane, planes)
		})
	}
}

// compareHinges makes Comparisons.HingeRows or InsideRows from a kernel for one query, whose last argument is
// -tolerance.
func compareHinges(
	one func(dst, query, rows []float32, plane, planes int, tolerance, negative float32),
) func(dst []float32, pitch int, queries, rows []float32, stride, planes int, tolerance float32) {
	return func(dst []float32, pitch int, queries, rows []float32, stride, planes int, tolerance float32) {
		perQuery(dst, pitch, queries, stride, planes+1, func(dst, query []float32, plane int) {
			one(dst, query, rows, plane, planes, tolerance, -tolerance)
		})
	}
}
