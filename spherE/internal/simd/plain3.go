package simd

import "math"

// goSpace returns the plain Go kernels for blocks of three, the specification of all others.
func goSpace() Space {
	return Space{
		StretchNorm3: stretchNorm3, PushStretched3: pushStretched3,
		Rotate3: rotate3, Unrotate3: unrotate3, Scale3: scale3, Torque3: torque3, Stretch3: stretch3,
	}
}

// stretched returns the plain Go kernels of Kernels.Stretched.
func stretched() Norm {
	point := func(table []float32, number int32, own []float32) []float32 {
		stride := len(own) / 3 * 4
		return table[int(number)*stride:][:stride]
	}
	return Norm{
		Pair: stretchNorm3, Push: pushStretched3, Rows: stretchedRows(stretchNorm3),
		Gather: func(dst, _, q, table []float32, number []int32) {
			for i, e := range number {
				dst[i] = stretchNorm3(q, row(table, e, len(q)/4*3))
			}
		},
		GatherPush: func(g, q, table []float32, number, _ []int32, weight, _ []float32) {
			for i, e := range number {
				if weight[i] != 0 {
					pushPoint3(g, q, row(table, e, len(q)/4*3), weight[i])
				}
			}
		},
		OwnPush: func(g, own, table []float32, pull []uint64) {
			for _, x := range pull {
				e, w := int32(uint32(x)), math.Float32frombits(uint32(x>>32))
				switch {
				case e < 0:
					add(g, point(table, ^e, own)[:len(own)])
				case w == 0:
				case e&plainPoint != 0:
					pushBlock3(g, point(table, e&^plainPoint, own)[:len(own)], own, w)
				default:
					pushStretched3(g, point(table, e, own), own, w)
				}
			}
		},
	}
}

// stretchedRows makes Norm.Rows from a kernel over two rows.
func stretchedRows(
	pair func(point, c []float32) float32,
) func(dst []float32, pitch int, queries, rows []float32, stride int) {
	return func(dst []float32, pitch int, queries, rows []float32, stride int) {
		own := stride / 4 * 3
		for i := range len(queries) / stride {
			for e := range len(rows) / own {
				dst[i*pitch+e] = pair(row(queries, int32(i), stride), row(rows, int32(e), own))
			}
		}
	}
}

// three returns the first three planes of n floats.
func three(row []float32, n int) (x, y, z []float32) { return row[:n], row[n : 2*n], row[2*n : 3*n] }

// dot3 adds three products in the order that all kernels use.
func dot3(ax, ay, az, bx, by, bz float32) float32 {
	return (float32(ax*bx) + float32(ay*by)) + float32(az*bz)
}

func stretchNorm3(point, c []float32) float32 {
	n := len(c) / 3
	px, py, pz := three(point, n)
	s := point[3*n : 4*n]
	cx, cy, cz := three(c, n)
	var sum [Lanes]float32
	for j := 0; j < n; j += Lanes {
		for l := range Lanes {
			k := j + l
			x, y, z := float32(s[k]*cx[k])-px[k], float32(s[k]*cy[k])-py[k], float32(s[k]*cz[k])-pz[k]
			sum[l] += sqrt(dot3(x, y, z, x, y, z))
		}
	}
	return Reduce(&sum)
}

// pushPoint3 adds w times the gradient of stretchNorm3 by the point to g, four planes: -u to the first three and u.c to
// the last, where u is the direction of s*c - p. It adds nothing where the length is 0.
func pushPoint3(g, point, c []float32, w float32) {
	n := len(c) / 3
	gx, gy, gz := three(g, n)
	gs := g[3*n : 4*n]
	px, py, pz := three(point, n)
	s := point[3*n : 4*n]
	cx, cy, cz := three(c, n)
	for j := range n {
		x, y, z := float32(s[j]*cx[j])-px[j], float32(s[j]*cy[j])-py[j], float32(s[j]*cz[j])-pz[j]
		length := sqrt(dot3(x, y, z, x, y, z))
		if length == 0 {
			continue
		}
		a := w / length
		x, y, z = float32(a*x), float32(a*y), float32(a*z)
		gx[j] -= x
		gy[j] -= y
		gz[j] -= z
		gs[j] += dot3(x, y, z, cx[j], cy[j], cz[j])
	}
}

func pushStretched3(g, point, c []float32, w float32) {
	n := len(c) / 3
	gx, gy, gz := three(g, n)
	px, py, pz := three(point, n)
	s := point[3*n : 4*n]
	cx, cy, cz := three(c, n)
	for j := range n {
		x, y, z := float32(s[j]*cx[j])-px[j], float32(s[j]*cy[j])-py[j], float32(s[j]*cz[j])-pz[j]
		length := sqrt(dot3(x, y, z, x, y, z))
		if length == 0 {
			continue
		}
		a := float32(w/length) * s[j]
		gx[j] += float32(a * x)
		gy[j] += float32(a * y)
		gz[j] += float32(a * z)
	}
}

func rotate3(dst, src, turn []float32) {
	n := len(src) / 3
	dx, dy, dz := three(dst, n)
	sx, sy, sz := three(src, n)
	a, b, c := three(turn, n)
	d, e, f := three(turn[3*n:], n)
	g, h, i := three(turn[6*n:], n)
	for j := range n {
		x, y, z := sx[j], sy[j], sz[j]
		dx[j] = dot3(a[j], b[j], c[j], x, y, z)
		dy[j] = dot3(d[j], e[j], f[j], x, y, z)
		dz[j] = dot3(g[j], h[j], i[j], x, y, z)
	}
}

func unrotate3(dst, src, turn []float32) {
	n := len(src) / 3
	dx, dy, dz := three(dst, n)
	sx, sy, sz := three(src, n)
	a, b, c := three(turn, n)
	d, e, f := three(turn[3*n:], n)
	g, h, i := three(turn[6*n:], n)
	for j := range n {
		x, y, z := sx[j], sy[j], sz[j]
		dx[j] = dot3(a[j], d[j], g[j], x, y, z)
		dy[j] = dot3(b[j], e[j], h[j], x, y, z)
		dz[j] = dot3(c[j], f[j], i[j], x, y, z)
	}
}

func scale3(dst, src, factor []float32) {
	n := len(factor)
	for p := range 3 {
		to, from := dst[p*n:][:n], src[p*n:][:n]
		for j, f := range factor {
			to[j] = from[j] * f
		}
	}
}

func torque3(dst, q, g, p, h, turn []float32) {
	n := len(dst) / 3
	tx, ty, tz := three(dst, n)
	qx, qy, qz := three(q, n)
	gx, gy, gz := three(g, n)
	px, py, pz := three(p, n)
	hx, hy, hz := three(h, n)
	ma, mb, mc := three(turn, n)
	md, me, mf := three(turn[3*n:], n)
	mg, mh, mi := three(turn[6*n:], n)
	for j := range n {
		x := float32(py[j]*hz[j]) - float32(pz[j]*hy[j])
		y := float32(pz[j]*hx[j]) - float32(px[j]*hz[j])
		z := float32(px[j]*hy[j]) - float32(py[j]*hx[j])
		tx[j] = (float32(qy[j]*gz[j]) - float32(qz[j]*gy[j])) - dot3(ma[j], mb[j], mc[j], x, y, z)
		ty[j] = (float32(qz[j]*gx[j]) - float32(qx[j]*gz[j])) - dot3(md[j], me[j], mf[j], x, y, z)
		tz[j] = (float32(qx[j]*gy[j]) - float32(qy[j]*gx[j])) - dot3(mg[j], mh[j], mi[j], x, y, z)
	}
}

func stretch3(dst, src, g, more, turn []float32) {
	n := len(dst)
	sx, sy, sz := three(src, n)
	gx, gy, gz := three(g, n)
	ma, mb, mc := three(turn, n)
	md, me, mf := three(turn[3*n:], n)
	mg, mh, mi := three(turn[6*n:], n)
	for j := range n {
		x := dot3(ma[j], mb[j], mc[j], sx[j], sy[j], sz[j])
		y := dot3(md[j], me[j], mf[j], sx[j], sy[j], sz[j])
		z := dot3(mg[j], mh[j], mi[j], sx[j], sy[j], sz[j])
		dst[j] = dot3(x, y, z, gx[j], gy[j], gz[j]) + more[j]
	}
}
