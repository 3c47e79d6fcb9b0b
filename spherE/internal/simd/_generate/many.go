package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// many writes the kernels for rows of any number of planes. Most take one pair of rows and a third one, next, to be
// prefetched meanwhile.
type many struct{ path }

func (m many) kernels() {
	m.taxicab()
	m.pushSigns()
	m.blocks()
	m.pushBlocks()
	m.hinged()
	m.pushHinged("pushHinged", false)
	m.pullHinged()
	m.reflect()
	m.reflectBoth()
}

func (m many) pullHinged() { m.pushHinged("pullHinged", true) }

// bits returns a vector with the same 32 bits in every lane.
func (m many) bits(pattern uint32) VecVirtual {
	r, z := GP32(), m.vector()
	MOVL(U32(pattern), r)
	if m.wide() {
		VPBROADCASTD(r, z)
		return z
	}
	x := XMM()
	VMOVD(r, x)
	VPBROADCASTD(x, z)
	return z
}

// load returns a vector of a row.
func (m many) load(row, index Register, part int) VecVirtual {
	x := m.vector()
	VMOVUPS(at(row, index).Offset(part), x)
	return x
}

// minus returns a - b.
func (m many) minus(a, b, index Register, part int) VecVirtual {
	d := m.load(a, index, part)
	VSUBPS(at(b, index).Offset(part), d, d)
	return d
}

func (m many) perPart(make func() VecVirtual) []VecVirtual {
	var all []VecVirtual
	for range m.parts() {
		all = append(all, make())
	}
	return all
}

// compare returns the lanes in which x has a relation to 0.
func (m many) compare(relation uint64, x VecVirtual) mask {
	zero := m.zero()
	if m.wide() {
		lanes := K()
		VCMPPS(U8(relation), zero, x, lanes)
		return lanes
	}
	VCMPPS(U8(relation), zero, x, zero)
	return zero
}

// and returns the lanes that are in both.
func (m many) and(a, b mask) mask {
	if m.wide() {
		both := K()
		KANDW(a, b, both)
		return both
	}
	both := YMM()
	VANDPS(a, b, both)
	return both
}

// notEqualOrdered is the relation of VCMPPS that is false for NaN.
const notEqualOrdered = 12

func (m many) taxicab() {
	m.begin("taxicab", "func(q, c, next []float32) float32")
	q, c, next := base("q"), base("c"), base("next")
	size, magnitude := rowBytes("q"), m.bits(0x7fffffff)
	sums := m.perPart(m.zero)
	each("line", size, lineBytes, func(i GPVirtual) {
		PREFETCHT1(at(next, i))
		for k, part := range m.parts() {
			d := m.minus(c, q, i, part)
			VANDPS(magnitude, d, d)
			VADDPS(d, sums[k], sums[k])
		}
	})
	VMOVSS(m.path.reduce(sums), address(ReturnIndex(0)))
	m.end()
}

func (m many) pushSigns() {
	m.begin("pushSigns", "func(g, q, c, next []float32, w float32)")
	g, q, c, next := base("g"), base("q"), base("c"), base("next")
	size, sign, w := rowBytes("q"), m.bits(0x80000000), m.broadcast("w")
	each("line", size, lineBytes, func(i GPVirtual) {
		PREFETCHT1(at(next, i))
		for _, part := range m.parts() {
			d := m.minus(c, q, i, part)
			lanes := m.compare(notEqualOrdered, d)
			VANDPS(sign, d, d)
			VXORPS(w, d, d)
			sum := m.load(g, i, part)
			m.addWhere(lanes, d, sum)
			VMOVUPS(sum, at(g, i).Offset(part))
		}
	})
	m.end()
}

// planes runs body for the index of a line in one plane after the other, up to limit.
func (m many) planes(label string, line, plane, limit Register, body func(i GPVirtual)) {
	i := GP64()
	MOVQ(line, i)
	Label(label)
	body(i)
	ADDQ(plane, i)
	CMPQ(i, limit)
	JLT(LabelRef(label))
}

// lengths returns the lengths of the blocks of a line of c - q, and prefetches the line of next in all planes.
func (m many) lengths(q, c, next, line, plane, limit Register) []VecVirtual {
	length := m.perPart(m.zero)
	m.planes("square", line, plane, limit, func(i GPVirtual) {
		PREFETCHT1(at(next, i))
		for k, part := range m.parts() {
			d := m.minus(c, q, i, part)
			VMULPS(d, d, d)
			VADDPS(d, length[k], length[k])
		}
	})
	for _, l := range length {
		VSQRTPS(l, l)
	}
	return length
}

// planeBytes returns the parameter plane, a number of floats, in bytes.
func (m many) planeBytes() GPVirtual {
	plane := GP64()
	Load(Param("plane"), plane)
	SHLQ(U8(2), plane)
	return plane
}

func (m many) blocks() {
	m.begin("blocks", "func(q, c, next, length []float32, plane int) float32")
	q, c, next, kept := base("q"), base("c"), base("next"), base("length")
	plane, size, keeps := m.planeBytes(), rowBytes("q"), length("length", 0)
	sums := m.perPart(m.zero)
	each("line", plane, lineBytes, func(j GPVirtual) {
		lengths := m.lengths(q, c, next, j, plane, size)
		for k := range sums {
			VADDPS(lengths[k], sums[k], sums[k])
		}
		TESTQ(keeps, keeps)
		JZ(LabelRef("kept"))
		for k, part := range m.parts() {
			VMOVUPS(lengths[k], at(kept, j).Offset(part))
		}
		Label("kept")
	})
	VMOVSS(m.path.reduce(sums), address(ReturnIndex(0)))
	m.end()
}

func (m many) pushBlocks() {
	m.begin("pushBlocks", "func(g, q, c, next []float32, plane int, w float32)")
	g, q, c, next := base("g"), base("q"), base("c"), base("next")
	plane, size, w := m.planeBytes(), rowBytes("q"), m.broadcast("w")
	each("line", plane, lineBytes, func(j GPVirtual) {
		lengths := m.lengths(q, c, next, j, plane, size)
		var lanes []mask
		for _, l := range lengths {
			lanes = append(lanes, m.notZero(l))
			VDIVPS(l, w, l)
		}
		m.along(g, q, c, j, plane, size, lengths, lanes)
	})
	m.end()
}

// along adds scale times to - from to the planes of g in the given lanes.
func (m many) along(g, from, to, line, plane, limit Register, scale []VecVirtual, lanes []mask) {
	m.planes("along", line, plane, limit, func(i GPVirtual) {
		for k, part := range m.parts() {
			d := m.minus(to, from, i, part)
			VMULPS(scale[k], d, d)
			sum := m.load(g, i, part)
			m.addWhere(lanes[k], d, sum)
			VMOVUPS(sum, at(g, i).Offset(part))
		}
	})
}

// gaps returns what remains of lengths less the radii of a line of blocks; less than 0 where balls overlap.
func (m many) gaps(q, c, line, limit Register, share VecVirtual, lengths []VecVirtual) []VecVirtual {
	radii := GP64()
	MOVQ(line, radii)
	ADDQ(limit, radii)
	var all []VecVirtual
	for k, part := range m.parts() {
		r, gap := m.vector(), m.vector()
		VMULPS(at(c, radii).Offset(part), share, r)
		VADDPS(at(q, radii).Offset(part), r, r)
		VSUBPS(r, lengths[k], gap)
		all = append(all, gap)
	}
	return all
}

// centers returns the size of the planes of centers, which are followed by that of radii.
func (m many) centers(plane Register) Register {
	size := rowBytes("q")
	SUBQ(plane, size)
	return size
}

func (m many) hinged() {
	m.begin("hinged", "func(q, c, next []float32, plane int, share float32) float32")
	q, c, next := base("q"), base("c"), base("next")
	plane, share, zero := m.planeBytes(), m.broadcast("share"), m.zero()
	limit := m.centers(plane)
	sums := m.perPart(m.zero)
	each("line", plane, lineBytes, func(j GPVirtual) {
		lengths := m.lengths(q, c, next, j, plane, limit)
		for k, gap := range m.gaps(q, c, j, limit, share, lengths) {
			VMAXPS(gap, zero, gap) // a NaN stays one
			VADDPS(gap, sums[k], sums[k])
		}
	})
	VMOVSS(m.path.reduce(sums), address(ReturnIndex(0)))
	m.end()
}

// pushHinged adds the gradient by c, or by q.
func (m many) pushHinged(name string, byPoint bool) {
	m.begin(name, "func(g, q, c, next []float32, plane int, w, share, radius float32)")
	g, q, c, next := base("g"), base("q"), base("c"), base("next")
	plane, share := m.planeBytes(), m.broadcast("share")
	limit := m.centers(plane)
	from, to := q, c
	if byPoint {
		from, to = c, q
	}
	each("line", plane, lineBytes, func(j GPVirtual) {
		lengths := m.lengths(q, c, next, j, plane, limit)
		gaps := m.gaps(q, c, j, limit, share, lengths)
		radius, radii := m.broadcast("radius"), GP64()
		MOVQ(j, radii)
		ADDQ(limit, radii)
		var lanes []mask
		for k, part := range m.parts() {
			open := m.compare(greater, gaps[k])
			sum, less := m.load(g, radii, part), m.vector()
			VSUBPS(radius, sum, less)
			if m.wide() {
				VMOVUPS(less, open, at(g, radii).Offset(part))
			} else {
				VBLENDVPS(open, less, sum, sum)
				VMOVUPS(sum, at(g, radii).Offset(part))
			}
			lanes = append(lanes, m.and(open, m.notZero(lengths[k])))
		}
		w := m.broadcast("w")
		for _, l := range lengths {
			VDIVPS(l, w, l)
		}
		m.along(g, from, to, j, plane, limit, lengths, lanes)
	})
	m.end()
}

// dots returns the products of the blocks of a line of x and v.
func (m many) dots(label string, x, v, line, plane, size Register) []VecVirtual {
	dot := m.perPart(m.zero)
	m.planes(label, line, plane, size, func(i GPVirtual) {
		for k, part := range m.parts() {
			p := m.load(x, i, part)
			VMULPS(at(v, i).Offset(part), p, p)
			VADDPS(p, dot[k], dot[k])
		}
	})
	return dot
}

// away subtracts scale times v from a vector of x.
func (m many) away(x, v, i Register, part int, scale, value VecVirtual) {
	p := m.vector()
	VMULPS(at(v, i).Offset(part), scale, p)
	VSUBPS(p, value, value)
	VMOVUPS(value, at(x, i).Offset(part))
}

func (m many) reflect() {
	m.begin("reflect", "func(x, v []float32, plane int)")
	x, v := base("x"), base("v")
	plane, size := m.planeBytes(), rowBytes("x")
	each("line", plane, lineBytes, func(j GPVirtual) {
		dot := m.dots("dot", x, v, j, plane, size)
		for _, d := range dot {
			VADDPS(d, d, d)
		}
		m.planes("away", j, plane, size, func(i GPVirtual) {
			for k, part := range m.parts() {
				m.away(x, v, i, part, dot[k], m.load(x, i, part))
			}
		})
	})
	m.end()
}

func (m many) reflectBoth() {
	m.begin("reflectBoth", "func(turn, x, g, v []float32, plane int)")
	turn, x, g, v := base("turn"), base("x"), base("g"), base("v")
	plane, size := m.planeBytes(), rowBytes("x")
	each("line", plane, lineBytes, func(j GPVirtual) {
		along := m.dots("along", x, v, j, plane, size)
		across := m.dots("across", g, v, j, plane, size)
		twice := func(of []VecVirtual) []VecVirtual {
			var all []VecVirtual
			for _, d := range of {
				y := m.vector()
				VADDPS(d, d, y)
				all = append(all, y)
			}
			return all
		}
		alongs, acrosses := twice(along), twice(across)
		m.planes("away", j, plane, size, func(i GPVirtual) {
			for k, part := range m.parts() {
				xs, gs := m.load(x, i, part), m.load(g, i, part)
				t, u := m.vector(), m.vector()
				VMULPS(gs, along[k], t)
				VMULPS(xs, across[k], u)
				VSUBPS(u, t, t)
				VADDPS(at(turn, i).Offset(part), t, t)
				VMOVUPS(t, at(turn, i).Offset(part))
				m.away(x, v, i, part, alongs[k], xs)
				m.away(g, v, i, part, acrosses[k], gs)
			}
		})
	})
	m.end()
}
