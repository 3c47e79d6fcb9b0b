package sphere

import (
	"math"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// Models of points whose blocks have 5, 10 or 20 coordinates. The number is in the name, as in the paper's tables. In
// Settings it would be a field that has only one valid value for every other model.
const (
	HousE5D  = "house-5d"
	HousE10D = "house-10d"
	HousE20D = "house-20d"
)

// householder builds the models with blocks of the given number of coordinates.
//
//	variant clean     distance: sum of the lengths of blocks; a radius per entity; s = gamma - d
//	variant released  HousE: sum of the absolute values of all coordinates. SpherE: a signed radius per block, d is
//	                  the sum over blocks of max(0, length - rho_known - (1-tau) rho_candidate), s = -d
//
// Rotations change the 1-norm: that of r(h) - t, which measures a tail, differs from that of r^-1(t) - h.
func householder(size int, hasSpheres bool) func(k *simd.Kernels, s Settings) design {
	return func(k *simd.Kernels, s Settings) design {
		bound := (s.Gamma + s.Epsilon) / (float64(s.Dimension) * math.Sqrt(float64(size)))
		r := &reflections{k: k, size: size, count: size - size%2, bound: float32(bound)}
		d := design{rotation: r, bound: bound}
		switch {
		case s.Variant == Clean:
			d.norm = k.Blocks(size)
			d.swaps = true
		case hasSpheres:
			r.hasRadii = true
			d.isHinged, d.blockRadius = true, bound/10
			d.norm = k.Hinged(size, float32(1-s.Tau))
		default:
			d.norm, d.swaps = k.Taxicab, true
		}
		d.normQ, d.swapsQ = d.norm, d.swaps
		return d
	}
}

// reflections rotates each block by an even number n of Householder reflections x -> x - 2 (v.x) v, n being the number
// of coordinates k or one less: HousE and SpherE-kD. The raw parameters of a block are the n vectors, which are
// normalised before every use and drawn from +-(gamma+epsilon)/(D sqrt k). Where a vector is 0, its reflection changes
// nothing.
//
// The gradient by a unit vector v is 2 ((v.x) g - (v.g) x), plus a multiple of v, for x a point behind the reflection
// and g its gradient. A multiple of v does not change the unit vector, so it need not be computed: the gradient by the
// raw vector is what is orthogonal to v, divided by the raw vector's length.
type reflections struct {
	k        *simd.Kernels
	size     int // k: coordinates of a block
	count    int // n
	bound    float32
	hasRadii bool // rows have a plane of radii behind the coordinates, which r does not change
}

func (r *reflections) planes() int {
	if r.hasRadii {
		return r.size + 1
	}
	return r.size
}

func (r *reflections) coordinates() int { return r.size }
func (r *reflections) width() int       { return r.count * r.size }

// prepared: the unit vectors, and of each the inverse length of the raw vector.
func (r *reflections) prepared() int { return r.count*r.size + r.count }

func (r *reflections) points() (q, p int) { return r.planes(), r.planes() }

func (r *reflections) initial(_ int, raw []float32, s *draw.Stream) {
	for j := range raw {
		raw[j] = s.Symmetric(r.bound)
	}
}

func (r *reflections) prepare(turn, raw []float32) {
	n := len(raw) / r.width()
	for i := range r.count {
		from, to := raw[i*r.size*n:][:r.size*n], turn[i*r.size*n:][:r.size*n]
		inverse := r.inverses(turn, i, n)
		for j := range n {
			square := 0.0
			for at := j; at < len(from); at += n {
				square += float64(float64(from[at]) * float64(from[at]))
			}
			over := 0.0
			if square > 0 {
				over = 1 / math.Sqrt(square)
			}
			inverse[j] = float32(over)
			for at := j; at < len(from); at += n {
				to[at] = float32(float64(from[at]) * over)
			}
		}
	}
}

// vector returns the unit vectors number i of all blocks.
func (r *reflections) vector(turn []float32, i, n int) []float32 { return turn[i*r.size*n:][:r.size*n] }

// inverses returns the inverse lengths of the raw vectors number i.
func (r *reflections) inverses(turn []float32, i, n int) []float32 {
	return turn[(r.count*r.size+i)*n:][:n]
}

func (r *reflections) forward(q, h, turn []float32) {
	n := len(h) / r.planes()
	copy(q, h)
	for i := range r.count {
		r.k.Reflect(q[:r.size*n], r.vector(turn, i, n), n)
	}
}

func (r *reflections) inverse(p, t, turn []float32) {
	n := len(t) / r.planes()
	copy(p, t)
	for i := r.count - 1; i >= 0; i-- {
		r.k.Reflect(p[:r.size*n], r.vector(turn, i, n), n)
	}
}

// gradient undoes the reflections of q one by one, the last one first, and those of p likewise.
func (r *reflections) gradient(gh, gt, g, _, _, q, gq, p, gp, turn []float32) {
	n := len(gh) / r.planes()
	clear(g)
	copy(gh, gq)
	if !isZero(gq) {
		x := gq[:r.size*n]
		copy(x, q)
		for i := r.count - 1; i >= 0; i-- {
			r.k.ReflectBoth(r.vector(g, i, n), x, gh[:r.size*n], r.vector(turn, i, n), n)
		}
	}
	copy(gt, gp)
	if !isZero(gp) {
		x := gp[:r.size*n]
		copy(x, p)
		for i := range r.count {
			r.k.ReflectBoth(r.vector(g, i, n), x, gt[:r.size*n], r.vector(turn, i, n), n)
		}
	}
}

// isZero reports whether a gradient is 0. The gradient of a point is 0 if no candidate is compared with it.
func isZero(g []float32) bool {
	for _, x := range g {
		if x != 0 {
			return false
		}
	}
	return true
}

func (r *reflections) rawGradient(g, _, turn []float32) {
	n := len(g) / r.width()
	for i := range r.count {
		g, v, inverse := r.vector(g, i, n), r.vector(turn, i, n), r.inverses(turn, i, n)
		for j, over := range inverse {
			along := float32(0)
			for at := j; at < len(g); at += n {
				along += float32(g[at] * v[at])
			}
			over += over
			for at := j; at < len(g); at += n {
				g[at] = float32(over * (g[at] - float32(along*v[at])))
			}
		}
	}
}
