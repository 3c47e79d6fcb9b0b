package sphere

import (
	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// BoxE assigns every entity a base point e and a bump b, and every relation a box for heads and a box for tails (Abboud
// et al., NeurIPS 2020). A triple lies in the boxes if e_h + b_t is in the box of heads and e_t + b_h in the box of
// tails: an entity's bump moves the entities that it occurs with. The distance is the sum over the coordinates of both
// points of
//
//	x / w                            inside, x = |point - center|, w = 1 + width of the box
//	x w - (w-1)(w-1/w) / 2           outside
//
// with lengths in the unit (gamma+epsilon)/(2 D), in which initial coordinates are between -1 and 1. The paper bounds
// coordinates by tanh and widths by one scale per box; here both are free.
const BoxE = "boxe"

// boxes are the boxes of a relation. The raw parameters of a block are the center of the box of heads, its width, the
// center of the box of tails and its width; a width is |raw|.
//
// A candidate is the row (e, b). As a tail it is compared with the point that has the centers (c2 - b_h, c1 - e_h), as
// a head with that of (c1 - b_t, c2 - e_t), each together with the widths of the same boxes.
type boxes struct {
	unit  float32
	scale float32 // 1/unit
}

// Planes of the raw row of a relation, and of the prepared one, in which widths are |raw|/unit.
const (
	headCenter = iota
	headWidth
	tailCenter
	tailWidth
	boxPlanes
)

// boxed builds BoxE.
func boxed(k *simd.Kernels, s Settings) design {
	unit := (s.Gamma + s.Epsilon) / float64(2*s.Dimension)
	norm := k.Boxes(float32(unit))
	return design{
		rotation: &boxes{unit: float32(unit), scale: float32(1 / unit)}, norm: norm, normQ: norm, bound: unit,
	}
}

func (*boxes) planes() int        { return 2 }
func (*boxes) coordinates() int   { return 2 }
func (*boxes) width() int         { return boxPlanes }
func (*boxes) prepared() int      { return boxPlanes }
func (*boxes) points() (q, p int) { return 4, 4 }

func (r *boxes) initial(_ int, raw []float32, s *draw.Stream) { drawSymmetric(raw, r.unit, s) }

func (r *boxes) prepare(turn, raw []float32) {
	n := len(raw) / boxPlanes
	copy(turn, raw)
	for _, plane := range []int{headWidth, tailWidth} {
		for j, x := range raw[plane*n:][:n] {
			turn[plane*n+j] = magnitude(x) * r.scale
		}
	}
}

func magnitude(x float32) float32 {
	if x < 0 {
		return -x
	}
	return x
}

func (*boxes) forward(q, h, turn []float32) { place(q, h, turn, tailCenter, headCenter) }
func (*boxes) inverse(p, t, turn []float32) { place(p, t, turn, headCenter, tailCenter) }

// place sets point to what candidates are compared with. own is the first plane of the candidates' box, other the first
// plane of the known entity's box.
func place(point, known, turn []float32, own, other int) {
	n := len(known) / 2
	base, bump := known[:n], known[n:]
	for j := range n {
		point[j] = turn[own*n+j] - bump[j]
		point[n+j] = turn[other*n+j] - base[j]
	}
	copy(point[2*n:3*n], turn[(own+1)*n:])
	copy(point[3*n:4*n], turn[(other+1)*n:])
}

func (*boxes) gradient(gh, gt, g, _, _, _, gq, _, gp, _ []float32) {
	clear(g)
	unplace(gh, g, gq, tailCenter, headCenter)
	unplace(gt, g, gp, headCenter, tailCenter)
}

// unplace adds the gradient by a point to the relation's gradient, and sets known to the known entity's gradient.
func unplace(known, g, point []float32, own, other int) {
	n := len(known) / 2
	for j := range n {
		known[j], known[n+j] = -point[n+j], -point[j]
		g[own*n+j] += point[j]
		g[other*n+j] += point[n+j]
		g[(own+1)*n+j] += point[2*n+j]
		g[(other+1)*n+j] += point[3*n+j]
	}
}

func (r *boxes) rawGradient(g, raw, _ []float32) {
	n := len(raw) / boxPlanes
	for _, plane := range []int{headWidth, tailWidth} {
		for at := plane * n; at < (plane+1)*n; at++ {
			switch x := raw[at]; {
			case x > 0:
				g[at] *= r.scale
			case x < 0:
				g[at] *= -r.scale
			default:
				g[at] = 0
			}
		}
	}
}

func (r *boxes) words() (center, phase string) {
	return "[entities, blocks, 2]: base point and bump, in units of distance",
		"[relations, blocks, 4]: center and raw width of the box of heads, then of the box of tails; width = |raw|"
}

// outside sets dst to how far every entity is outside the boxes of a query: the greatest distance, by coordinate, of
// one of the two points from the border of its box, negative inside. point is the bound point of the query.
func (r *boxes) outside(dst, point, rows []float32) {
	stride := len(rows) / len(dst)
	center, width := point[:stride], point[stride:][:stride]
	half := .5 * r.unit
	for e := range dst {
		greatest := float32(0)
		for j, x := range rows[e*stride:][:stride] {
			beyond := magnitude(x-center[j]) - float32(half*width[j])
			if j == 0 || beyond > greatest || beyond != beyond {
				greatest = beyond
			}
		}
		dst[e] = greatest
	}
}
