package simd

// Network has the inner loops of a network that passes messages over a graph. A table is stored by plane: plane p has
// the floats p*Lanes to p*Lanes+Lanes-1 of every row. See plain_network.go for the loops.
type Network struct {
	// Messages sets row d of dst to the sum of row source[i] of table times row kind[i] of weight, float by float, for
	// ascending i from start[d] to start[d+1]-1. All four are planes: rows of Lanes floats.
	Messages func(dst []float32, start, source, kind []int32, table, weight []float32)
	// Linear adds to dst[d*width+j], for ascending k < planes*Lanes, float k of row d of a table times
	// weight[k*width+j]. dst has rows of width floats, a multiple of Lanes. Plane p of the table starts at
	// src[p*pitch].
	Linear func(dst []float32, width int, src []float32, pitch, planes int, weight []float32)
	// Normalize normalizes rows of len(gain) floats by their mean and variance, multiplies by gain, adds shift,
	// replaces what is below 0 by 0 and adds a row of src. Row d of the result goes to dst. Plane p of dst starts at
	// dst[p*dstPitch], plane p of src at src[p*srcPitch]. dst may be src.
	Normalize func(dst []float32, dstPitch int, src []float32, srcPitch int, rows, gain, shift []float32,
		epsilon float32)
	// Rectified sets dst[d] to the dot product of w and of row d of rows with 0 for what is below 0, plus bias.
	Rectified func(dst, rows, w []float32, bias float32)
}

// linear multiplies tables of whole groups of rows. It processes lines lines of rows rows at once.
type linear func(dst []float32, width int, src []float32, pitch, planes, count int, weight []float32)

// inTiles makes Network.Linear from kernels for four rows and for one row, of one line and of four lines. Without
// kernels for four lines, lines are multiplied one by one.
func inTiles(row4, row1, row4Lines4 linear) func([]float32, int, []float32, int, int, []float32) {
	return func(dst []float32, width int, src []float32, pitch, planes int, weight []float32) {
		count := len(dst) / width
		whole := count - count%4
		for j := 0; j < width; {
			step, kernel := Lanes, row4
			if row4Lines4 != nil && j+4*Lanes <= width {
				step, kernel = 4*Lanes, row4Lines4
			}
			if whole > 0 {
				kernel(dst[j:], width, src, pitch, planes, whole, weight[j:])
			}
			if whole < count {
				for i := j; i < j+step; i += Lanes {
					row1(dst[whole*width+i:], width, src[whole*Lanes:], pitch, planes, count-whole, weight[i:])
				}
			}
			j += step
		}
	}
}
