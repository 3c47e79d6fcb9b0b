package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// plainBit is set in the number of a pull if the factors of the point are all 1.
const plainBit = 30

// pointBytes returns the size of three or four planes, from that of one plane.
func pointBytes(planes int, plane Register) GPVirtual {
	size := GP64()
	LEAQ(Mem{Base: plane, Index: plane, Scale: 2}, size)
	if planes == 4 {
		ADDQ(plane, size)
	}
	return size
}

// from returns the positions of an index in the planes of a row.
func from(row Register, index []GPVirtual) []Mem {
	all := make([]Mem, len(index))
	for i := range index {
		all[i] = at(row, index[i])
	}
	return all
}

// gatherStretched computes the norms of a point and listed rows of a table.
func (p space) gatherStretched() {
	p.begin("gatherStretched3", "func(dst, point, table []float32, row []int32)")
	r := p.rooter()
	dst, point := base("dst"), base("point")
	plane := length("point", 0) // in bytes: a quarter of the floats, times four
	rows := newList("row", 2)
	number, end := rows.current, rows.end

	Label("row")
	CMPQ(number, end)
	JGE(LabelRef("done"))
	later := rows.lookAhead()
	c, next, size := GP64(), GP64(), pointBytes(3, plane)
	for _, x := range []struct {
		at Register
		to GPVirtual
	}{{number, c}, {later, next}} {
		MOVLQSX(Mem{Base: x.at}, x.to)
		IMULQ(size, x.to)
		ADDQ(address(Param("table").Base()), x.to)
	}
	block := p.norm()
	block.sum("line", 4, plane, Mem{Base: dst}, r, p.stretched(c, point), nil, func() { block.prefetchLines(next) })
	ADDQ(U8(4), dst)
	ADDQ(U8(4), number)
	JMP(LabelRef("row"))
	Label("done")
	p.end()
}

// gatherPushStretched pulls a point towards listed rows of a table.
func (p space) gatherPushStretched() {
	p.begin("gatherPushStretched3", "func(g, point, table []float32, row []int32, weight []float32)")
	r := p.rooter()
	g, point, number, weight := base("g"), base("point"), base("row"), base("weight")
	plane := length("point", 0)
	left := length("row", 0)

	Label("row")
	TESTQ(left, left)
	JZ(LabelRef("done"))
	bits := GP32()
	MOVL(Mem{Base: weight}, bits)
	ADDL(bits, bits)
	JZ(LabelRef("next")) // +0 or -0
	c := GP64()
	MOVLQSX(Mem{Base: number}, c)
	IMULQ(pointBytes(3, plane), c)
	ADDQ(address(Param("table").Base()), c)
	w := p.vector()
	VBROADCASTSS(Mem{Base: weight}, w)
	p.mixed("line", 4, plane, p.ways.quotients, bits, func(index []GPVirtual, parts []int, way string) {
		d := make([][]VecVirtual, len(parts))
		for v, part := range parts {
			d[v] = p.stretched(c, point)(index, part)
		}
		length, s := r.quotients(w, func(v int) VecVirtual { return p.norm().square(d[v]) }, way)
		for v, part := range parts {
			lanes := p.notZero(length[v])
			for i := range d[v] {
				VMULPS(d[v][i], s[v], d[v][i])
			}
			candidate := [3]Mem(from(c, index[:3]))
			along := p.row(candidate, d[v], part)
			for i := range d[v] {
				p.subtractFrom(at(g, index[i]).Offset(part), d[v][i], lanes)
			}
			p.addTo(at(g, index[3]).Offset(part), along, lanes)
		}
	}, nil)
	Label("next")
	ADDQ(U8(4), number)
	ADDQ(U8(4), weight)
	DECQ(left)
	JMP(LabelRef("row"))
	Label("done")
	p.end()
}

// ownPushStretched pushes one row away from or towards listed points, or adds the first planes of listed points.
func (p space) ownPushStretched() {
	p.begin("ownPushStretched3", "func(g, own, table []float32, pull []uint64)")
	r := p.rooter()
	g, own := base("g"), base("own")
	plane := planeBytes("own")
	pulls := newList("pull", 3)
	pull, end := pulls.current, pulls.end

	// pointAt replaces the number of a point by its address.
	pointAt := func(number GPVirtual) {
		BTRQ(Imm(plainBit), number)
		IMULQ(pointBytes(4, plane), number)
		ADDQ(address(Param("table").Base()), number)
	}
	Label("pull")
	CMPQ(pull, end)
	JGE(LabelRef("done"))
	later := pulls.lookAhead()
	sign, next := GP64(), GP64()
	MOVLQSX(Mem{Base: later}, next)
	MOVQ(next, sign)
	SARQ(U8(63), sign)
	XORQ(sign, next) // of a row to be added the complement
	pointAt(next)

	row := GP64()
	MOVLQSX(Mem{Base: pull}, row)
	TESTQ(row, row)
	JS(LabelRef("add"))
	bits := GP32()
	MOVL(Mem{Base: pull, Disp: 4}, bits)
	ADDL(bits, bits)
	JZ(LabelRef("next")) // a weight of +0 or -0
	w := p.vector()
	VBROADCASTSS(Mem{Base: pull, Disp: 4}, w)
	BTQ(Imm(plainBit), row)
	JCS(LabelRef("plain"))
	pointAt(row)
	block := p.norm()
	prefetch := func() { block.prefetchLines(next) }
	p.mixed("stretched", 4, plane, p.ways.quotients, bits, func(index []GPVirtual, parts []int, way string) {
		p.pushVectors(r, w, g, row, own, index, parts, way)
	}, prefetch)
	Label("next")
	ADDQ(U8(8), pull)
	JMP(LabelRef("pull"))

	Label("plain")
	pointAt(row)
	p.mixed("unstretched", 3, plane, p.ways.quotients, bits, func(index []GPVirtual, parts []int, way string) {
		block.pushVectors(r, w, own, row, g, index, parts, way)
	}, prefetch)
	JMP(LabelRef("next"))

	Label("add")
	NOTQ(row)
	pointAt(row)
	block.addRow(g, row, plane, next)
	JMP(LabelRef("next"))

	Label("done")
	p.end()
}
