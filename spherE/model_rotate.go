package sphere

import (
	"math"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// RotatE is a model of points with blocks in the plane (Sun et al., ICLR 2019).
const RotatE = "rotate"

// rotation defines how relation parameters move entity rows. Its methods work on whole rows, so the cost of calling
// them through the interface is negligible. A new rotation is one file, and the build of a model in the registry.
type rotation interface {
	planes() int // floats per block of an entity, coordinates first
	coordinates() int
	width() int    // raw parameters per block of a relation
	prepared() int // floats per block of a prepared relation row
	// points returns the planes of the points q and p, and of their gradients; p has as many as q or more. Where p has
	// more, those are factors for the blocks of candidates, which are 1 in q: only evaluation, which need not know the
	// side, reads them there.
	points() (q, p int)

	// initial draws one plane of the raw parameters.
	initial(plane int, raw []float32, s *draw.Stream)
	// prepare computes from raw what the other methods need, and stores it in turn.
	prepare(turn, raw []float32)
	// forward sets q to r(h). inverse sets p to r^-1(t); where r scales, to t rotated back and the factors.
	forward(q, h, turn []float32)
	inverse(p, t, turn []float32)
	// gradient turns the gradients gq by q and gp by p, which it may overwrite, into the gradients gh by h and gt by t.
	// It sets g to the gradient of one positive by the relation, in units of its own. rawGradient turns the sum of such
	// g into the gradient by the raw parameters.
	gradient(gh, gt, g, h, t, q, gq, p, gp, turn []float32)
	rawGradient(g, raw, turn []float32)
}

// rotation2D rotates each block, a point of the plane, by an angle: RotatE and SpherE-2D. The raw parameter of a block
// is theta * R / pi with R = (gamma+epsilon)/D, drawn from [-R, R).
type rotation2D struct {
	k     *simd.Kernels
	bound float32 // R
	scale float64 // pi/R
}

// planar builds RotatE and SpherE-2D.
func planar(k *simd.Kernels, s Settings) design {
	bound := (s.Gamma + s.Epsilon) / float64(s.Dimension)
	return design{
		rotation: &rotation2D{k: k, bound: float32(bound), scale: math.Pi / bound},
		norm:     k.Block2, normQ: k.Block2, swaps: true, swapsQ: true,
		bound: (s.Gamma + s.Epsilon) / float64(2*s.Dimension),
	}
}

func (*rotation2D) planes() int      { return 2 }
func (*rotation2D) coordinates() int { return 2 }
func (*rotation2D) width() int       { return 1 }
func (*rotation2D) prepared() int    { return 2 }

func (*rotation2D) points() (q, p int) { return 2, 2 }

func (r *rotation2D) initial(_ int, raw []float32, s *draw.Stream) {
	for j := range raw {
		raw[j] = s.Symmetric(r.bound)
	}
}

func (r *rotation2D) prepare(turn, raw []float32) {
	r.k.Turn2(turn, raw, r.scale)
}

func (r *rotation2D) forward(q, h, turn []float32) { r.k.Rotate2(q, h, turn) }
func (r *rotation2D) inverse(p, t, turn []float32) { r.k.Unrotate2(p, t, turn) }

// gradient: the derivative by theta is dq/dtheta = i q and dp/dtheta = -i p.
func (r *rotation2D) gradient(gh, gt, g, _, _, q, gq, p, gp, turn []float32) {
	r.k.Unrotate2(gh, gq, turn)
	r.k.Rotate2(gt, gp, turn)
	r.k.Phase2(g, q, gq, p, gp)
}

func (r *rotation2D) rawGradient(g, _, _ []float32) {
	scale := float32(r.scale)
	for j := range g {
		g[j] = float32(g[j] * scale)
	}
}
