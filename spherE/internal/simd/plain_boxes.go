package simd

import "math"

// plainBoxes returns the plain Go kernels of Many.Boxes.
func plainBoxes(unit float32) Norm {
	half := float32(.5) * unit
	return Norm{
		Pair: func(point, c []float32) float32 { return boxesNorm(point, c, half) },
		Push: func(g, point, c []float32, w float32) { pushBoxes(g, point, c, w, half) },
		Rows: func(dst []float32, pitch int, queries, rows []float32, stride int) {
			own := stride / 2
			for i := range len(queries) / stride {
				for e := range len(rows) / own {
					dst[i*pitch+e] = boxesNorm(row(queries, int32(i), stride), row(rows, int32(e), own), half)
				}
			}
		},
		Gather: func(dst, _, point, table []float32, number []int32) {
			for k, e := range number {
				dst[k] = boxesNorm(point, row(table, e, len(point)/2), half)
			}
		},
		GatherPush: func(g, point, table []float32, number, _ []int32, weight, _ []float32) {
			for k, e := range number {
				if w := weight[k]; w != 0 {
					pullBoxes(g, point, row(table, e, len(point)/2), w, half)
				}
			}
		},
		OwnPush: func(g, own, table []float32, pull []uint64) {
			for _, x := range pull {
				e, w := int32(uint32(x)), math.Float32frombits(uint32(x>>32))
				switch {
				case e < 0:
					add(g, row(table, ^e, 2*len(g))[:len(g)])
				case w != 0:
					pushBoxes(g, row(table, e, 2*len(g)), own, w, half)
				}
			}
		},
	}
}

// boxDistance returns the two lines whose greater one is the distance of a coordinate: x is |c-u|, v the width. inside
// is 1/(1+v), the slope of the first line.
func boxDistance(x, v, half float32) (near, far, inside float32) {
	w := 1 + v
	inside = 1 / w
	return float32(x * inside), float32(x*w) - float32(half*float32(v*(w-inside))), inside
}

func boxesNorm(point, c []float32, half float32) float32 {
	u, v := point[:len(c)], point[len(c):][:len(c)]
	var sum [Lanes]float32
	for j := 0; j < len(c); j += Lanes {
		c, u, v := (*[Lanes]float32)(c[j:]), (*[Lanes]float32)(u[j:]), (*[Lanes]float32)(v[j:])
		for l := range Lanes {
			near, far, _ := boxDistance(abs(c[l]-u[l]), v[l], half)
			if far > near {
				near = far
			}
			sum[l] += near
		}
	}
	return Reduce(&sum)
}

func pushBoxes(g, point, c []float32, w, half float32) {
	u, v := point[:len(c)], point[len(c):][:len(c)]
	for j := range c {
		d := c[j] - u[j]
		near, far, slope := boxDistance(abs(d), v[j], half)
		if far > near {
			slope = 1 + v[j]
		}
		switch s := float32(w * slope); {
		case d > 0:
			g[j] += s
		case d < 0:
			g[j] -= s
		}
	}
}

// pullBoxes adds w times the gradient of boxesNorm by the point to g: by the centers, then by the widths.
func pullBoxes(g, point, c []float32, w, half float32) {
	u, v := point[:len(c)], point[len(c):][:len(c)]
	centers, widths := g[:len(c)], g[len(c):][:len(c)]
	for j := range c {
		d := c[j] - u[j]
		x := abs(d)
		near, far, inside := boxDistance(x, v[j], half)
		square := float32(inside * inside)
		slope, wider := inside, -float32(x*square)
		if far > near {
			slope = 1 + v[j]
			wider = x - float32(half*(((slope+slope)-1)-square))
		}
		switch s := float32(w * slope); {
		case d > 0:
			centers[j] -= s
		case d < 0:
			centers[j] += s
		}
		widths[j] += float32(w * wider)
	}
}
