package simd

// plainSums returns the plain Go loops, the specification of all others.
func plainSums() Sums { return Sums{Combine: combine, AddScaled: addScaled, Adagrad: adagrad} }

func combine(dst, weight []float32, perDst, perRow int, rows []float32, stride int) {
	for d := range len(dst) / stride {
		g := row(dst, int32(d), stride)
		for k := range len(rows) / stride {
			addScaled(g, row(rows, int32(k), stride), weight[d*perDst+k*perRow])
		}
	}
}

func addScaled(g, x []float32, w float32) {
	for j, x := range x {
		g[j] += float32(w * x)
	}
}

func adagrad(p, v, g []float32, rate, epsilon float32) {
	for j, x := range g {
		v[j] += float32(x * x)
		p[j] -= float32(rate*x) / (sqrt(v[j]) + epsilon)
	}
}
