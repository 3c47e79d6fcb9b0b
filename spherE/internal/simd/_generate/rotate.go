package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

func (p path) rotate2()   { p.rotation2("rotate2", false) }
func (p path) unrotate2() { p.rotation2("unrotate2", true) }

func (p path) rotation2(name string, inverse bool) {
	p.begin(name, "func(dst, src, turn []float32)")
	dst, src, turn := base("dst"), base("src"), base("turn")
	lines("line", 2, length("src", 1), func(index []GPVirtual) {
		for _, part := range p.parts() {
			load := func(row Register) (VecVirtual, VecVirtual) {
				a, b := p.vector(), p.vector()
				VMOVUPS(at(row, index[0]).Offset(part), a)
				VMOVUPS(at(row, index[1]).Offset(part), b)
				return a, b
			}
			x, y := load(src)
			c, s := load(turn)
			xc, xs, yc, ys := p.vector(), p.vector(), p.vector(), p.vector()
			VMULPS(c, x, xc)
			VMULPS(s, x, xs)
			VMULPS(c, y, yc)
			VMULPS(s, y, ys)
			if inverse {
				VADDPS(ys, xc, xc)
				VSUBPS(xs, yc, yc)
			} else {
				VSUBPS(ys, xc, xc)
				VADDPS(yc, xs, yc)
			}
			VMOVUPS(xc, at(dst, index[0]).Offset(part))
			VMOVUPS(yc, at(dst, index[1]).Offset(part))
		}
	})
	p.end()
}

func (p path) phase2() {
	p.begin("phase2", "func(dst, q, g, p, h []float32)")
	dst, q, g, t, h := base("dst"), base("q"), base("g"), base("p"), base("h")
	lines("line", 2, length("dst", 2), func(index []GPVirtual) {
		for _, part := range p.parts() {
			cross := func(q, g Register) VecVirtual {
				a, b := p.vector(), p.vector()
				VMOVUPS(at(g, index[1]).Offset(part), a)
				VMULPS(at(q, index[0]).Offset(part), a, a)
				VMOVUPS(at(g, index[0]).Offset(part), b)
				VMULPS(at(q, index[1]).Offset(part), b, b)
				VSUBPS(b, a, a)
				return a
			}
			a := cross(q, g)
			b := cross(t, h)
			VSUBPS(b, a, a)
			VMOVUPS(a, at(dst, index[0]).Offset(part))
		}
	})
	p.end()
}
