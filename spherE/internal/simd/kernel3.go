package simd

// Space has the inner loops for blocks that are points of space, apart from the norm Block3: rows of three planes, x, y
// and z, of n floats each. The comments give shapes; see plain3.go for the loops. A point of four planes is p, three
// planes, and a plane of factors s; u is the direction (s*c - p) / |s*c - p| of a block.
type Space struct {
	// StretchNorm3 returns the sum over n blocks of the lengths of s*c - p.
	StretchNorm3 func(point, c []float32) float32
	// PushStretched3 adds w times the gradient of StretchNorm3 by c to g, three planes: s*u; nothing where the length
	// is 0.
	PushStretched3 func(g, point, c []float32, w float32)
	// Rotate3 sets dst to the product of a matrix per block and src. turn begins with its nine planes, row by row; dst
	// may be src.
	Rotate3 func(dst, src, turn []float32)
	// Unrotate3 sets dst to the product of the transposed matrix and src; dst may be src.
	Unrotate3 func(dst, src, turn []float32)
	// Scale3 sets dst to src times factor, one plane; dst may be src.
	Scale3 func(dst, src, factor []float32)
	// Torque3 sets dst, three planes, to q x g - M (p x h), M the matrices of turn. g and h are the gradients of q and
	// p; p and h may have a fourth plane, which is not read.
	Torque3 func(dst, q, g, p, h, turn []float32)
	// Stretch3 sets dst, one plane, to (M src).g + more, more being one plane.
	Stretch3 func(dst, src, g, more, turn []float32)
}

// MaxPoints is the largest number of points in a table of Stretched.OwnPush.
const MaxPoints = plainPoint

// plainPoint is the bit that PullPlain sets in a row number.
const plainPoint = 1 << 30

// PullPlain returns the row number for Pull of a point whose factors are all 1, so that Stretched.OwnPush need not read
// them.
func PullPlain(row int32) int32 { return row | plainPoint }
