package sphere

import (
	"math"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// Rotate3D is a model of points with blocks in space.
const Rotate3D = "rotate3d"

// rotation3D rotates each block, a point of space, about an axis: Rotate3D and SpherE-3D. The raw parameters of a block
// are the angles B1 and B2 of the axis u = (cos B1, sin B1 cos B2, sin B1 sin B2), the angle theta of the rotation M,
// and in variant released the scale b:
//
//	dist_j = | |b| M h - t | = | |b| h - M^T t |
//
// An angle is raw * pi / R with R = (gamma+epsilon)/(3 D), drawn from +-(gamma+epsilon)/(4 D); b starts at 1. With the
// scale, r has no inverse where b is 0, and its inverse does not keep distances elsewhere. So the point of a tail query
// is q = |b| M h, while that of a head query is p = M^T t together with |b|, by which every candidate's block is
// multiplied. This is exact for every b, including 0. q has factors too, all 1, so that evaluation need not know the
// side.
//
// The gradient by the angles uses the torque. When an angle changes, M rotates with an angular velocity w, which moves
// q by w x q and M p by -w x M p. So a positive stores q x dL/dq - M (p x dL/dp), which does not depend on which angle
// changes. The product with w, which is the same for all positives of a relation, comes last.
type rotation3D struct {
	k         *simd.Kernels
	bound     float32 // of initial raw angles
	scale     float64 // pi/R
	stretches bool    // by |b|
}

// Planes of a prepared relation row: the matrix M row by row, the angular velocities of B1, B2 and theta, and |b|.
const (
	matrixPlanes   = 9
	velocityPlane  = matrixPlanes
	velocityPlanes = 9
	factorPlane    = velocityPlane + velocityPlanes
)

// rawAngles is the number of raw parameters of a block that are angles. b, if there is one, comes after them.
const rawAngles = 3

// spatial builds Rotate3D and SpherE-3D.
func spatial(k *simd.Kernels, s Settings) design {
	bound := (s.Gamma + s.Epsilon) / float64(3*s.Dimension)
	r := &rotation3D{
		k: k, bound: float32((s.Gamma + s.Epsilon) / float64(4*s.Dimension)), scale: math.Pi / bound,
		stretches: s.Variant == Released,
	}
	d := design{rotation: r, norm: k.Block3, normQ: k.Block3, swaps: !r.stretches, swapsQ: true, bound: bound}
	if r.stretches {
		d.norm = k.Stretched
	}
	return d
}

func (*rotation3D) planes() int      { return 3 }
func (*rotation3D) coordinates() int { return 3 }

func (r *rotation3D) width() int {
	if r.stretches {
		return rawAngles + 1
	}
	return rawAngles
}

func (r *rotation3D) prepared() int {
	if r.stretches {
		return factorPlane + 1
	}
	return factorPlane
}

func (r *rotation3D) points() (q, p int) {
	if r.stretches {
		return 3, 4
	}
	return 3, 3
}

func (r *rotation3D) initial(plane int, raw []float32, s *draw.Stream) {
	for j := range raw {
		if plane < rawAngles {
			raw[j] = s.Symmetric(r.bound)
		} else {
			raw[j] = 1
		}
	}
}

func (r *rotation3D) prepare(turn, raw []float32) {
	n := len(raw) / r.width()
	angle := func(plane, j int) (sin, cos float64) {
		return exact.SinCos(float64(float64(raw[plane*n+j]) * r.scale))
	}
	for j := range n {
		sin1, cos1 := angle(0, j)
		sin2, cos2 := angle(1, j)
		sin, cos := angle(2, j)
		u := vector{cos1, float64(sin1 * cos2), float64(sin1 * sin2)}
		// Rodrigues' formula: M v = cos v + (1-cos) (u.v) u + sin u x v.
		for i := range 3 {
			for k := range 3 {
				m := float64(float64(u[i]*u[k]) * (1 - cos))
				switch (k - i + 3) % 3 {
				case 0:
					m += cos
				case 1:
					m -= float64(u[3-i-k] * sin)
				case 2:
					m += float64(u[3-i-k] * sin)
				}
				turn[(3*i+k)*n+j] = float32(m)
			}
		}
		// If the axis changes by du, M rotates by sin du + (1-cos) u x du.
		for a, du := range [2]vector{
			{-sin1, float64(cos1 * cos2), float64(cos1 * sin2)},
			{0, -float64(sin1 * sin2), float64(sin1 * cos2)},
		} {
			across := u.cross(du)
			for i := range 3 {
				w := float64(sin*du[i]) + float64((1-cos)*across[i])
				turn[(velocityPlane+3*a+i)*n+j] = float32(w)
			}
		}
		for i := range 3 {
			turn[(velocityPlane+6+i)*n+j] = float32(u[i])
		}
		if r.stretches {
			turn[factorPlane*n+j] = float32(math.Abs(float64(raw[rawAngles*n+j])))
		}
	}
}

type vector [3]float64

func (a vector) cross(b vector) vector {
	return vector{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// factors returns |b| of every block.
func factors(turn []float32, n int) []float32 { return turn[factorPlane*n:][:n] }

func (r *rotation3D) forward(q, h, turn []float32) {
	n := len(h) / 3
	r.k.Rotate3(q[:3*n], h, turn)
	if r.stretches {
		r.k.Scale3(q[:3*n], q[:3*n], factors(turn, n))
		for j := range n {
			q[3*n+j] = 1
		}
	}
}

func (r *rotation3D) inverse(p, t, turn []float32) {
	r.k.Unrotate3(p[:len(t)], t, turn)
	if r.stretches {
		copy(p[len(t):], factors(turn, len(t)/3))
	}
}

// gradient computes, for the relation, the torque and, with the scale, the derivative by |b|: that of q is M h, and gp
// holds that of the candidates of p.
func (r *rotation3D) gradient(gh, gt, g, h, _, q, gq, p, gp, turn []float32) {
	r.k.Unrotate3(gh, gq[:len(gh)], turn)
	if r.stretches {
		r.k.Scale3(gh, gh, factors(turn, len(gh)/3))
	}
	r.k.Rotate3(gt, gp[:len(gt)], turn)
	r.k.Torque3(g[:len(h)], q, gq, p, gp, turn)
	if r.stretches {
		r.k.Stretch3(g[len(h):], h, gq, gp[len(h):], turn)
	}
}

func (r *rotation3D) rawGradient(g, raw, turn []float32) {
	n := len(raw) / r.width()
	scale := float32(r.scale)
	w := turn[velocityPlane*n:][:velocityPlanes*n]
	for j := range n {
		x, y, z := g[j], g[n+j], g[2*n+j]
		for a := range rawAngles {
			at := 3 * a * n
			turned := (float32(w[at+j]*x) + float32(w[at+n+j]*y)) + float32(w[at+2*n+j]*z)
			g[a*n+j] = float32(turned * scale)
		}
	}
	if !r.stretches {
		return
	}
	b, gb := raw[rawAngles*n:], g[rawAngles*n:]
	for j := range gb {
		switch {
		case b[j] < 0:
			gb[j] = -gb[j]
		case b[j] == 0: // |b| has no derivative there
			gb[j] = 0
		}
	}
}
