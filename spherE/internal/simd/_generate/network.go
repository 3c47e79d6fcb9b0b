package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// network writes the kernels of a network that passes messages.
func (p path) network() {
	p.messages()
	p.linear(4, 1)
	p.linear(1, 1)
	if p.wide() {
		p.linear(4, 4) // 16 sums fit in the registers of AVX-512 alone
	}
	p.normalize()
	p.rectified()
}

// shifted returns an integer parameter, shifted left.
func shifted(name string, shift uint64) GPVirtual {
	n := GP64()
	Load(Param(name), n)
	SHLQ(U8(shift), n)
	return n
}

// messages sums products of rows of one line.
func (p path) messages() {
	p.begin("messages", "func(dst []float32, start, source, kind []int32, table, weight []float32)")
	dst, end := base("dst"), length("dst", 2)
	ADDQ(dst, end)
	start, source, kind, table, weight := base("start"), base("source"), base("kind"), base("table"), base("weight")
	i, last := GP64(), GP64()
	CMPQ(dst, end)
	JGE(LabelRef("done"))
	MOVLQSX(Mem{Base: start}, i)
	Label("row")
	ADDQ(U8(4), start)
	MOVLQSX(Mem{Base: start}, last)
	var sum []VecVirtual
	for range p.parts() {
		sum = append(sum, p.zero())
	}
	Label("edge")
	CMPQ(i, last)
	JGE(LabelRef("store"))
	x, w := GP64(), GP64()
	MOVLQSX(Mem{Base: source, Index: i, Scale: 4}, x)
	MOVLQSX(Mem{Base: kind, Index: i, Scale: 4}, w)
	SHLQ(U8(6), x)
	SHLQ(U8(6), w)
	for k, part := range p.parts() {
		product := p.vector()
		VMOVUPS(Mem{Base: table, Index: x, Scale: 1, Disp: part}, product)
		VMULPS(Mem{Base: weight, Index: w, Scale: 1, Disp: part}, product, product)
		VADDPS(product, sum[k], sum[k])
	}
	INCQ(i)
	JMP(LabelRef("edge"))
	Label("store")
	for k, part := range p.parts() {
		VMOVUPS(sum[k], Mem{Base: dst, Disp: part})
	}
	ADDQ(U8(lineBytes), dst)
	CMPQ(dst, end)
	JL(LabelRef("row"))
	Label("done")
	p.end()
}

// linear multiplies so many rows by so many lines of weights at a time: the sums stay in registers.
func (p path) linear(rows, lines int) {
	p.begin(fmt.Sprintf("linear%dx%d", rows, lines),
		"func(dst []float32, width int, src []float32, pitch, planes, count int, weight []float32)")
	dst, src, left := base("dst"), base("src"), GP64()
	Load(Param("count"), left)
	size, pitch := shifted("width", 2), shifted("pitch", 2)
	vectors := lines * len(p.parts())
	disp := func(v int) int { return v * p.bytes }

	Label("rows")
	sums := make([][]VecVirtual, rows)
	each := func(do func(s VecVirtual, place Mem)) {
		to := GP64()
		MOVQ(dst, to)
		for d := range sums {
			for v := range vectors {
				do(sums[d][v], Mem{Base: to, Disp: disp(v)})
			}
			if d < rows-1 {
				ADDQ(size, to)
			}
		}
	}
	for d := range sums {
		for range vectors {
			sums[d] = append(sums[d], p.vector())
		}
	}
	each(func(s VecVirtual, place Mem) { VMOVUPS(place, s) })
	weight, plane, from := base("weight"), GP64(), GP64()
	Load(Param("planes"), plane)
	MOVQ(src, from)
	Label("plane")
	at, lane := GP64(), GP64()
	MOVQ(from, at)
	MOVQ(U32(16), lane)
	Label("lane")
	w := make([]VecVirtual, vectors)
	for v := range w {
		w[v] = p.vector()
		VMOVUPS(Mem{Base: weight, Disp: disp(v)}, w[v])
	}
	for d := range sums {
		factor := p.vector()
		VBROADCASTSS(Mem{Base: at, Disp: d * lineBytes}, factor)
		for v := range w {
			product := p.vector()
			VMULPS(w[v], factor, product)
			VADDPS(product, sums[d][v], sums[d][v])
		}
	}
	ADDQ(U8(4), at)
	ADDQ(size, weight)
	DECQ(lane)
	JNZ(LabelRef("lane"))
	ADDQ(pitch, from)
	DECQ(plane)
	JNZ(LabelRef("plane"))
	each(func(s VecVirtual, place Mem) { VMOVUPS(s, place) })
	for range rows {
		ADDQ(size, dst)
	}
	ADDQ(U32(uint64(rows*lineBytes)), src)
	SUBQ(U8(uint64(rows)), left)
	JG(LabelRef("rows"))
	p.end()
}

// spread returns a vector whose lanes are the low lane of x.
func (p path) spread(x VecVirtual) VecVirtual {
	z := p.vector()
	VBROADCASTSS(x.AsX(), z)
	return z
}

// normalize is layer normalization, rectified, and a residual.
func (p path) normalize() {
	p.begin("normalize", "func(dst []float32, dstPitch int, src []float32, srcPitch int, "+
		"rows, gain, shift []float32, epsilon, count float32)")
	dst, src, rows, end := base("dst"), base("src"), base("rows"), length("rows", 2)
	ADDQ(rows, end)
	gain, shift, size := base("gain"), base("shift"), length("gain", 2)
	dstPitch, srcPitch := shifted("dstPitch", 2), shifted("srcPitch", 2)
	zero := p.zero()
	one := GP32()
	MOVL(U32(0x3f800000), one)

	Label("row")
	CMPQ(rows, end)
	JGE(LabelRef("done"))
	sums := func(label string, term func(x VecVirtual)) VecVirtual {
		var sum []VecVirtual
		for range p.parts() {
			sum = append(sum, p.zero())
		}
		each(label, size, lineBytes, func(i GPVirtual) {
			for k, part := range p.parts() {
				x := p.vector()
				VMOVUPS(Mem{Base: rows, Index: i, Scale: 1, Disp: part}, x)
				term(x)
				VADDPS(x, sum[k], sum[k])
			}
		})
		s := p.reduce(sum)
		VDIVSS(address(Param("count")), s.AsX(), s.AsX())
		return s
	}
	mean := p.spread(sums("sum", func(VecVirtual) {}))
	variance := sums("square", func(x VecVirtual) {
		VSUBPS(mean, x, x)
		VMULPS(x, x, x)
	}).AsX()
	VADDSS(address(Param("epsilon")), variance, variance)
	VSQRTSS(variance, variance, variance)
	unit := XMM()
	VMOVD(one, unit)
	VDIVSS(variance, unit, unit)
	scale := p.vector()
	VBROADCASTSS(unit, scale)
	to, from := GP64(), GP64()
	MOVQ(dst, to)
	MOVQ(src, from)
	each("line", size, lineBytes, func(i GPVirtual) {
		for _, part := range p.parts() {
			x := p.vector()
			VMOVUPS(Mem{Base: rows, Index: i, Scale: 1, Disp: part}, x)
			VSUBPS(mean, x, x)
			VMULPS(scale, x, x)
			VMULPS(Mem{Base: gain, Index: i, Scale: 1, Disp: part}, x, x)
			VADDPS(Mem{Base: shift, Index: i, Scale: 1, Disp: part}, x, x)
			VMAXPS(x, zero, x) // x if it is NaN
			VADDPS(Mem{Base: from, Disp: part}, x, x)
			VMOVUPS(x, Mem{Base: to, Disp: part})
		}
		ADDQ(dstPitch, to)
		ADDQ(srcPitch, from)
	})
	ADDQ(size, rows)
	ADDQ(U8(lineBytes), dst)
	ADDQ(U8(lineBytes), src)
	JMP(LabelRef("row"))
	Label("done")
	p.end()
}

// rectified is the dot product with rectified rows.
func (p path) rectified() {
	p.begin("rectified", "func(dst, rows, w []float32, bias float32)")
	dst, end, rows := base("dst"), length("dst", 2), base("rows")
	ADDQ(dst, end)
	w, size := base("w"), length("w", 2)
	zero := p.zero()
	Label("row")
	CMPQ(dst, end)
	JGE(LabelRef("done"))
	var sum []VecVirtual
	for range p.parts() {
		sum = append(sum, p.zero())
	}
	each("line", size, lineBytes, func(i GPVirtual) {
		for k, part := range p.parts() {
			x := p.vector()
			VMOVUPS(Mem{Base: rows, Index: i, Scale: 1, Disp: part}, x)
			VMAXPS(x, zero, x) // x if it is NaN
			VMULPS(Mem{Base: w, Index: i, Scale: 1, Disp: part}, x, x)
			VADDPS(x, sum[k], sum[k])
		}
	})
	s := p.reduce(sum).AsX()
	VADDSS(address(Param("bias")), s, s)
	VMOVSS(s, Mem{Base: dst})
	ADDQ(size, rows)
	ADDQ(U8(4), dst)
	JMP(LabelRef("row"))
	Label("done")
	p.end()
}
