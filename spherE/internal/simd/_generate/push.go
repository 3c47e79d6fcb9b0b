package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// addPush adds quotient * d to g, nothing where length is 0.
func (n norm) addPush(d []VecVirtual, length, quotient VecVirtual, g []VecVirtual) {
	nonzero := n.notZero(length)
	for i := range d {
		VMULPS(d[i], quotient, d[i])
		n.addWhere(nonzero, d[i], g[i])
	}
}

// addScaled adds w * d to g.
func (n norm) addScaled(w VecVirtual, d, g []VecVirtual) {
	VMULPS(w, d[0], d[0])
	VADDPS(d[0], g[0], g[0])
}

// pushVectors adds w/|d| * d to the vectors of g at some places, for squares w * d. d is the difference of two rows.
func (n norm) pushVectors(r rooter, w VecVirtual, from, to, g Register, index []GPVirtual, parts []int, way string) {
	d := make([][]VecVirtual, len(parts))
	for v, part := range parts {
		d[v] = n.difference(from, to, index, part)
	}
	var length, quotient []VecVirtual
	if !n.squares {
		length, quotient = r.quotients(w, func(v int) VecVirtual { return n.square(d[v]) }, way)
	}
	for v, part := range parts {
		sum := n.loadRow(g, index, part)
		if n.squares {
			n.addScaled(w, d[v], sum)
		} else {
			n.addPush(d[v], length[v], quotient[v], sum)
		}
		n.storeRow(sum, g, index, part)
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
	r := n.rooter()
	g, q, c := base("g"), base("q"), base("c")
	plane := n.plane(rowBytes("q"))
	w := n.broadcast("w")
	n.mixed("line", n.planes, plane, "", nil, func(index []GPVirtual, parts []int, way string) {
		n.pushVectors(r, w, c, q, g, index, parts, way)
	}, nil)
	n.end()
}

// gatherPush visits all rows for a few vectors of g at a time, which stay in registers. With known lengths, loading and
// storing g for every row would take longer than the division. Prefetches of other rows come one by one: memory would
// answer no sooner if all came at once, and the divisions do not wait for it.
func (n norm) gatherPush() {
	n.begin(n.kernel("gatherPush", "gatherPushScaled"),
		"func(g, q, table []float32, row, next []int32, weight, length []float32)")
	r := n.rooter()
	g, q := base("g"), base("q")
	plane := n.plane(rowBytes("q"))
	rows := length("row", 0)
	table, stride := base("table"), rowBytes("q")
	way := n.kept
	switch {
	case n.squares:
		way = ""
	case !n.wide() && n.planes == 3: // 16 registers are few
		way = way[:min(1, len(way))]
	}
	loops := 0
	n.mixed("vector", n.planes, plane, way, nil, func(index []GPVirtual, parts []int, way string) {
		label := fmt.Sprintf("row%d", loops)
		loops++
		sum, point := make([][]VecVirtual, len(parts)), make([][]VecVirtual, len(parts))
		for v, part := range parts {
			sum[v], point[v] = n.loadRow(g, index, part), n.loadRow(q, index, part)
		}
		number, weight, kept, k := base("row"), base("weight"), base("length"), GP64()
		XORQ(k, k)
		Label(label)
		CMPQ(k, rows)
		JGE(LabelRef(label + "Done"))
		later := base("next")
		MOVLQSX(Mem{Base: later, Index: k, Scale: 4}, later)
		IMULQ(stride, later)
		ADDQ(table, later)
		for part := parts[0]; part <= parts[len(parts)-1]; part += lineBytes {
			for _, i := range index {
				PREFETCHT1(at(later, i).Offset(part))
			}
		}
		bits := GP32()
		MOVL(Mem{Base: weight, Index: k, Scale: 4}, bits)
		ADDL(bits, bits)
		JZ(LabelRef(label + "Next")) // +0 or -0
		c := GP64()
		MOVLQSX(Mem{Base: number, Index: k, Scale: 4}, c)
		IMULQ(stride, c)
		ADDQ(table, c)
		w := n.vector()
		VBROADCASTSS(Mem{Base: weight, Index: k, Scale: 4}, w)
		var length, quotient []VecVirtual
		if !n.squares {
			length, quotient = r.keptQuotients(w, bits, kept, index[0], parts, way)
		}
		for v, part := range parts {
			d := make([]VecVirtual, n.planes)
			for i := range d {
				d[i] = n.vector()
				VSUBPS(at(c, index[i]).Offset(part), point[v][i], d[i])
			}
			if n.squares {
				n.addScaled(w, d, sum[v])
			} else {
				n.addPush(d, length[v], quotient[v], sum[v])
			}
		}
		Label(label + "Next")
		if !n.squares {
			ADDQ(plane, kept)
		}
		INCQ(k)
		JMP(LabelRef(label))
		Label(label + "Done")
		for v, part := range parts {
			n.storeRow(sum[v], g, index, part)
		}
	}, nil)
	n.end()
}

// ownPush pushes own away from or towards listed rows, or adds listed rows.
func (n norm) ownPush() {
	n.begin(n.kernel("ownPush", "ownPushScaled"), "func(g, own, table []float32, pull []uint64)")
	r := n.rooter()
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
	way := n.quotients
	if n.squares {
		way = ""
	}
	n.mixed("push", n.planes, plane, way, bits, func(index []GPVirtual, parts []int, way string) {
		n.pushVectors(r, w, own, row, g, index, parts, way)
	}, func() { n.prefetchLines(next) })
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

// lookAhead returns the address of the element whose row must be prefetched.
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
