package simd

// Many has the inner loops for rows of any number of planes. The comments give shapes; see plain_many.go for the loops.
// Roots are always computed by instruction: the planes of a block take more time than its root.
type Many struct {
	// Taxicab is the sum of the absolute values of all floats. Its Push adds w times the sign of c-q. It keeps no
	// lengths.
	Taxicab Norm
	// Blocks returns the norm for rows of the given number of planes: the sum of the lengths of blocks.
	Blocks func(planes int) Norm
	// Hinged returns the norm of balls: rows of the given number of planes of centers and a last plane of radii. It is
	// the sum over blocks of max(0, length - radius of q - share * radius of c). Point and candidate cannot change
	// places: the gradient of Push and OwnPush is by c, that of GatherPush by the point q. It keeps no lengths.
	Hinged func(planes int, share float32) Norm
	// Boxes returns the distance from boxes. A point has as many centers u as a row c has floats, then as many widths v
	// in the unit. It is the sum over floats of max(x/w, x*w - unit/2 * v*(w-1/w)) with x = |c-u| and w = 1+v. The
	// gradient of Push and OwnPush is by c, that of GatherPush by the point. Queries of Rows and rows of the table of
	// OwnPush are points, of which half is added; stride is that of a point. It keeps no lengths. Plain Go computes it
	// on every path.
	Boxes func(unit float32) Norm

	// Reflect reflects the blocks of x at the hyperplanes of the unit vectors v, rows of equally many planes of n
	// floats: x - 2 (v.x) v.
	Reflect func(x, v []float32, n int)
	// ReflectBoth reflects x and its gradient g as Reflect does, and before that adds (v.x) g - (v.g) x to turn: half
	// of the gradient by v, up to a multiple of v.
	ReflectBoth func(turn, x, g, v []float32, n int)
}
