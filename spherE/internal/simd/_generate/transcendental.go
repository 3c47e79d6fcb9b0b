package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// pool is the data section of the path that this program writes: vectors of 64-bit patterns.
var pool struct {
	data   Mem
	size   int
	offset map[string]int
}

// data returns a vector of bit patterns, one per lane.
func (p path) data(lane func(l int) uint64) Mem {
	bits := make([]uint64, p.bytes/8)
	for l := range bits {
		bits[l] = lane(l)
	}
	key := fmt.Sprint(bits)
	at, ok := pool.offset[key]
	if !ok {
		if pool.offset == nil {
			pool.data, pool.offset = GLOBL("real"+p.name, RODATA|NOPTR), map[string]int{}
		}
		at = pool.size
		pool.offset[key] = at
		for _, b := range bits {
			DATA(pool.size, U64(b))
			pool.size += 8
		}
	}
	return pool.data.Offset(at)
}

// bits returns a vector whose lanes are one bit pattern.
func (p path) bits(b uint64) Mem { return p.data(func(int) uint64 { return b }) }

// numbers returns a vector of the numbers of its lanes.
func (p path) numbers() Mem { return p.data(func(l int) uint64 { return uint64(l) }) }

func (p path) float(x float64) Mem { return p.bits(math.Float64bits(x)) }

func (p path) constant(x float64) VecVirtual {
	z := p.vector()
	VMOVUPD(p.float(x), z)
	return z
}

// compare returns the lanes in which the relation holds between x and y.
func (p path) compare(relation uint8, x, y VecVirtual) mask {
	if p.wide() {
		k := K()
		VCMPPD(U8(relation), y, x, k)
		return k
	}
	mask := p.vector()
	VCMPPD(U8(relation), y, x, mask)
	return mask
}

// replace sets y to x in the lanes of a mask.
func (p path) replace(lanes mask, x, y VecVirtual) {
	if p.wide() {
		VMOVAPD(x, lanes, y)
	} else {
		VBLENDVPD(lanes, x, y, y)
	}
}

// withTail runs body for the vectors of n float64 values. The last one may be masked.
func (p path) withTail(n GPVirtual, body func(index GPVirtual, lane mask)) {
	per := uint64(p.bytes / 8)
	index := GP64()
	XORQ(index, index)
	var lane VecVirtual
	var some OpmaskVirtual
	if p.wide() {
		some = K()
		all := GP32()
		MOVL(U32(0xFF), all)
		KMOVW(all, some)
	} else {
		lane = p.vector()
		VPCMPEQD(lane, lane, lane)
	}
	Label("vector")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	CMPQ(n, U8(per))
	JGE(LabelRef("full"))
	if p.wide() {
		rest := GP32()
		MOVL(U32(1), rest)
		MOVL(n.As32(), ECX)
		SHLL(CL, rest)
		DECL(rest)
		KMOVW(rest, some)
	} else {
		// The lanes whose number is below n.
		left := XMM()
		VMOVQ(n, left)
		VPBROADCASTQ(left, lane)
		VPCMPGTQ(p.numbers(), lane, lane)
	}
	Label("full")
	if p.wide() {
		body(index, some)
	} else {
		body(index, lane)
	}
	ADDQ(Imm(uint64(p.bytes)), index)
	SUBQ(U8(per), n)
	JMP(LabelRef("vector"))
	Label("done")
	p.end()
}

// load and store move the lanes of a mask. Other lanes are loaded as 0.
func (p path) load(from Mem, lane mask) VecVirtual {
	z := p.vector()
	if p.wide() {
		VMOVUPD_Z(from, lane, z)
	} else {
		VMASKMOVPD(from, lane, z)
	}
	return z
}

func (p path) store(z VecVirtual, lane mask, to Mem) {
	if p.wide() {
		VMOVUPD(z, lane, to)
	} else {
		VMASKMOVPD(z, lane, to)
	}
}

// horner continues the polynomial y in r with the given coefficients.
func (p path) horner(y, r VecVirtual, coefficients []float64) {
	for _, c := range coefficients {
		VMULPD(r, y, y)
		VADDPD(p.float(c), y, y)
	}
}

// roundMagic, added and subtracted again, rounds a number; the low bits of the sum hold the integer.
const roundMagic = 3 << 51

// exponential returns exact.Exp of every lane of x.
func (p path) exponential(x VecVirtual) VecVirtual {
	k, whole := p.vector(), p.vector()
	VMULPD(p.float(1.44269504088896338700), x, k)
	VADDPD(p.float(roundMagic), k, k)
	VPSUBQ(p.float(roundMagic), k, whole)
	VSUBPD(p.float(roundMagic), k, k)
	r, t := p.vector(), p.vector()
	VMULPD(p.float(6.93147180369123816490e-01), k, t)
	VSUBPD(t, x, r)
	VMULPD(p.float(1.90821492927058770002e-10), k, t)
	VSUBPD(t, r, r)

	y := p.constant(1.0 / 6227020800)
	p.horner(y, r, []float64{
		1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
		1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1,
	})

	// Half of whole, rounded down. AVX2 has no arithmetic shift of 64 bits, so the number is made positive first.
	half := p.vector()
	VPADDQ(p.bits(2048), whole, half)
	VPSRLQ(U8(1), half, half)
	VPSUBQ(p.bits(1024), half, half)
	VPSUBQ(half, whole, whole)
	for _, n := range []VecVirtual{half, whole} {
		VPADDQ(p.bits(1023), n, n)
		VPSLLQ(U8(52), n, n)
		VMULPD(n, y, y)
	}

	over := p.compare(greater, x, p.constant(709.782712893384))
	p.replace(over, p.constant(math.Inf(1)), y)
	under := p.compare(less, x, p.constant(-745.133219101942))
	p.replace(under, p.constant(0), y)
	nan := p.compare(unordered, x, x)
	p.replace(nan, x, y)
	return y
}

func (p path) exp() {
	p.begin("exp", "func(dst, x []float64)")
	Doc("exp" + p.name + " is exact.Exp over a slice.")
	dst, x := base("dst"), base("x")
	p.withTail(length("x", 0), func(i GPVirtual, lane mask) {
		z := p.load(at(x, i), lane)
		p.store(p.exponential(z), lane, at(dst, i))
	})
}

func (p path) logistic() {
	p.begin("logistic", "func(softplus, sigmoid, x []float64)")
	Doc("logistic" + p.name + " is exact.Logistic over a slice.")
	softplus, sigmoid, x := base("softplus"), base("sigmoid"), base("x")
	p.withTail(length("x", 0), func(i GPVirtual, lane mask) {
		z, minus := p.load(at(x, i), lane), p.vector()
		VORPD(p.bits(1<<63), z, minus)
		e := p.exponential(minus)

		// ln(1+e) = 2 artanh(e/(2+e))
		s, square := p.vector(), p.vector()
		VADDPD(p.float(2), e, s)
		VDIVPD(s, e, s)
		VMULPD(s, s, square)
		sum := p.constant(1.0 / 33)
		p.horner(sum, square, []float64{
			1.0 / 31, 1.0 / 29, 1.0 / 27, 1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17,
			1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1,
		})
		VADDPD(s, s, s)
		VMULPD(sum, s, s)

		positive := p.compare(greater, z, p.constant(0))
		more := p.vector()
		VADDPD(z, s, more)
		p.replace(positive, more, s)
		p.store(s, lane, at(softplus, i))

		one := p.constant(1)
		below := p.vector()
		VADDPD(e, one, below)
		p.replace(positive, one, e)
		VDIVPD(below, e, e)
		p.store(e, lane, at(sigmoid, i))
	})
}

// turn2 computes exact.SinCos of scale*raw: a plane of cosines and one of sines.
func (p path) turn2() {
	p.begin("turn2", "func(turn, raw []float32, scale float64)")
	turn, raw := base("turn"), base("raw")
	scale := p.vector()
	VBROADCASTSD(address(Param("scale")), scale)
	plane := length("raw", 2)
	sines := GP64()
	LEAQ(at(turn, plane), sines)
	each("vector", plane, p.bytes/2, func(i GPVirtual) {
		x := p.vector()
		VCVTPS2PD(at(raw, i), x)
		VMULPD(scale, x, x)
		n, turns := p.vector(), p.vector()
		VMULPD(p.float(0.63661977236758134308), x, n)
		VADDPD(p.float(roundMagic), n, turns)
		VSUBPD(p.float(roundMagic), turns, n)
		r, t := p.vector(), p.vector()
		VMULPD(p.float(1.57079632673412561417e+00), n, t)
		VSUBPD(t, x, r)
		VMULPD(p.float(6.07710050630396597660e-11), n, t)
		VSUBPD(t, r, r)
		VMULPD(p.float(2.02226624879595063154e-21), n, t)
		VSUBPD(t, r, r)
		z := p.vector()
		VMULPD(r, r, z)
		s := p.constant(-1.0 / 1307674368000)
		p.horner(s, z, []float64{1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1})
		VMULPD(r, s, s)
		c := p.constant(1.0 / 20922789888000)
		p.horner(c, z, []float64{
			-1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2, 1,
		})

		// Odd quarter turns swap the two; the sine is negative in the third and fourth, the cosine in the second and
		// third.
		odd, second := p.vector(), p.vector()
		VPSLLQ(U8(63), turns, odd)
		VPSLLQ(U8(62), turns, second)
		minus := p.bits(1 << 63)
		sin, cos := p.vector(), p.vector()
		VMOVAPD(s, sin)
		VMOVAPD(c, cos)
		quarter := p.signed(odd)
		p.replace(quarter, c, sin)
		p.replace(quarter, s, cos)
		sign := p.vector()
		p.xor(odd, second, sign)
		p.and(minus, sign, sign)
		p.xor(sign, cos, cos)
		p.and(minus, second, second)
		p.xor(second, sin, sin)

		size := p.vector()
		p.and(p.bits(1<<63-1), x, size)
		nan := p.constant(math.NaN())
		outside := p.compare(notLess, size, p.constant(1<<20))
		p.replace(outside, nan, sin)
		p.replace(outside, nan, cos)
		if p.wide() {
			VCVTPD2PS(cos, cos.AsY())
			VMOVUPS(cos.AsY(), at(turn, i))
			VCVTPD2PS(sin, sin.AsY())
			VMOVUPS(sin.AsY(), at(sines, i))
		} else {
			VCVTPD2PSY(cos, cos.AsX())
			VMOVUPS(cos.AsX(), at(turn, i))
			VCVTPD2PSY(sin, sin.AsX())
			VMOVUPS(sin.AsX(), at(sines, i))
		}
	})
	p.end()
}

// signed returns the lanes whose sign bit is set.
func (p path) signed(z VecVirtual) mask {
	if p.wide() {
		k := K()
		VPMOVQ2M(z, k)
		return k
	}
	return z
}

func (p path) xor(a Op, b, c VecVirtual) {
	if p.wide() {
		VPXORQ(a, b, c)
	} else {
		VPXOR(a, b, c)
	}
}

func (p path) and(a Op, b, c VecVirtual) {
	if p.wide() {
		VPANDQ(a, b, c)
	} else {
		VPAND(a, b, c)
	}
}
