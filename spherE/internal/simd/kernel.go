// Package simd has the inner loops of training and retrieval. The plain Go functions in plain*.go are their
// specification; vector kernels return the same bits (a NaN equals every NaN).
//
// Rows are stored by plane: a row of blocks of k floats is k planes of n floats each, n a multiple of Lanes. Sums
// run over Lanes partial sums, lane l taking the blocks j with j mod Lanes = l in ascending order; the partial
// sums are then added in the fixed tree of Reduce. Slices passed to one call do not overlap unless said, and have
// the lengths their comment states: a wrong length is a programming error that vector kernels do not check.
package simd

// Lanes is the number of float32 partial sums, and the unit to which rows are padded with zeros.
const Lanes = 16

// Adam has the constants of one step of the optimiser (Kingma and Ba, ICLR 2015, algorithm 1), as float32.
type Adam struct {
	Beta1, OneMinusBeta1 float32
	Beta2, OneMinusBeta2 float32
	Rate                 float32 // learning rate / (1 - Beta1^t)
	InverseRoot          float32 // 1 / sqrt(1 - Beta2^t)
	Epsilon              float32
}

// Kernels is one implementation of every inner loop. The comments give shapes; see plain.go for the loops.
type Kernels struct {
	Name string // "go" or "avx512"

	// BlockNorm2 returns the sum over n blocks of the lengths of q - c. Rows of two planes of n floats.
	BlockNorm2 func(q, c []float32) float32
	// PushBlock2 adds w * (c-q)/|c-q| to g block by block; nothing where |c-q| is 0. Rows of two planes.
	PushBlock2 func(g, q, c []float32, w float32)
	// SumSquares returns the sum of the squares of q - c over all floats of a row.
	SumSquares func(q, c []float32) float32
	// PushScaled adds w * (c-q) to g over all floats of a row.
	PushScaled func(g, q, c []float32, w float32)
	// Rotate2 sets dst to the rotation of src by turn, a row of cosines and sines; dst may be src.
	Rotate2 func(dst, src, turn []float32)
	// Unrotate2 sets dst to the inverse rotation of src by turn; dst may be src.
	Unrotate2 func(dst, src, turn []float32)
	// Phase2 sets dst, one plane, to the derivative of the phases: the part of g along q turned by a right angle,
	// less the part of h along p so turned. g and h are the gradients of q and p.
	Phase2 func(dst, q, g, p, h []float32)
	// Add adds x to g.
	Add func(g, x []float32)
	// Adam updates parameters p and moments m, v by gradient g.
	Adam func(p, m, v, g []float32, a *Adam)
	// Exp sets dst to e**x, as exact.Exp; dst may be x.
	Exp func(dst, x []float64)
	// Prefetch hints that row will be read soon; it changes nothing.
	Prefetch func(row []float32)
	// Logistic sets softplus and sigmoid to exact.Logistic of x.
	Logistic func(softplus, sigmoid, x []float64)

	Blocks3
}

// Reduce adds the partial sums of a row: lane l and l+8, then l and l+4, l and l+2, l and l+1.
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
