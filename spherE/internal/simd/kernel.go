// Package simd implements the inner loops of training and retrieval. The plain Go functions in plain*.go are their
// specification. Vector kernels return the same bits; any NaN equals any NaN.
//
// Rows are stored by plane: a row of blocks of k floats is k planes of n floats each, n a multiple of Lanes. Sums run
// over Lanes partial sums, lane l taking the blocks j with j mod Lanes = l in ascending order; the partial sums are
// then added in the fixed tree of Reduce. Slices passed to one call do not overlap unless a comment allows it, and have
// the lengths that the comments state. A wrong length is a programming error that vector kernels do not check.
package simd

import "math"

// Lanes is the number of float32 partial sums, and the unit to which rows are padded with zeros.
const Lanes = 16

// Ahead is how many places earlier in its list a row is prefetched than it is read. _generate/norm.go has the same
// number.
const Ahead = 4

// Adam has the constants of one step of the optimiser (Kingma and Ba, ICLR 2015, algorithm 1), as float32.
type Adam struct {
	Beta1, OneMinusBeta1 float32
	Beta2, OneMinusBeta2 float32
	Rate                 float32 // learning rate / (1 - Beta1^t)
	InverseRoot          float32 // 1 / sqrt(1 - Beta2^t)
	Epsilon              float32
}

// Kernels is one implementation of every inner loop. The comments give shapes; see plain*.go for the loops. Names that
// end in 2 or 3 are for rows of 2 or 3 planes.
type Kernels struct {
	Name  string // "go", "avx2" or "avx512"
	Roots string // how roots and quotients are computed: a way, or the way of each family of kernels

	// Block2, Block3 and Whole are the norms: the sum of the lengths of blocks, and the sum of squares of all floats.
	Block2, Block3, Whole Norm

	// Stretched is the sum of the lengths of s*c - p. A point has four planes, p and s; a row c has three. The gradient
	// of Push and OwnPush is by c, that of GatherPush (four planes) by the point. Queries of Rows and rows of the table
	// of OwnPush are points, of which three planes are added; stride is that of a point. The number of a point in a
	// pull may be one of PullPlain. No lengths are kept.
	Stretched Norm

	// Rotate2 sets dst to the rotation of src by turn, a row of cosines and sines; dst may be src.
	Rotate2 func(dst, src, turn []float32)
	// Unrotate2 sets dst to the inverse rotation of src by turn; dst may be src.
	Unrotate2 func(dst, src, turn []float32)
	// Phase2 sets dst, one plane, to the derivative by the phases: the component of g along q rotated by a right angle,
	// minus that of h along p rotated likewise. g and h are the gradients of q and p.
	Phase2 func(dst, q, g, p, h []float32)
	// Turn2 sets turn to the cosines and sines of scale*raw, as exact.SinCos. raw is one plane.
	Turn2 func(turn, raw []float32, scale float64)
	// Add adds x to g.
	Add func(g, x []float32)
	// Adam updates parameters p and moments m, v by gradient g. It may prefetch the floats next places after each of
	// the three; with 0 it prefetches nothing.
	Adam func(p, m, v, g []float32, a *Adam, next int)
	// Exp sets dst to e**x, as exact.Exp; dst may be x.
	Exp func(dst, x []float64)
	// Prefetch hints that row will be read soon.
	Prefetch func(row []float32)
	// Logistic sets softplus and sigmoid to exact.Logistic of x.
	Logistic func(softplus, sigmoid, x []float64)

	Space
	Counts
	Comparisons
	Sums
	Many
	Network

	// Dot is the dot product, whose sign the caller chooses. Its Push adds w times the other row. It keeps no lengths.
	Dot Norm
}

// Norm has the kernels of one norm of c-q: the sum over blocks of their lengths, or the sum of the squares of all
// floats, of which the caller takes the root. A table is a sequence of rows, each as long as q.
type Norm struct {
	// Pair returns the norm of c - q.
	Pair func(q, c []float32) float32
	// Push adds w * (c-q)/|c-q| to g block by block, nothing where |c-q| is 0; w * (c-q) for Whole.
	Push func(g, q, c []float32, w float32)

	// Rows compares every query with every row: dst[i*pitch+e] = Pair(query i, row e). Both slices are tables of rows
	// of stride floats; floats of dst between those of two queries do not change.
	Rows func(dst []float32, pitch int, queries, rows []float32, stride int)
	// Gather sets dst[k] = Pair(q, row number row[k] of table), and stores the lengths of its blocks in plane k of
	// length. If length has one plane, every row overwrites it. Whole stores no lengths. The numbers between the length
	// and the capacity of row come next: their rows may be prefetched.
	Gather func(dst, length, q, table []float32, row []int32)
	// GatherPush does Push(g, row number row[k], q, weight[k]) for ascending k where the weight is not 0, with the
	// lengths that Gather stored. Where Prefetches is true, it prefetches the rows of next, which has as many numbers
	// as row and may be row.
	GatherPush func(g, q, table []float32, row, next []int32, weight, length []float32)
	Prefetches bool
	// OwnPush processes pulls in ascending order: it does Push(g, row, own, weight), nothing for a weight of 0, or adds
	// the row to g. Unless the weight is 0 it prefetches the row of the pull Ahead places later, whatever the weight of
	// that pull. The pulls between length and capacity come next, as for Gather.
	OwnPush func(g, own, table []float32, pull []uint64)
}

// Pull returns a pull, an element of the list of OwnPush: the number of a row of its table, and a weight.
func Pull(row int32, weight float32) uint64 {
	return uint64(uint32(row)) | uint64(math.Float32bits(weight))<<32
}

// PullWhole returns a pull that adds the row itself.
func PullWhole(row int32) uint64 { return uint64(uint32(^row)) }

// PullOf returns the number and the weight of a pull. The number of PullWhole is the complement of the row's.
func PullOf(pull uint64) (row int32, weight float32) {
	return int32(uint32(pull)), math.Float32frombits(uint32(pull >> 32))
}

// Reduce adds the partial sums of a row: lanes l and l+8, then l and l+4, l and l+2, l and l+1.
func Reduce(s *[Lanes]float32) float32 {
	for half := Lanes / 2; half > 0; half /= 2 {
		for l := range half {
			s[l] += s[l+half]
		}
	}
	return s[0]
}

// Padded returns the length of a plane of n blocks: n rounded up to a multiple of Lanes.
func Padded(n int) int { return (n + Lanes - 1) / Lanes * Lanes }
