package simd

import "math"

func goMany() Many {
	return Many{
		Taxicab: plainNorm(1, taxicab, pushSigns, nil, nil),
		Blocks:  plainBlocks,
		Hinged:  plainHinged,
		Boxes:   plainBoxes,
		Reflect: reflect, ReflectBoth: reflectBoth,
	}
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

func taxicab(q, c []float32) float32 {
	var sum [Lanes]float32
	for j := 0; j < len(q); j += Lanes {
		for l := range Lanes {
			sum[l] += abs(c[j+l] - q[j+l])
		}
	}
	return Reduce(&sum)
}

func pushSigns(g, q, c []float32, w float32) {
	for j := range g {
		switch d := c[j] - q[j]; {
		case d > 0:
			g[j] += w
		case d < 0:
			g[j] -= w
		}
	}
}

func plainBlocks(planes int) Norm {
	keep := blockLengths(planes)
	pair := func(q, c []float32) float32 {
		n := len(q) / planes
		var length [Lanes]float32
		var sum [Lanes]float32
		for j := 0; j < n; j += Lanes {
			lineLengths(&length, q, c, j, n, planes)
			for l := range Lanes {
				sum[l] += length[l]
			}
		}
		return Reduce(&sum)
	}
	push := func(g, q, c []float32, w float32) {
		n := len(q) / planes
		var length [Lanes]float32
		for j := 0; j < n; j += Lanes {
			lineLengths(&length, q, c, j, n, planes)
			for l, length := range length {
				if length == 0 {
					continue
				}
				s := w / length
				for i := j + l; i < planes*n; i += n {
					g[i] += float32(s * (c[i] - q[i]))
				}
			}
		}
	}
	return plainNorm(planes, pair, push, keep, pushLengths(planes))
}

// lineLengths computes the lengths of 16 blocks of c - q, those from j, of rows of planes of n floats.
func lineLengths(length *[Lanes]float32, q, c []float32, j, n, planes int) {
	*length = [Lanes]float32{}
	for i := j; i < planes*n; i += n {
		q, c := (*[Lanes]float32)(q[i:]), (*[Lanes]float32)(c[i:])
		for l := range Lanes {
			d := c[l] - q[l]
			length[l] += float32(d * d)
		}
	}
	for l, square := range length {
		length[l] = sqrt(square)
	}
}

func plainHinged(planes int, share float32) Norm {
	// outside sets length to the lengths of a line of blocks, and gap to what remains of them outside the balls.
	outside := func(gap, length *[Lanes]float32, q, c []float32, j, n int) {
		lineLengths(length, q, c, j, n, planes)
		rq, rc := q[planes*n+j:][:Lanes], c[planes*n+j:][:Lanes]
		for l := range Lanes {
			d := length[l] - (rq[l] + float32(share*rc[l]))
			if d <= 0 { // a NaN stays one
				d = 0
			}
			gap[l] = d
		}
	}
	pair := func(q, c []float32) float32 {
		n := len(q) / (planes + 1)
		var gap, length, sum [Lanes]float32
		for j := 0; j < n; j += Lanes {
			outside(&gap, &length, q, c, j, n)
			for l := range Lanes {
				sum[l] += gap[l]
			}
		}
		return Reduce(&sum)
	}
	// pushTo adds the gradient by to, whose radii have the given weight; it moves away from the other row.
	pushTo := func(g, q, c, from, to []float32, w, radius float32) {
		n := len(q) / (planes + 1)
		var gap, length [Lanes]float32
		for j := 0; j < n; j += Lanes {
			outside(&gap, &length, q, c, j, n)
			for l := range Lanes {
				if !(gap[l] > 0) {
					continue
				}
				g[planes*n+j+l] -= radius
				if length[l] == 0 {
					continue
				}
				s := w / length[l]
				for i := j + l; i < planes*n; i += n {
					g[i] += float32(s * (to[i] - from[i]))
				}
			}
		}
	}
	norm := plainNorm(planes+1, pair, func(g, q, c []float32, w float32) {
		pushTo(g, q, c, q, c, w, float32(share*w))
	}, nil, nil)
	norm.GatherPush = func(g, q, table []float32, number, _ []int32, weight, _ []float32) {
		for k, e := range number {
			if w := weight[k]; w != 0 {
				c := row(table, e, len(q))
				pushTo(g, q, c, c, q, w, w)
			}
		}
	}
	return norm
}

func reflect(x, v []float32, n int) {
	var dot [Lanes]float32
	for j := 0; j < n; j += Lanes {
		lineDots(&dot, x, v, j, n)
		for i := j; i < len(x); i += n {
			x, v := (*[Lanes]float32)(x[i:]), (*[Lanes]float32)(v[i:])
			for l := range Lanes {
				x[l] -= float32((dot[l] + dot[l]) * v[l])
			}
		}
	}
}

func reflectBoth(turn, x, g, v []float32, n int) {
	var along, across [Lanes]float32
	for j := 0; j < n; j += Lanes {
		lineDots(&along, x, v, j, n)
		lineDots(&across, g, v, j, n)
		for i := j; i < len(x); i += n {
			x, g := (*[Lanes]float32)(x[i:]), (*[Lanes]float32)(g[i:])
			v, turn := (*[Lanes]float32)(v[i:]), (*[Lanes]float32)(turn[i:])
			for l := range Lanes {
				turn[l] += float32(along[l]*g[l]) - float32(across[l]*x[l])
				x[l] -= float32((along[l] + along[l]) * v[l])
				g[l] -= float32((across[l] + across[l]) * v[l])
			}
		}
	}
}

// lineDots computes the products of 16 blocks of x and v, those from j.
func lineDots(dot *[Lanes]float32, x, v []float32, j, n int) {
	*dot = [Lanes]float32{}
	for i := j; i < len(x); i += n {
		x, v := (*[Lanes]float32)(x[i:]), (*[Lanes]float32)(v[i:])
		for l := range Lanes {
			dot[l] += float32(x[l] * v[l])
		}
	}
}
