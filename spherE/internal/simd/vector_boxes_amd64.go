package simd

import "math"

//go:generate -command family go run -C _generate . -pkg simd -family boxes
//go:generate family -path AVX512 -out ../avx512_boxes_amd64.s -stubs ../avx512_boxes_amd64.go
//go:generate family -path AVX2 -out ../avx2_boxes_amd64.s -stubs ../avx2_boxes_amd64.go

// boxKernels are vector kernels over a point and a row. Each prefetches the row or point next meanwhile.
type boxKernels struct {
	pair func(point, c, next []float32, half float32) float32
	push func(g, point, c, next []float32, w, half float32) // adds the gradient by c
	pull func(g, point, c, next []float32, w, half float32) // adds the gradient by the point
	tile func(dst, point, rows []float32, half float32)     // compares a point with this many rows at a time
	rows int
}

func avx512Boxes(unit float32) Norm {
	return vectorBoxes(unit, boxKernels{boxesAVX512, pushBoxesAVX512, pullBoxesAVX512, boxes1x4AVX512, 4})
}

func avx2Boxes(unit float32) Norm {
	return vectorBoxes(unit, boxKernels{boxesAVX2, pushBoxesAVX2, pullBoxesAVX2, boxes1x2AVX2, 2})
}

func vectorBoxes(unit float32, k boxKernels) Norm {
	half := float32(.5) * unit
	return Norm{
		Pair: func(point, c []float32) float32 { return k.pair(point, c, c, half) },
		Push: func(g, point, c []float32, w float32) { k.push(g, point, c, c, w, half) },
		Rows: func(dst []float32, pitch int, queries, rows []float32, stride int) {
			own := stride / 2
			n := len(rows) / own
			whole := n - n%k.rows
			for i := range len(queries) / stride {
				point, dst := row(queries, int32(i), stride), dst[i*pitch:]
				k.tile(dst, point, rows[:whole*own], half)
				for e := whole; e < n; e++ {
					c := row(rows, int32(e), own)
					dst[e] = k.pair(point, c, c, half)
				}
			}
		},
		Gather: func(dst, _, point, table []float32, number []int32) {
			listed, own := number[:cap(number)], len(point)/2
			for i, e := range number {
				dst[i] = k.pair(point, row(table, e, own), row(table, listed[min(i+Ahead, len(listed)-1)], own), half)
			}
		},
		GatherPush: func(g, point, table []float32, number, _ []int32, weight, _ []float32) {
			listed, own := number[:cap(number)], len(point)/2
			for i, e := range number {
				if w := weight[i]; w != 0 {
					next := row(table, listed[min(i+Ahead, len(listed)-1)], own)
					k.pull(g, point, row(table, e, own), next, w, half)
				}
			}
		},
		OwnPush: func(g, own, table []float32, pull []uint64) {
			listed, stride := pull[:cap(pull)], 2*len(own)
			for i, x := range pull {
				e, w := int32(uint32(x)), math.Float32frombits(uint32(x>>32))
				switch {
				case e < 0:
					add(g, row(table, ^e, stride)[:len(g)])
				case w != 0:
					later := int32(uint32(listed[min(i+Ahead, len(listed)-1)]))
					k.push(g, row(table, e, stride), own, row(table, later^later>>31, stride), w, half)
				}
			}
		},
	}
}
