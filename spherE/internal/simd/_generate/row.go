package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const vectorBytes = 64

// slice is a []float32 or []float64 parameter: its base, walked by one shared byte index.
func base(name string) Register { return Load(Param(name).Base(), GP64()) }

// bytesOf returns the length of the named slice in bytes.
func bytesOf(name string, shift uint64) GPVirtual {
	n := GP64()
	Load(Param(name).Len(), n)
	SHLQ(U8(shift), n)
	return n
}

func at(base, index Register) Mem { return Mem{Base: base, Index: index, Scale: 1} }

// each runs body for the byte index 0, 64, 128 ... below limit.
func each(label string, limit Register, body func(index GPVirtual)) {
	index := GP64()
	XORQ(index, index)
	Label(label)
	CMPQ(index, limit)
	JGE(LabelRef(label + "Done"))
	body(index)
	ADDQ(U8(vectorBytes), index)
	JMP(LabelRef(label))
	Label(label + "Done")
}

// reduce leaves the sum of the 16 lanes of z in the low lane of the returned register, in the order of simd.Reduce.
func reduce(z VecVirtual) VecVirtual {
	high := YMM()
	VEXTRACTF64X4(U8(1), z, high)
	y := YMM()
	VADDPS(high, z.AsY(), y)
	upper := XMM()
	VEXTRACTF128(U8(1), y, upper)
	x := XMM()
	VADDPS(upper, y.AsX(), x)
	pair := XMM()
	VMOVHLPS(x, x, pair)
	VADDPS(pair, x, x)
	odd := XMM()
	VMOVSHDUP(x, odd)
	VADDSS(odd, x, x)
	return x
}

func broadcast(name string) VecVirtual {
	x := Load(Param(name), XMM())
	z := ZMM()
	VBROADCASTSS(x, z)
	return z
}

func blockNorm2() {
	TEXT("blockNorm2AVX512", NOSPLIT, "func(q, c []float32) float32")
	Pragma("noescape")
	qx, cx := base("q"), base("c")
	plane := bytesOf("q", 1)
	qy, cy := GP64(), GP64()
	LEAQ(at(qx, plane), qy)
	LEAQ(at(cx, plane), cy)
	sum := ZMM()
	VPXORD(sum, sum, sum)
	each("block", plane, func(i GPVirtual) {
		x, y := ZMM(), ZMM()
		VMOVUPS(at(cx, i), x)
		VSUBPS(at(qx, i), x, x)
		VMOVUPS(at(cy, i), y)
		VSUBPS(at(qy, i), y, y)
		VMULPS(x, x, x)
		VMULPS(y, y, y)
		VADDPS(y, x, x)
		VSQRTPS(x, x)
		VADDPS(x, sum, sum)
	})
	Store(reduce(sum), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

func pushBlock2() {
	TEXT("pushBlock2AVX512", NOSPLIT, "func(g, q, c []float32, w float32)")
	Pragma("noescape")
	gx, qx, cx := base("g"), base("q"), base("c")
	plane := bytesOf("q", 1)
	gy, qy, cy := GP64(), GP64(), GP64()
	LEAQ(at(gx, plane), gy)
	LEAQ(at(qx, plane), qy)
	LEAQ(at(cx, plane), cy)
	w := broadcast("w")
	zero := ZMM()
	VPXORD(zero, zero, zero)
	each("block", plane, func(i GPVirtual) {
		x, y := ZMM(), ZMM()
		VMOVUPS(at(cx, i), x)
		VSUBPS(at(qx, i), x, x)
		VMOVUPS(at(cy, i), y)
		VSUBPS(at(qy, i), y, y)
		length, yy := ZMM(), ZMM()
		VMULPS(x, x, length)
		VMULPS(y, y, yy)
		VADDPS(yy, length, length)
		VSQRTPS(length, length)
		apart := K()
		VCMPPS(U8(4), zero, length, apart) // not equal, true for NaN
		s := ZMM()
		VDIVPS(length, w, s)
		VMULPS(x, s, x)
		VMULPS(y, s, y)
		g, h := ZMM(), ZMM()
		VMOVUPS(at(gx, i), g)
		VADDPS(x, g, apart, g)
		VMOVUPS(g, at(gx, i))
		VMOVUPS(at(gy, i), h)
		VADDPS(y, h, apart, h)
		VMOVUPS(h, at(gy, i))
	})
	VZEROUPPER()
	RET()
}

func sumSquares() {
	TEXT("sumSquaresAVX512", NOSPLIT, "func(q, c []float32) float32")
	Pragma("noescape")
	q, c := base("q"), base("c")
	size := bytesOf("q", 2)
	sum := ZMM()
	VPXORD(sum, sum, sum)
	each("float", size, func(i GPVirtual) {
		d := ZMM()
		VMOVUPS(at(c, i), d)
		VSUBPS(at(q, i), d, d)
		VMULPS(d, d, d)
		VADDPS(d, sum, sum)
	})
	Store(reduce(sum), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

func pushScaled() {
	TEXT("pushScaledAVX512", NOSPLIT, "func(g, q, c []float32, w float32)")
	Pragma("noescape")
	g, q, c := base("g"), base("q"), base("c")
	size := bytesOf("g", 2)
	w := broadcast("w")
	each("float", size, func(i GPVirtual) {
		d := ZMM()
		VMOVUPS(at(c, i), d)
		VSUBPS(at(q, i), d, d)
		VMULPS(w, d, d)
		VADDPS(at(g, i), d, d)
		VMOVUPS(d, at(g, i))
	})
	VZEROUPPER()
	RET()
}

func addRow() {
	TEXT("addAVX512", NOSPLIT, "func(g, x []float32)")
	Pragma("noescape")
	g, x := base("g"), base("x")
	size := bytesOf("g", 2)
	each("float", size, func(i GPVirtual) {
		a := ZMM()
		VMOVUPS(at(g, i), a)
		VADDPS(at(x, i), a, a)
		VMOVUPS(a, at(g, i))
	})
	VZEROUPPER()
	RET()
}

// prefetch asks for every cache line of a row, so that it is there when its turn comes.
func prefetch() {
	TEXT("prefetchAVX512", NOSPLIT, "func(row []float32)")
	Pragma("noescape")
	row := base("row")
	size := bytesOf("row", 2)
	each("line", size, func(i GPVirtual) {
		PREFETCHT0(at(row, i))
	})
	RET()
}
