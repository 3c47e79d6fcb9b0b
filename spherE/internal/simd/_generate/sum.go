package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sums writes the kernels of losses over all entities.
func (p path) sums() {
	p.combine(4)
	p.combine(1)
	p.addScaled()
	p.adagrad()
}

// combine writes the weighted sum of rows for so many rows of dst at once: a row that is read serves all of them, and
// the sums of a line stay in registers.
func (p path) combine(rows int) {
	p.begin(fmt.Sprintf("combine%d", rows),
		"func(dst, weight []float32, perDst, perRow, count int, rows []float32, stride int)")
	dst, line, size := base("dst"), base("rows"), GP64()
	Load(Param("stride"), size)
	SHLQ(U8(2), size)
	step := GP64()
	Load(Param("perRow"), step)
	SHLQ(U8(2), step)
	end := GP64() // of the lines of the first row of dst
	LEAQ(at(dst, size), end)

	Label("line")
	CMPQ(dst, end)
	JGE(LabelRef("done"))
	sums := make([][]VecVirtual, rows)
	each := func(do func(s VecVirtual, place Mem)) {
		to := GP64()
		MOVQ(dst, to)
		for d := range sums {
			for k, part := range p.parts() {
				do(sums[d][k], Mem{Base: to, Disp: part})
			}
			if d < rows-1 {
				ADDQ(size, to)
			}
		}
	}
	for d := range sums {
		for range p.parts() {
			sums[d] = append(sums[d], p.vector())
		}
	}
	each(func(s VecVirtual, place Mem) { VMOVUPS(place, s) })
	from, left, pitch := GP64(), GP64(), GP64()
	MOVQ(line, from)
	Load(Param("count"), left)
	Load(Param("perDst"), pitch)
	SHLQ(U8(2), pitch)
	weight := []Register{base("weight")}
	for len(weight) < rows {
		next := GP64()
		LEAQ(at(weight[len(weight)-1], pitch), next)
		weight = append(weight, next)
	}
	Label("row")
	x := make([]VecVirtual, len(p.parts()))
	for k, part := range p.parts() {
		x[k] = p.vector()
		VMOVUPS(Mem{Base: from, Disp: part}, x[k])
	}
	for d, w := range weight {
		factor := p.vector()
		VBROADCASTSS(Mem{Base: w}, factor)
		ADDQ(step, w)
		for k := range x {
			product := p.vector()
			VMULPS(x[k], factor, product)
			VADDPS(product, sums[d][k], sums[d][k])
		}
	}
	ADDQ(size, from)
	DECQ(left)
	JNZ(LabelRef("row"))
	each(func(s VecVirtual, place Mem) { VMOVUPS(s, place) })
	ADDQ(U8(lineBytes), dst)
	ADDQ(U8(lineBytes), line)
	JMP(LabelRef("line"))
	Label("done")
	p.end()
}

func (p path) addScaled() {
	p.begin("addScaled", "func(g, x []float32, w float32)")
	g, row, factor := base("g"), base("x"), p.broadcast("w")
	each("float", length("g", 2), p.bytes, func(i GPVirtual) {
		product := p.vector()
		VMULPS(at(row, i), factor, product)
		VADDPS(at(g, i), product, product)
		VMOVUPS(product, at(g, i))
	})
	p.end()
}

func (p path) adagrad() {
	p.begin("adagrad", "func(p, v, g []float32, rate, epsilon float32)")
	row, v, g := base("p"), base("v"), base("g")
	rate, epsilon := p.broadcast("rate"), p.broadcast("epsilon")
	each("float", length("p", 2), p.bytes, func(i GPVirtual) {
		x, sum, square, to := p.vector(), p.vector(), p.vector(), p.vector()
		VMOVUPS(at(g, i), x)
		VMULPS(x, x, square)
		VADDPS(at(v, i), square, sum)
		VMOVUPS(sum, at(v, i))
		VSQRTPS(sum, sum)
		VADDPS(epsilon, sum, sum)
		VMULPS(x, rate, x)
		VDIVPS(sum, x, x)
		VMOVUPS(at(row, i), to)
		VSUBPS(x, to, to)
		VMOVUPS(to, at(row, i))
	})
	p.end()
}
