package sphere

import (
	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// DistMult scores a triple by the sum over coordinates of h_j r_j t_j (Yang et al., ICLR 2015). Without reciprocal
// relations every relation is symmetric; with them a head query has factors r' of its own, as in ComplEx.
const DistMult = "distmult"

// realFactors multiplies coordinates by numbers. Points have the sign of complexFactors: q = -r h and p = -r t or -r'
// t.
type realFactors struct {
	bound        float32 // of initial factors
	isReciprocal bool
}

// realProduct builds DistMult.
func realProduct(k *simd.Kernels, s Settings) design {
	bound := (s.Gamma + s.Epsilon) / float64(s.Dimension)
	return productDesign(k, &realFactors{bound: float32(bound), isReciprocal: s.Reciprocal}, bound)
}

func (*realFactors) planes() int      { return 1 }
func (*realFactors) coordinates() int { return 1 }

func (r *realFactors) width() int {
	if r.isReciprocal {
		return 2
	}
	return 1
}

func (r *realFactors) prepared() int { return r.width() }

func (*realFactors) points() (q, p int) { return 1, 1 }

func (r *realFactors) initial(_ int, raw []float32, s *draw.Stream) { drawSymmetric(raw, r.bound, s) }

func (*realFactors) prepare(turn, raw []float32) { negate(turn, raw) }

func (r *realFactors) forward(q, h, turn []float32) { multiply(q, h, turn) }

func (r *realFactors) inverse(p, t, turn []float32) { multiply(p, t, r.headFactors(turn)) }

// headFactors returns the factors of head queries: r', or r.
func (r *realFactors) headFactors(turn []float32) []float32 {
	if r.isReciprocal {
		return turn[len(turn)/2:]
	}
	return turn
}

// multiply sets dst to the products of a and the first floats of b.
func multiply(dst, a, b []float32) {
	for j, x := range a {
		dst[j] = float32(x * b[j])
	}
}

func (r *realFactors) gradient(gh, gt, g, h, t, _, gq, _, gp, turn []float32) {
	multiply(gh, gq, turn)
	multiply(gt, gp, r.headFactors(turn))
	multiply(g, h, gq)
	if r.isReciprocal {
		multiply(g[len(h):], t, gp)
		return
	}
	for j, x := range t {
		g[j] += float32(x * gp[j])
	}
}

func (*realFactors) pair(w, a, b []float32) { multiply(w, a, b) }

func (*realFactors) pairGradient(ga, gb, gw, a, b []float32) {
	multiply(ga, gw, b)
	multiply(gb, gw, a)
}

func (*realFactors) rawGradient(g, _, _ []float32) { negate(g, g) }

func (r *realFactors) words() (center, phase string) {
	center = "[entities, blocks, 1]: the factor of every block"
	if r.isReciprocal {
		return center, "[relations, blocks, 2]: the same of relations, first for tail queries, then for head queries"
	}
	return center, "[relations, blocks]: the same of relations"
}
