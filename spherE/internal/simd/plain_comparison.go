package simd

import "math"

// plainComparisons returns the plain Go comparisons, the specification of all others.
func plainComparisons() Comparisons {
	return Comparisons{
		AbsoluteRows: comparePairs(sumAbsolute),
		DotRows:      comparePairs(dot),
		Products:     comparePairs(dot),
		BlockRows:    compareBlocks(blockRows),
		HingeRows:    compareHinges(hingeRows),
		InsideRows:   compareHinges(insideRows),
	}
}

// comparePairs makes a Compare from a kernel over two rows.
func comparePairs(pair func(q, c []float32) float32) Compare {
	return func(dst []float32, pitch int, queries, rows []float32, stride int) {
		for i := range len(queries) / stride {
			for e := range len(rows) / stride {
				dst[i*pitch+e] = pair(row(queries, int32(i), stride), row(rows, int32(e), stride))
			}
		}
	}
}

func sumAbsolute(q, c []float32) float32 {
	var sum [Lanes]float32
	for j := 0; j < len(q); j += Lanes {
		for l := range Lanes {
			sum[l] += math.Float32frombits(math.Float32bits(c[j+l]-q[j+l]) &^ (1 << 31))
		}
	}
	return Reduce(&sum)
}

func dot(q, c []float32) float32 {
	var sum [Lanes]float32
	for j := 0; j < len(q); j += Lanes {
		for l := range Lanes {
			sum[l] += float32(q[j+l] * c[j+l])
		}
	}
	return Reduce(&sum)
}

// blockLength is the length of block j of c - q, the squares added in the order of planes.
func blockLength(q, c []float32, j, plane, planes int) float32 {
	var square float32
	for p := range planes {
		x := c[p*plane+j] - q[p*plane+j]
		square += float32(x * x)
	}
	return sqrt(square)
}

func blockRows(dst, query, rows []float32, plane, planes int) {
	for e := range len(rows) / len(query) {
		c := row(rows, int32(e), len(query))
		var sum [Lanes]float32
		for j := range plane {
			sum[j%Lanes] += blockLength(query, c, j, plane, planes)
		}
		dst[e] = Reduce(&sum)
	}
}

// hinge returns max(length - known - candidate, negative*candidate) of block j, and the candidate's radius. The first
// one stays unless the second is greater, so that a NaN stays one.
func hinge(q, c []float32, j, plane, planes int, negative float32) (depth, radius float32) {
	radius = c[planes*plane+j]
	depth = blockLength(q, c, j, plane, planes) - q[planes*plane+j] - radius
	if low := float32(negative * radius); low > depth {
		depth = low
	}
	return depth, radius
}

func hingeRows(dst, query, rows []float32, plane, planes int, tolerance, negative float32) {
	for e := range len(rows) / len(query) {
		c := row(rows, int32(e), len(query))
		var sum [Lanes]float32
		for j := range plane {
			depth, radius := hinge(query, c, j, plane, planes, negative)
			sum[j%Lanes] += depth + float32(tolerance*radius)
		}
		dst[e] = Reduce(&sum)
	}
}

func insideRows(dst, query, rows []float32, plane, planes int, _, negative float32) {
	for e := range len(rows) / len(query) {
		c := row(rows, int32(e), len(query))
		var sum [Lanes]float32
		for j := range plane {
			depth, _ := hinge(query, c, j, plane, planes, negative)
			sum[j%Lanes] += depth
		}
		dst[e] = Reduce(&sum)
	}
}
