package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// constants are float64 values (or bit patterns) broadcast from the data section.
type constants struct {
	data   Mem
	offset map[uint64]int
}

var pool = constants{offset: map[uint64]int{}}

func (c *constants) bits(b uint64) Mem {
	if len(c.offset) == 0 {
		c.data = GLOBL("real", RODATA|NOPTR)
	}
	at, ok := c.offset[b]
	if !ok {
		at = 8 * len(c.offset)
		c.offset[b] = at
		DATA(at, U64(b))
	}
	return c.data.Offset(at)
}

func (c *constants) float(x float64) Mem { return c.bits(math.Float64bits(x)) }

func constant(x float64) VecVirtual {
	z := ZMM()
	VBROADCASTSD(pool.float(x), z)
	return z
}

// tailed runs body for vectors of eight float64 below length n, the last one under a mask.
func tailed(n GPVirtual, body func(index GPVirtual, lane Register)) {
	index := GP64()
	XORQ(index, index)
	lane := K()
	all := GP32()
	MOVL(U32(0xFF), all)
	KMOVW(all, lane)
	Label("vector")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	CMPQ(n, U8(8))
	JGE(LabelRef("full"))
	rest := GP32()
	MOVL(U32(1), rest)
	count := n.As32()
	MOVL(count, ECX)
	SHLL(CL, rest)
	DECL(rest)
	KMOVW(rest, lane)
	Label("full")
	body(index, lane)
	ADDQ(U8(8*8), index)
	SUBQ(U8(8), n)
	JMP(LabelRef("vector"))
	Label("done")
	VZEROUPPER()
	RET()
}

// horner replaces y by the polynomial in r that goes on with the given coefficients.
func horner(y, r VecVirtual, coefficients []float64) {
	for _, c := range coefficients {
		VMULPD(r, y, y)
		VADDPD_BCST(pool.float(c), y, y)
	}
}

// exponential is exact.Exp of every lane of x.
func exponential(x VecVirtual) VecVirtual {
	magic := constant(3 << 51)
	k := ZMM()
	VMULPD_BCST(pool.float(1.44269504088896338700), x, k)
	VADDPD(magic, k, k)
	VSUBPD(magic, k, k)
	r, t := ZMM(), ZMM()
	VMULPD_BCST(pool.float(6.93147180369123816490e-01), k, t)
	VSUBPD(t, x, r)
	VMULPD_BCST(pool.float(1.90821492927058770002e-10), k, t)
	VSUBPD(t, r, r)

	y := constant(1.0 / 6227020800)
	horner(y, r, []float64{
		1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
		1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1,
	})

	whole, half := ZMM(), ZMM()
	VCVTPD2QQ(k, whole)
	VPSRAQ(U8(1), whole, half)
	VPSUBQ(half, whole, whole)
	bias := ZMM()
	VPBROADCASTQ(pool.bits(1023), bias)
	for _, n := range []VecVirtual{half, whole} {
		VPADDQ(bias, n, n)
		VPSLLQ(U8(52), n, n)
		VMULPD(n, y, y)
	}

	over, under, nan := K(), K(), K()
	VCMPPD(U8(30), constant(709.782712893384), x, over)   // greater
	VCMPPD(U8(17), constant(-745.133219101942), x, under) // less
	VCMPPD(U8(3), x, x, nan)                              // unordered
	VMOVAPD(constant(math.Inf(1)), over, y)
	VMOVAPD(constant(0), under, y)
	VMOVAPD(x, nan, y)
	return y
}

func expSlice() {
	TEXT("expAVX512", NOSPLIT, "func(dst, x []float64)")
	Pragma("noescape")
	Doc("expAVX512 is exact.Exp over a slice.")
	dst, x := base("dst"), base("x")
	n := GP64()
	Load(Param("x").Len(), n)
	tailed(n, func(i GPVirtual, lane Register) {
		z := ZMM()
		VMOVUPD_Z(at(x, i), lane, z)
		VMOVUPD(exponential(z), lane, at(dst, i))
	})
}

func logisticSlice() {
	TEXT("logisticAVX512", NOSPLIT, "func(softplus, sigmoid, x []float64)")
	Pragma("noescape")
	Doc("logisticAVX512 is exact.Logistic over a slice.")
	softplus, sigmoid, x := base("softplus"), base("sigmoid"), base("x")
	n := GP64()
	Load(Param("x").Len(), n)
	tailed(n, func(i GPVirtual, lane Register) {
		z, minus := ZMM(), ZMM()
		VMOVUPD_Z(at(x, i), lane, z)
		sign := ZMM()
		VPBROADCASTQ(pool.bits(1<<63), sign)
		VORPD(sign, z, minus)
		e := exponential(minus)

		// ln(1+e) = 2 artanh(e/(2+e))
		s, square := ZMM(), ZMM()
		VADDPD_BCST(pool.float(2), e, s)
		VDIVPD(s, e, s)
		VMULPD(s, s, square)
		sum := constant(1.0 / 33)
		horner(sum, square, []float64{
			1.0 / 31, 1.0 / 29, 1.0 / 27, 1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17,
			1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1,
		})
		VADDPD(s, s, s)
		VMULPD(sum, s, s)

		positive := K()
		VCMPPD(U8(30), constant(0), z, positive)
		VADDPD(z, s, positive, s)
		VMOVUPD(s, lane, at(softplus, i))

		one := constant(1)
		below := ZMM()
		VADDPD(e, one, below)
		VMOVAPD(one, positive, e)
		VDIVPD(below, e, e)
		VMOVUPD(e, lane, at(sigmoid, i))
	})
}
