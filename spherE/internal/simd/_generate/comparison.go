package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// comparisons writes the kernels that compare a few queries with many rows. Package simd calls them for all queries.
func (p path) comparisons() {
	magnitude := func(q, c Op) VecVirtual {
		d := p.vector()
		VMOVUPS(c, d)
		VSUBPS(q, d, d)
		return d
	}
	var clear VecVirtual // of the sign
	absolute := tile{p, func() { clear = many{p}.bits(0x7fffffff) }, func(q, c Op) VecVirtual {
		d := magnitude(q, c)
		if p.wide() {
			VPANDD(clear, d, d)
		} else {
			VANDPS(clear, d, d)
		}
		return d
	}}
	absolute.rows("absolute", 1, 1)
	absolute.rows("absolute", 1, 4)
	dot := tile{p, func() {}, func(q, c Op) VecVirtual {
		d := p.vector()
		VMULPS(c, q, d)
		return d
	}}
	dot.rows("dot", 1, 1)
	dot.rows("dot", 1, 4)
	if p.wide() {
		dot.rows("dot", 4, 4)
	} else {
		dot.rows("dot", 2, 2)
	}
	p.blocks("blockRows", false)
	p.blocks("hingedRows", true)
}

// tile compares several queries with several rows at once: what is read serves more than one sum, and the sums do not
// wait for each other.
type tile struct {
	path
	constants func()
	term      func(q, c Op) VecVirtual // of one vector; q is a register
}

// rows writes a kernel for so many queries, and rows whose number is a multiple of another.
func (t tile) rows(name string, queries, rows int) {
	t.begin(fmt.Sprintf("%s%dx%d", name, queries, rows),
		"func(dst []float32, pitch int, queries, rows []float32, stride int)")
	size := GP64()
	Load(Param("stride"), size)
	SHLQ(U8(2), size)
	following := func(first Register, n int) []Register {
		all := []Register{first}
		for len(all) < n {
			next := GP64()
			LEAQ(at(all[len(all)-1], size), next)
			all = append(all, next)
		}
		return all
	}
	q := following(base("queries"), queries)
	c, dst, end := base("rows"), base("dst"), length("rows", 2)
	ADDQ(c, end)
	t.constants()

	Label("rows")
	CMPQ(c, end)
	JGE(LabelRef("done"))
	all := following(c, rows)
	sums := make([][]VecVirtual, queries*rows)
	for i := range sums {
		for range t.parts() {
			sums[i] = append(sums[i], t.zero())
		}
	}
	each("line", size, lineBytes, func(i GPVirtual) {
		for k, part := range t.parts() {
			left := make([]VecVirtual, queries)
			for a := range left {
				left[a] = t.vector()
				VMOVUPS(at(q[a], i).Offset(part), left[a])
			}
			for b := range all {
				var right Op = at(all[b], i).Offset(part)
				if queries > 1 {
					v := t.vector()
					VMOVUPS(right, v)
					right = v
				}
				for a := range left {
					s := sums[a*rows+b][k]
					VADDPS(t.term(left[a], right), s, s)
				}
			}
		}
	})
	to, pitch := GP64(), GP64()
	MOVQ(dst, to)
	Load(Param("pitch"), pitch)
	for a := range queries {
		for b := range rows {
			VMOVSS(t.total(sums[a*rows+b]), Mem{Base: to, Disp: 4 * b})
		}
		if a < queries-1 {
			LEAQ(Mem{Base: to, Index: pitch, Scale: 4}, to)
		}
	}
	ADDQ(Imm(uint64(4*rows)), dst)
	if rows == 1 {
		ADDQ(size, c)
	} else {
		LEAQ(at(all[rows-1], size), c)
	}
	JMP(LabelRef("rows"))
	Label("done")
	t.end()
}

// total is reduce for sums in any register: VEXTRACTF128 reaches the first sixteen alone.
func (p path) total(sum []VecVirtual) VecVirtual {
	if !p.wide() {
		return p.reduce(sum)
	}
	high, y, upper, x, other := YMM(), YMM(), XMM(), XMM(), XMM()
	VEXTRACTF64X4(U8(1), sum[0], high)
	VADDPS(high, sum[0].AsY(), y)
	VEXTRACTF32X4(U8(1), y, upper)
	VADDPS(upper, y.AsX(), x)
	VMOVHLPS(x, x, other)
	VADDPS(other, x, x)
	VMOVSHDUP(x, other)
	VADDSS(other, x, x)
	return x
}

// blocks writes a kernel that compares one query with many rows of blocks. Hinged rows have a plane of radii behind the
// others. A few lines are summed over the planes at a time, so that additions do not wait for each other.
func (p path) blocks(name string, hinged bool) {
	signature := "func(dst, query, rows []float32, plane, planes int)"
	if hinged {
		signature = "func(dst, query, rows []float32, plane, planes int, share float32)"
	}
	p.begin(name, signature)
	dst, query, c := base("dst"), base("query"), base("rows")
	plane := GP64()
	Load(Param("plane"), plane)
	SHLQ(U8(2), plane)
	var share VecVirtual
	if hinged {
		share = p.broadcast("share")
	}
	end := length("rows", 2)
	ADDQ(c, end)

	Label("row")
	CMPQ(c, end)
	JGE(LabelRef("done"))
	var sums []VecVirtual
	for range p.parts() {
		sums = append(sums, p.zero())
	}
	index := GP64()
	XORQ(index, index)
	add := func(label string, lines int) {
		next := GP64()
		Label(label)
		LEAQ(Mem{Base: index, Disp: lines * lineBytes}, next)
		CMPQ(next, plane)
		JG(LabelRef(label + "Done"))
		from, to, left := GP64(), GP64(), GP64()
		LEAQ(at(query, index), from)
		LEAQ(at(c, index), to)
		Load(Param("planes"), left)
		squares := make([]VecVirtual, lines*len(sums))
		for i := range squares {
			squares[i] = p.zero()
		}
		Label(label + "Plane")
		for i, s := range squares {
			d := p.vector()
			VMOVUPS(Mem{Base: to, Disp: i * p.bytes}, d)
			VSUBPS(Mem{Base: from, Disp: i * p.bytes}, d, d)
			VMULPS(d, d, d)
			VADDPS(d, s, s)
		}
		ADDQ(plane, from)
		ADDQ(plane, to)
		DECQ(left)
		JNZ(LabelRef(label + "Plane"))
		for i, s := range squares {
			VSQRTPS(s, s)
			if hinged {
				p.outside(s, Mem{Base: from, Disp: i * p.bytes}, Mem{Base: to, Disp: i * p.bytes}, share)
			}
			sum := sums[i%len(sums)]
			VADDPS(s, sum, sum)
		}
		MOVQ(next, index)
		JMP(LabelRef(label))
		Label(label + "Done")
	}
	if p.wide() { // with fewer registers, no more than two lines at a time
		add("four", 4)
	}
	add("two", 2)
	add("one", 1)
	VMOVSS(p.total(sums), Mem{Base: dst})
	ADDQ(U8(4), dst)
	size := length("query", 2)
	ADDQ(size, c)
	JMP(LabelRef("row"))
	Label("done")
	p.end()
}

// outside turns lengths into max(0, length - (known + share*candidate)).
func (p path) outside(s VecVirtual, known, candidate Mem, share VecVirtual) {
	radius := p.vector()
	VMULPS(candidate, share, radius)
	VADDPS(known, radius, radius)
	VSUBPS(radius, s, s)
	zero := p.zero()
	low := p.where(lessOrEqual, s, zero)
	if p.wide() {
		VMOVAPS(zero, low, s)
	} else {
		VBLENDVPS(low, zero, s, s)
	}
}
