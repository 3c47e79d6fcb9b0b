package sphere

import (
	"math"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// rotation is how relation parameters move entity rows. Its methods work on whole rows, so that calling them
// through the interface costs nothing beside the work. A new rotation is one file and a case in newRotation.
type rotation interface {
	planes() int   // floats per block of an entity
	width() int    // raw parameters per block of a relation
	prepared() int // floats per block of a prepared relation row
	// stretches reports whether blocks are also scaled: then r is no isometry, and a head's block is scaled before it
	// is compared with p. Points, q and p, have one more plane then, the factors of their candidates' blocks, and so
	// have their gradients.
	stretches() bool

	// initial draws plane number plane of the raw parameters.
	initial(plane int, raw []float32, s *draw.Stream)
	// prepare fills turn with what the other methods need of raw.
	prepare(turn, raw []float32)
	// forward sets q to r(h), inverse sets p to r^-1(t), or to t turned back and the factors; those of q are 1.
	forward(q, h, turn []float32)
	inverse(p, t, turn []float32)
	// pullBack turns the gradients gq of q and gp of p into those of h and t.
	pullBack(gh, gt, gq, gp, turn []float32)
	// relationGradient sets g to the gradient of one positive by the relation, in units that rawGradient maps to
	// raw parameters once they are summed.
	relationGradient(g, h, q, gq, p, gp, turn []float32)
	rawGradient(g, raw, turn []float32)
}

// rotation2D turns each block, a point of the plane, by an angle: RotatE and SpherE-2D. The raw parameter of a block
// is theta * R / pi with R = (gamma+epsilon)/D, drawn from [-R, R).
type rotation2D struct {
	k     *simd.Kernels
	bound float32 // R
	scale float64 // pi/R
}

func newRotation2D(k *simd.Kernels, s Settings) rotation {
	bound := (s.Gamma + s.Epsilon) / float64(s.Dimension)
	return &rotation2D{k: k, bound: float32(bound), scale: math.Pi / bound}
}

func (*rotation2D) planes() int   { return 2 }
func (*rotation2D) width() int    { return 1 }
func (*rotation2D) prepared() int { return 2 }

func (*rotation2D) stretches() bool { return false }

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

func (r *rotation2D) pullBack(gh, gt, gq, gp, turn []float32) {
	r.k.Unrotate2(gh, gq, turn)
	r.k.Rotate2(gt, gp, turn)
}

// relationGradient is the derivative by theta: dq/dtheta = i q and dp/dtheta = -i p.
func (r *rotation2D) relationGradient(g, _, q, gq, p, gp, _ []float32) { r.k.Phase2(g, q, gq, p, gp) }

func (r *rotation2D) rawGradient(g, _, _ []float32) {
	scale := float32(r.scale)
	for j := range g {
		g[j] = float32(g[j] * scale)
	}
}
