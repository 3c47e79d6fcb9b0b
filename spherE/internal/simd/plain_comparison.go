package simd

// plainComparisons returns the plain Go comparisons, the specification of all others.
func plainComparisons() Comparisons {
	return Comparisons{DotRows: dotRows, Products: dotRows}
}

func dotRows(dst []float32, pitch int, queries, rows []float32, stride int) {
	for i := range len(queries) / stride {
		for e := range len(rows) / stride {
			dst[i*pitch+e] = dot(row(queries, int32(i), stride), row(rows, int32(e), stride))
		}
	}
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
