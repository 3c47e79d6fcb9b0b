package sphere

import (
	"fmt"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// RESCAL scores a triple by the sum over i and j of h_i R_ij t_j: a relation is a matrix (Nickel et al., ICML 2011).
// With reciprocal relations a head query has a matrix R' of its own: the score is that of the reversed triple,
// t_i R'_ij h_j. A trained TuckER is a RESCAL, too: the matrix of a relation is the product of the core and the
// relation's row.
const RESCAL = "rescal"

// matrices multiplies rows by matrices, of which plane j of a relation has column j. Points have the sign of
// complexFactors: q = -R^T h, and p = -R t or -R'^T t.
type matrices struct {
	k            *simd.Kernels
	dimension    int
	bound        float32 // of initial numbers
	isReciprocal bool
}

// bilinear builds RESCAL.
func bilinear(k *simd.Kernels, s Settings) design {
	bound := (s.Gamma + s.Epsilon) / float64(s.Dimension)
	return productDesign(k, &matrices{k, s.Dimension, float32(bound), s.Reciprocal}, bound)
}

func (*matrices) planes() int      { return 1 }
func (*matrices) coordinates() int { return 1 }

func (r *matrices) width() int {
	if r.isReciprocal {
		return 2 * r.dimension
	}
	return r.dimension
}

func (r *matrices) prepared() int { return r.width() }

func (*matrices) points() (q, p int) { return 1, 1 }

func (r *matrices) initial(_ int, raw []float32, s *draw.Stream) { drawSymmetric(raw, r.bound, s) }

func (*matrices) prepare(turn, raw []float32) { negate(turn, raw) }

func (r *matrices) forward(q, h, turn []float32) { r.columns(q, h, r.tailMatrix(turn)) }

func (r *matrices) inverse(p, t, turn []float32) {
	if r.isReciprocal {
		r.columns(p, t, r.headMatrix(turn))
		return
	}
	r.rows(p, t, turn)
}

// tailMatrix returns R, the matrix of tail queries, and headMatrix R', that of head queries.
func (r *matrices) tailMatrix(turn []float32) []float32 {
	if r.isReciprocal {
		return turn[:len(turn)/2]
	}
	return turn
}

func (*matrices) headMatrix(turn []float32) []float32 { return turn[len(turn)/2:] }

// columns sets dst to the dot products of x and the columns of a matrix.
func (r *matrices) columns(dst, x, matrix []float32) {
	clear(dst[r.dimension:])
	r.k.Dot.Rows(dst, 0, x, matrix, len(x))
}

// rows sets dst to the product of a matrix and x: the sum of its columns, weighted by x.
func (r *matrices) rows(dst, x, matrix []float32) {
	clear(dst)
	r.k.Combine(dst, x, 0, 1, matrix, len(x))
}

// outer adds a_i b_j to the numbers of a matrix.
func (r *matrices) outer(matrix, a, b []float32) {
	for j := range r.dimension {
		r.k.AddScaled(matrix[j*len(a):][:len(a)], a, b[j])
	}
}

func (r *matrices) gradient(gh, gt, g, h, t, _, gq, _, gp, turn []float32) {
	clear(g)
	r.rows(gh, gq, r.tailMatrix(turn))
	r.outer(r.tailMatrix(g), h, gq)
	if r.isReciprocal {
		r.rows(gt, gp, r.headMatrix(turn))
		r.outer(r.headMatrix(g), t, gp)
		return
	}
	r.columns(gt, gp, turn)
	r.outer(g, gp, t)
}

func (*matrices) rawGradient(g, _, _ []float32) { negate(g, g) }

func (r *matrices) words() (center, phase string) {
	center = "[entities, blocks, 1]: the number of every block"
	if r.isReciprocal {
		return center, fmt.Sprintf("[relations, blocks, %d]: the matrices of relations, side by side: a row per block of the known "+
			"entity, first the columns of tail queries, then those of head queries", r.width())
	}
	return center, fmt.Sprintf("[relations, blocks, %d]: the matrices of relations: a row per block of the head, a column per "+
		"block of the tail", r.width())
}
