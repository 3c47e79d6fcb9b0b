package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

func rotate2()   { turn2("rotate2AVX512", false) }
func unrotate2() { turn2("unrotate2AVX512", true) }

func turn2(name string, inverse bool) {
	TEXT(name, NOSPLIT, "func(dst, src, turn []float32)")
	Pragma("noescape")
	dx, sx, cos := base("dst"), base("src"), base("turn")
	plane := bytesOf("src", 1)
	dy, sy, sin := GP64(), GP64(), GP64()
	LEAQ(at(dx, plane), dy)
	LEAQ(at(sx, plane), sy)
	LEAQ(at(cos, plane), sin)
	each("block", plane, func(i GPVirtual) {
		x, y, c, s := ZMM(), ZMM(), ZMM(), ZMM()
		VMOVUPS(at(sx, i), x)
		VMOVUPS(at(sy, i), y)
		VMOVUPS(at(cos, i), c)
		VMOVUPS(at(sin, i), s)
		xc, xs, yc, ys := ZMM(), ZMM(), ZMM(), ZMM()
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
		VMOVUPS(xc, at(dx, i))
		VMOVUPS(yc, at(dy, i))
	})
	VZEROUPPER()
	RET()
}

func phase2() {
	TEXT("phase2AVX512", NOSPLIT, "func(dst, q, g, p, h []float32)")
	Pragma("noescape")
	dst, qx, gx, px, hx := base("dst"), base("q"), base("g"), base("p"), base("h")
	plane := bytesOf("dst", 2)
	qy, gy, py, hy := GP64(), GP64(), GP64(), GP64()
	LEAQ(at(qx, plane), qy)
	LEAQ(at(gx, plane), gy)
	LEAQ(at(px, plane), py)
	LEAQ(at(hx, plane), hy)
	each("block", plane, func(i GPVirtual) {
		cross := func(qx, qy, gx, gy Register) VecVirtual {
			a, b := ZMM(), ZMM()
			VMOVUPS(at(gy, i), a)
			VMULPS(at(qx, i), a, a)
			VMOVUPS(at(gx, i), b)
			VMULPS(at(qy, i), b, b)
			VSUBPS(b, a, a)
			return a
		}
		a := cross(qx, qy, gx, gy)
		b := cross(px, py, hx, hy)
		VSUBPS(b, a, a)
		VMOVUPS(a, at(dst, i))
	})
	VZEROUPPER()
	RET()
}
