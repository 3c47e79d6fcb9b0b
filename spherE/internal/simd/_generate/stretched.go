package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// plainBit marks the number of a point whose factors are all 1 in a pull.
const plainBit = 30

// span is the bytes of the first planes of a point, from those of one plane.
func span(planes int, plane Register) GPVirtual {
	size := GP64()
	LEAQ(Mem{Base: plane, Index: plane, Scale: 2}, size)
	if planes == 4 {
		ADDQ(plane, size)
	}
	return size
}

// from returns a place in each of the planes of a row.
func from(row Register, index []GPVirtual) []Mem {
	all := make([]Mem, len(index))
	for i := range index {
		all[i] = at(row, index[i])
	}
	return all
}

// gatherStretched compares a point with listed rows of a table.
func (p space) gatherStretched() {
	p.begin("gatherStretched3", "func(dst, point, table []float32, row []int32)")
	dst, point := base("dst"), base("point")
	plane := length("point", 0) // in bytes: a fourth of the floats, times four
	rows := newList("row", 2)
	number, end := rows.now, rows.end

	Label("row")
	CMPQ(number, end)
	JGE(LabelRef("done"))
	soon := rows.soon()
	c, next, size := GP64(), GP64(), span(3, plane)
	for _, r := range []struct {
		at Register
		to GPVirtual
	}{{number, c}, {soon, next}} {
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
			d, _ := p.apart(p.loadAll(from(c, index[:3]), part), from(point, index), part)
			VADDPS(p.lengthOf(d), sums[i], sums[i])
		}
		norm{path: p.path, planes: 3}.askFor(next)
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
	IMULQ(span(3, plane), c)
	ADDQ(address(Param("table").Base()), c)
	w := p.vector()
	VBROADCASTSS(Mem{Base: weight}, w)
	lines("line", 4, plane, func(index []GPVirtual) {
		for _, part := range p.parts() {
			candidate := p.loadAll(from(c, index[:3]), part)
			d, _ := p.apart(candidate, from(point, index), part)
			length := p.lengthOf(d)
			s, lanes := p.quotient(w, length), p.notZero(length)
			for i := range d {
				VMULPS(d[i], s, d[i])
			}
			along := p.dot(d, candidate)
			for i := range d {
				p.takeFrom(at(g, index[i]).Offset(part), d[i], lanes)
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
	plane := third("own")
	pulls := newList("pull", 3)
	pull, end := pulls.now, pulls.end

	// pointAt leaves the address of a point in its number.
	pointAt := func(number GPVirtual) {
		BTRQ(Imm(plainBit), number)
		IMULQ(span(4, plane), number)
		ADDQ(address(Param("table").Base()), number)
	}
	Label("pull")
	CMPQ(pull, end)
	JGE(LabelRef("done"))
	soon := pulls.soon()
	sign, next := GP64(), GP64()
	MOVLQSX(Mem{Base: soon}, next)
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
			d, s := p.apart(p.loadAll(from(own, index[:3]), part), from(row, index), part)
			length := p.lengthOf(d)
			a, lanes := p.quotient(w, length), p.notZero(length)
			VMULPS(s, a, a)
			for i := range d {
				p.addTo(at(g, index[i]).Offset(part), p.product(d[i], a), lanes)
			}
		}
		norm{path: p.path, planes: 3}.askFor(next)
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
		block.askFor(next)
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
