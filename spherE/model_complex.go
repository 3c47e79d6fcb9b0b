package sphere

import (
	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// ComplEx scores a triple by the real part of the sum over blocks of h_j r_j conj(t_j), three complex numbers
// (Trouillon et al., ICML 2016). With reciprocal relations a head query has factors r' of its own: the score is that
// of the reversed triple, t_j r'_j conj(h_j) (Lacroix et al., ICML 2018).
const ComplEx = "complex"

// complexFactors multiplies blocks by complex numbers. Points have the sign that makes the distance, a dot product,
// the score with its sign changed: q = -r h, and p = -conj(r) t or -r' t.
type complexFactors struct {
	k            *simd.Kernels
	bound        float32 // of initial factors
	isReciprocal bool
}

// complexProduct builds ComplEx.
func complexProduct(k *simd.Kernels, s Settings) design {
	bound := (s.Gamma + s.Epsilon) / float64(2*s.Dimension)
	return productDesign(k, &complexFactors{k: k, bound: float32(bound), isReciprocal: s.Reciprocal}, bound)
}

// productDesign is the design of a model whose distance is a dot product.
func productDesign(k *simd.Kernels, r rotation, bound float64) design {
	return design{rotation: r, norm: k.Dot, normQ: k.Dot, swaps: true, swapsQ: true, bound: bound}
}

func (*complexFactors) planes() int      { return 2 }
func (*complexFactors) coordinates() int { return 2 }

func (r *complexFactors) width() int {
	if r.isReciprocal {
		return 4
	}
	return 2
}

func (r *complexFactors) prepared() int { return r.width() }

func (*complexFactors) points() (q, p int) { return 2, 2 }

func (r *complexFactors) initial(_ int, raw []float32, s *draw.Stream) {
	drawSymmetric(raw, r.bound, s)
}

// drawSymmetric fills raw with numbers of [-bound, bound).
func drawSymmetric(raw []float32, bound float32, s *draw.Stream) {
	for j := range raw {
		raw[j] = s.Symmetric(bound)
	}
}

func (*complexFactors) prepare(turn, raw []float32) { negate(turn, raw) }

// negate sets dst to -src; dst may be src.
func negate(dst, src []float32) {
	for j, x := range src {
		dst[j] = -x
	}
}

// headFactors returns r', the factors of head queries.
func (r *complexFactors) headFactors(turn []float32) []float32 { return turn[len(turn)/2:] }

func (r *complexFactors) forward(q, h, turn []float32) { r.k.Rotate2(q, h, turn) }

func (r *complexFactors) inverse(p, t, turn []float32) {
	if r.isReciprocal {
		r.k.Rotate2(p, t, r.headFactors(turn))
		return
	}
	r.k.Unrotate2(p, t, turn)
}

// gradient: that of a by the product a b is conj(b) times the product's, and that of a by conj(a) b is b times the
// conjugate.
func (r *complexFactors) gradient(gh, gt, g, h, t, _, gq, _, gp, turn []float32) {
	r.k.Unrotate2(gh, gq, turn)
	r.k.Unrotate2(g[:len(h)], gq, h)
	if r.isReciprocal {
		r.k.Unrotate2(gt, gp, r.headFactors(turn))
		r.k.Unrotate2(g[len(h):], gp, t)
		return
	}
	r.k.Rotate2(gt, gp, turn)
	r.k.Unrotate2(gp, t, gp) // gp is not read again
	r.k.Add(g, gp)
}

// pair: the score is the real part of conj(f) conj(a) b.
func (r *complexFactors) pair(w, a, b []float32) { r.k.Unrotate2(w, b, a) }

func (r *complexFactors) pairGradient(ga, gb, gw, a, b []float32) {
	r.k.Unrotate2(ga, b, gw)
	r.k.Rotate2(gb, a, gw)
}

func (*complexFactors) rawGradient(g, _, _ []float32) { negate(g, g) }

func (r *complexFactors) words() (center, phase string) {
	center = "[entities, blocks, 2]: real and imaginary part of the factor of every block"
	if r.isReciprocal {
		return center, "[relations, blocks, 4]: the same of relations, first for tail queries, then for head queries"
	}
	return center, "[relations, blocks, 2]: the same of relations"
}
