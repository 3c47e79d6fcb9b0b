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
	dst, point := base("dst"), base("point")
	plane := length("point", 0) // in bytes: a quarter of the floats, times four
	rows := newList("row", 2)
	number, end := rows.current, rows.end

	Label("row")
	CMPQ(number, end)
	JGE(LabelRef("done"))
	later := rows.lookAhead()
	c, next, size := GP64(), GP64(), pointBytes(3, plane)
	for _, r := range []struct {
		at Register
		to GPVirtual
	}{{number, c}, {later, next}} {
		MOVLQSX(Mem{Base: r.at}, r.to)
		IMULQ(size, r.to)
		ADDQ(address(Param("table").Base()), r.to)
	}
	sums := make([]VecVirtual, len(p.parts()))
	for i := range sums {
		sums[i] = p.zero()
	}
	lines("line", 4, plane, func(index []GPVirtual) {
		for i, part := range p.parts() {
			d, _ := p.difference(p.loadAll(from(c, index[:3]), part), from(point, index), part)
			VADDPS(p.lengthOf(d), sums[i], sums[i])
		}
		norm{path: p.path, planes: 3}.prefetchLines(next)
	})
	VMOVSS(p.reduce(sums), Mem{Base: dst})
	ADDQ(U8(4), dst)
	ADDQ(U8(4), number)
	JMP(LabelRef("row"))
	Label("done")
	p.end()
}

// gatherPushStretched pulls a point towards listed rows of a table.
func (p space) gatherPushStretched() {
	p.begin("gatherPushStretched3", "func(g, point, table []float32, row []int32, weight []float32)")
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
	lines("line", 4, plane, func(index []GPVirtual) {
		for _, part := range p.parts() {
			candidate := p.loadAll(from(c, index[:3]), part)
			d, _ := p.difference(candidate, from(point, index), part)
			length := p.lengthOf(d)
			s, lanes := p.quotient(w, length), p.notZero(length)
			for i := range d {
				VMULPS(d[i], s, d[i])
			}
			along := p.dot(d, candidate)
			for i := range d {
				p.subtractFrom(at(g, index[i]).Offset(part), d[i], lanes)
			}
			p.addTo(at(g, index[3]).Offset(part), along, lanes)
		}
	})
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
	lines("stretched", 4, plane, func(index []GPVirtual) {
		for _, part := range p.parts() {
			d, s := p.difference(p.loadAll(from(own, index[:3]), part), from(row, index), part)
			length := p.lengthOf(d)
			a, lanes := p.quotient(w, length), p.notZero(length)
			VMULPS(s, a, a)
			for i := range d {
				p.addTo(at(g, index[i]).Offset(part), p.product(d[i], a), lanes)
			}
		}
		norm{path: p.path, planes: 3}.prefetchLines(next)
	})
	Label("next")
	ADDQ(U8(8), pull)
	JMP(LabelRef("pull"))

	Label("plain")
	pointAt(row)
	block := norm{path: p.path, planes: 3}
	lines("unstretched", 3, plane, func(index []GPVirtual) {
		for _, part := range p.parts() {
			sum := block.loadRow(g, index, part)
			block.addPush(w, block.difference(own, row, index, part), nil, sum)
			block.storeRow(sum, g, index, part)
		}
		block.prefetchLines(next)
	})
	JMP(LabelRef("next"))

	Label("add")
	NOTQ(row)
	pointAt(row)
	block.addRow(g, row, plane, next)
	JMP(LabelRef("next"))

	Label("done")
	p.end()
}
