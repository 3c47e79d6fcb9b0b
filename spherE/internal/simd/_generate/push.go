package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// addPush adds w/length * d to g, nothing where length is 0; for squares it adds w * d. If length is nil it is computed
// from d.
func (n norm) addPush(w VecVirtual, d []VecVirtual, length VecVirtual, g []VecVirtual) {
	if n.squares {
		VMULPS(w, d[0], d[0])
		VADDPS(d[0], g[0], g[0])
		return
	}
	if length == nil {
		length = n.term(d)
	}
	s := n.vector()
	VDIVPS(length, w, s)
	nonzero := n.notZero(length)
	for i := range d {
		VMULPS(d[i], s, d[i])
		n.addWhere(nonzero, d[i], g[i])
	}
}

// loadRow and storeRow move one vector per plane.
func (n norm) loadRow(from Register, index []GPVirtual, part int) []VecVirtual {
	g := make([]VecVirtual, n.planes)
	for i := range g {
		g[i] = n.vector()
		VMOVUPS(at(from, index[i]).Offset(part), g[i])
	}
	return g
}

func (n norm) storeRow(g []VecVirtual, to Register, index []GPVirtual, part int) {
	for i := range g {
		VMOVUPS(g[i], at(to, index[i]).Offset(part))
	}
}

func (n norm) push() {
	n.begin(n.kernel("pushBlock", "pushScaled"), "func(g, q, c []float32, w float32)")
	g, q, c := base("g"), base("q"), base("c")
	plane := n.plane(rowBytes("q"))
	w := n.broadcast("w")
	lines("line", n.planes, plane, func(index []GPVirtual) {
		for _, part := range n.parts() {
			sum := n.loadRow(g, index, part)
			n.addPush(w, n.difference(c, q, index, part), nil, sum)
			n.storeRow(sum, g, index, part)
		}
	})
	n.end()
}

// gatherPush visits all rows for one vector of g at a time, which stays in registers. With known lengths, loading and
// storing g for every row would take longer than the division.
func (n norm) gatherPush() {
	n.begin(n.kernel("gatherPush", "gatherPushScaled"),
		"func(g, q, table []float32, row []int32, weight, length []float32)")
	g, q := base("g"), base("q")
	plane := n.plane(rowBytes("q"))
	rows := length("row", 0)
	table, stride := base("table"), rowBytes("q")
	steps("vector", n.planes, plane, n.bytes, func(index []GPVirtual) {
		sum, point := n.loadRow(g, index, 0), n.loadRow(q, index, 0)
		number, weight, kept, k := base("row"), base("weight"), base("length"), GP64()
		XORQ(k, k)
		Label("row")
		CMPQ(k, rows)
		JGE(LabelRef("rowDone"))
		bits := GP32()
		MOVL(Mem{Base: weight, Index: k, Scale: 4}, bits)
		ADDL(bits, bits)
		JZ(LabelRef("rowNext")) // +0 or -0
		c := GP64()
		MOVLQSX(Mem{Base: number, Index: k, Scale: 4}, c)
		IMULQ(stride, c)
		ADDQ(table, c)
		w := n.vector()
		VBROADCASTSS(Mem{Base: weight, Index: k, Scale: 4}, w)
		d := make([]VecVirtual, n.planes)
		for i := range d {
			d[i] = n.vector()
			VSUBPS(at(c, index[i]), point[i], d[i])
		}
		var length VecVirtual
		if !n.squares {
			length = n.vector()
			VMOVUPS(at(kept, index[0]), length)
		}
		n.addPush(w, d, length, sum)
		Label("rowNext")
		if !n.squares {
			ADDQ(plane, kept)
		}
		INCQ(k)
		JMP(LabelRef("row"))
		Label("rowDone")
		n.storeRow(sum, g, index, 0)
	})
	n.end()
}

// ownPush pushes own away from or towards listed rows, or adds listed rows.
func (n norm) ownPush() {
	n.begin(n.kernel("ownPush", "ownPushScaled"), "func(g, own, table []float32, pull []uint64)")
	g, own := base("g"), base("own")
	plane := n.plane(rowBytes("own"))
	pulls := newList("pull", 3)
	pull, end := pulls.current, pulls.end

	Label("pull")
	CMPQ(pull, end)
	JGE(LabelRef("done"))
	later := pulls.lookAhead()
	number, next := GP64(), GP64()
	MOVLQSX(Mem{Base: later}, next)
	MOVQ(next, number)
	SARQ(U8(63), number)
	XORQ(number, next) // of a row to be added the complement
	IMULQ(address(Param("own").Len()), next)
	SHLQ(U8(2), next)
	ADDQ(address(Param("table").Base()), next)

	row := GP64()
	MOVLQSX(Mem{Base: pull}, row)
	TESTQ(row, row)
	JS(LabelRef("add"))
	bits := GP32()
	MOVL(Mem{Base: pull, Disp: 4}, bits)
	ADDL(bits, bits)
	JZ(LabelRef("next")) // a weight of +0 or -0
	IMULQ(address(Param("own").Len()), row)
	SHLQ(U8(2), row)
	ADDQ(address(Param("table").Base()), row)
	w := n.vector()
	VBROADCASTSS(Mem{Base: pull, Disp: 4}, w)
	lines("push", n.planes, plane, func(index []GPVirtual) {
		for _, part := range n.parts() {
			sum := n.loadRow(g, index, part)
			n.addPush(w, n.difference(own, row, index, part), nil, sum)
			n.storeRow(sum, g, index, part)
		}
		n.prefetchLines(next)
	})
	Label("next")
	ADDQ(U8(8), pull)
	JMP(LabelRef("pull"))

	Label("add")
	NOTQ(row)
	IMULQ(address(Param("own").Len()), row)
	SHLQ(U8(2), row)
	ADDQ(address(Param("table").Base()), row)
	n.addRow(g, row, plane, next)
	JMP(LabelRef("next"))

	Label("done")
	n.end()
}

// addRow adds a row to g and prefetches another one.
func (n norm) addRow(g, row, plane Register, next GPVirtual) {
	lines("sum", n.planes, plane, func(index []GPVirtual) {
		for _, part := range n.parts() {
			for _, i := range index {
				x := n.vector()
				VMOVUPS(at(g, i).Offset(part), x)
				VADDPS(at(row, i).Offset(part), x, x)
				VMOVUPS(x, at(g, i).Offset(part))
			}
		}
		n.prefetchLines(next)
	})
}

// list iterates over a slice in ascending order, and looks ahead up to its capacity.
type list struct {
	current   Register
	end, last Register
	size      int // of an element in bytes
}

func newList(name string, shift uint64) list {
	size := 1 << shift
	l := list{current: base(name), end: length(name, shift), size: size}
	ADDQ(l.current, l.end)
	last := GP64()
	Load(Param(name).Cap(), last)
	LEAQ(Mem{Base: l.current, Index: last, Scale: uint8(size), Disp: -size}, last)
	l.last = last
	return l
}

// lookAhead returns the address of the element whose row is to be prefetched.
func (l list) lookAhead() Register {
	later := GP64()
	LEAQ(Mem{Base: l.current, Disp: l.size * ahead}, later)
	CMPQ(later, l.last)
	CMOVQGT(l.last, later)
	return later
}

// add adds one row to another.
func (p path) add() {
	p.begin("add", "func(g, x []float32)")
	g, x := base("g"), base("x")
	each("float", length("g", 2), p.bytes, func(i GPVirtual) {
		a := p.vector()
		VMOVUPS(at(g, i), a)
		VADDPS(at(x, i), a, a)
		VMOVUPS(a, at(g, i))
	})
	p.end()
}

// prefetch prefetches every cache line of a row.
func (p path) prefetch() {
	p.begin("prefetch", "func(row []float32)")
	row := base("row")
	each("line", length("row", 2), lineBytes, func(i GPVirtual) {
		PREFETCHT1(at(row, i))
	})
	RET()
}
