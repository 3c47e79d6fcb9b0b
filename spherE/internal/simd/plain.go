package simd

import (
	"math"

	"github.com/spherelab/spherelab/spherE/internal/exact"
)

// Go returns the plain Go kernels, the specification of all others.
func Go() *Kernels {
	space := goSpace()
	return &Kernels{
		Name:    "go",
		Block2:  plainNorm(2, blockNorm2, pushBlock2, blockLengths(2), pushLengths(2)),
		Block3:  plainNorm(3, blockNorm3, pushBlock3, blockLengths(3), pushLengths(3)),
		Whole:   plainNorm(1, sumSquares, pushScaled, nil, nil),
		Rotate2: rotate2, Unrotate2: unrotate2, Phase2: phase2, Turn2: turn2,
		Add: add, Adam: adam,
		Prefetch: func([]float32) {},
		Exp:      exp, Logistic: logistic,
		Space: space, Stretched: stretched(), Many: goMany(),
		Counts: plainCounts(), Comparisons: plainComparisons(), Sums: plainSums(),
		Network: plainNetwork(),
		Dot:     dotNorm(plainComparisons(), plainSums()),
	}
}

// sqrt rounds once: the double rounding of a float32 square root through float64 is innocuous, and the compiler emits
// the single-precision instruction for it.
func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func blockNorm2(q, c []float32) float32 {
	n := len(q) / 2
	qx, qy := q[:n], q[n:2*n]
	cx, cy := c[:n], c[n:2*n]
	var sum [Lanes]float32
	for j := 0; j < n; j += Lanes {
		for l := range Lanes {
			x, y := cx[j+l]-qx[j+l], cy[j+l]-qy[j+l]
			sum[l] += sqrt(float32(x*x) + float32(y*y))
		}
	}
	return Reduce(&sum)
}

func pushBlock2(g, q, c []float32, w float32) {
	n := len(q) / 2
	gx, gy := g[:n], g[n:2*n]
	qx, qy := q[:n], q[n:2*n]
	cx, cy := c[:n], c[n:2*n]
	for j := range n {
		x, y := cx[j]-qx[j], cy[j]-qy[j]
		length := sqrt(float32(x*x) + float32(y*y))
		if length == 0 {
			continue
		}
		s := w / length
		gx[j] += float32(s * x)
		gy[j] += float32(s * y)
	}
}

func blockNorm3(q, c []float32) float32 {
	n := len(q) / 3
	qx, qy, qz := q[:n], q[n:2*n], q[2*n:3*n]
	cx, cy, cz := c[:n], c[n:2*n], c[2*n:3*n]
	var sum [Lanes]float32
	for j := 0; j < n; j += Lanes {
		for l := range Lanes {
			x, y, z := cx[j+l]-qx[j+l], cy[j+l]-qy[j+l], cz[j+l]-qz[j+l]
			sum[l] += sqrt(float32(x*x) + float32(y*y) + float32(z*z))
		}
	}
	return Reduce(&sum)
}

func pushBlock3(g, q, c []float32, w float32) {
	n := len(q) / 3
	for j := range n {
		x, y, z := c[j]-q[j], c[n+j]-q[n+j], c[2*n+j]-q[2*n+j]
		length := sqrt(float32(x*x) + float32(y*y) + float32(z*z))
		if length == 0 {
			continue
		}
		s := w / length
		g[j] += float32(s * x)
		g[n+j] += float32(s * y)
		g[2*n+j] += float32(s * z)
	}
}

func sumSquares(q, c []float32) float32 {
	var sum [Lanes]float32
	for j := 0; j < len(q); j += Lanes {
		for l := range Lanes {
			d := c[j+l] - q[j+l]
			sum[l] += float32(d * d)
		}
	}
	return Reduce(&sum)
}

func pushScaled(g, q, c []float32, w float32) {
	for j := range g {
		g[j] += float32(w * (c[j] - q[j]))
	}
}

func rotate2(dst, src, turn []float32) {
	n := len(src) / 2
	for j := range n {
		x, y := src[j], src[n+j]
		cos, sin := turn[j], turn[n+j]
		dst[j] = float32(x*cos) - float32(y*sin)
		dst[n+j] = float32(x*sin) + float32(y*cos)
	}
}

func unrotate2(dst, src, turn []float32) {
	n := len(src) / 2
	for j := range n {
		x, y := src[j], src[n+j]
		cos, sin := turn[j], turn[n+j]
		dst[j] = float32(x*cos) + float32(y*sin)
		dst[n+j] = float32(y*cos) - float32(x*sin)
	}
}

func phase2(dst, q, g, p, h []float32) {
	n := len(dst)
	for j := range n {
		a := float32(g[n+j]*q[j]) - float32(g[j]*q[n+j])
		b := float32(h[n+j]*p[j]) - float32(h[j]*p[n+j])
		dst[j] = a - b
	}
}

func add(g, x []float32) {
	for j := range g {
		g[j] += x[j]
	}
}

func adam(p, m, v, g []float32, a *Adam, _ int) {
	for j := range p {
		m[j] = float32(a.Beta1*m[j]) + float32(a.OneMinusBeta1*g[j])
		v[j] = float32(a.Beta2*v[j]) + float32(float32(a.OneMinusBeta2*g[j])*g[j])
		p[j] -= float32(a.Rate*m[j]) / (float32(sqrt(v[j])*a.InverseRoot) + a.Epsilon)
	}
}

func turn2(turn, raw []float32, scale float64) {
	n := len(raw)
	for j, x := range raw {
		sin, cos := exact.SinCos(float64(float64(x) * scale))
		turn[j], turn[n+j] = float32(cos), float32(sin)
	}
}

func exp(dst, x []float64) {
	for i, x := range x {
		dst[i] = exact.Exp(x)
	}
}

func logistic(softplus, sigmoid, x []float64) {
	for i, x := range x {
		softplus[i], sigmoid[i] = exact.Logistic(x)
	}
}
