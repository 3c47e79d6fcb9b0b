package eval

// bit is 1 for true. The compiler makes it one instruction without a branch. A branch would often be predicted wrong,
// which costs as much as a dozen comparisons.
func bit(b bool) int {
	n := 0
	if b {
		n = 1
	}
	return n
}

// countValues returns how many values are <= limit and how many are NaN.
func countValues(values []float32, limit float32) (within, nan int32) {
	var n0, n1, n2, n3 int
	var odd0, odd1 float32 // 0, or NaN after a value that is infinite or NaN
	i := 0
	for ; i+4 <= len(values); i += 4 {
		v := values[i : i+4 : i+4]
		n0 += bit(v[0] <= limit)
		n1 += bit(v[1] <= limit)
		n2 += bit(v[2] <= limit)
		n3 += bit(v[3] <= limit)
		odd0 += (v[0] - v[0]) + (v[1] - v[1])
		odd1 += (v[2] - v[2]) + (v[3] - v[3])
	}
	for _, v := range values[i:] {
		n0 += bit(v <= limit)
		odd0 += v - v
	}
	if odd0+odd1 != 0 {
		nan = countNaN(values)
	}
	return int32(n0 + n1 + n2 + n3), nan
}

// countNaN counts one by one. Only rows with infinite values or NaN need it; a sound model gives none.
func countNaN(values []float32) int32 {
	var n int32
	for _, v := range values {
		if v != v {
			n++
		}
	}
	return n
}

// countBelow returns how many values are less than v and how many are equal to it; v is not NaN.
func countBelow(values []float32, v float32) (less, equal int32) {
	var below0, below1, within0, within1 int
	i := 0
	for ; i+4 <= len(values); i += 4 {
		u := values[i : i+4 : i+4]
		below0 += bit(u[0] < v)
		within0 += bit(u[0] <= v)
		below1 += bit(u[1] < v)
		within1 += bit(u[1] <= v)
		below0 += bit(u[2] < v)
		within0 += bit(u[2] <= v)
		below1 += bit(u[3] < v)
		within1 += bit(u[3] <= v)
	}
	for _, u := range values[i:] {
		below0 += bit(u < v)
		within0 += bit(u <= v)
	}
	less = int32(below0 + below1)
	return less, int32(within0+within1) - less
}
