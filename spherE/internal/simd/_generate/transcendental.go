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

// atOnce is the number of vectors whose values are computed side by side. A polynomial is a chain of products and sums,
// each of which waits for the one before.
const atOnce = 4

// reals are vectors of float64 values: all of a group of vectors, or the lanes of a mask of one vector.
type reals struct {
	path
	n     int // vectors
	index GPVirtual
	lane  mask // nil for all lanes
}

// load and store move a vector. Lanes that are not in the mask are loaded as 0.
func (r reals) load(from Register, v int) VecVirtual {
	place := at(from, r.index).Offset(v * r.bytes)
	if r.lane != nil {
		return r.path.load(place, r.lane)
	}
	z := r.vector()
	VMOVUPD(place, z)
	return z
}

func (r reals) store(z VecVirtual, to Register, v int) {
	place := at(to, r.index).Offset(v * r.bytes)
	if r.lane != nil {
		r.path.store(z, r.lane, place)
		return
	}
	VMOVUPD(z, place)
}

// overReals runs body for groups of vectors of n float64 values, and then for the vectors that are left. The last one
// may be masked.
func (p path) overReals(n GPVirtual, body func(r reals)) {
	index := GP64()
	XORQ(index, index)
	per := atOnce * p.bytes / 8
	Label("group")
	CMPQ(n, U8(per))
	JLT(LabelRef("groupDone"))
	body(reals{p, atOnce, index, nil})
	ADDQ(U32(atOnce*p.bytes), index)
	SUBQ(U8(per), n)
	JMP(LabelRef("group"))
	Label("groupDone")
	p.withTail(n, index, func(lane mask) { body(reals{p, 1, index, lane}) })
}

// withTail runs body for the vectors of n float64 values from index. The last one may be masked.
func (p path) withTail(n, index GPVirtual, body func(lane mask)) {
	per := uint64(p.bytes / 8)
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
		body(some)
	} else {
		body(lane)
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

// horner continues the polynomial y in x with the given coefficients.
func (p path) horner(y, x VecVirtual, coefficients []float64) {
	p.horners([]VecVirtual{y}, []VecVirtual{x}, coefficients)
}

// horners is horner of several vectors, side by side.
func (p path) horners(y, x []VecVirtual, coefficients []float64) {
	for _, c := range coefficients {
		for v := range y {
			VMULPD(x[v], y[v], y[v])
		}
		for v := range y {
			VADDPD(p.float(c), y[v], y[v])
		}
	}
}

// roundMagic, added and subtracted again, rounds a number; the low bits of the sum hold the integer.
const roundMagic = 3 << 51

// exponentials returns exact.Exp of every lane of vectors. x loads one of them, and is called twice for each: there are
// not enough registers to keep them.
func (r reals) exponentials(x func(v int) VecVirtual) []VecVirtual {
	rest, whole, y := make([]VecVirtual, r.n), make([]VecVirtual, r.n), make([]VecVirtual, r.n)
	for v := range r.n {
		z, k, t := x(v), r.vector(), r.vector()
		whole[v], rest[v] = r.vector(), r.vector()
		VMULPD(r.float(1.44269504088896338700), z, k)
		VADDPD(r.float(roundMagic), k, k)
		VPSUBQ(r.float(roundMagic), k, whole[v])
		VSUBPD(r.float(roundMagic), k, k)
		VMULPD(r.float(6.93147180369123816490e-01), k, t)
		VSUBPD(t, z, rest[v])
		VMULPD(r.float(1.90821492927058770002e-10), k, t)
		VSUBPD(t, rest[v], rest[v])
	}
	for v := range r.n {
		y[v] = r.constant(1.0 / 6227020800)
	}
	r.horners(y, rest, []float64{
		1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
		1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1,
	})
	for v := range r.n {
		// Half of whole, rounded down. AVX2 has no arithmetic shift of 64 bits, so the number is made positive first.
		half := r.vector()
		VPADDQ(r.bits(2048), whole[v], half)
		VPSRLQ(U8(1), half, half)
		VPSUBQ(r.bits(1024), half, half)
		VPSUBQ(half, whole[v], whole[v])
		for _, n := range []VecVirtual{half, whole[v]} {
			VPADDQ(r.bits(1023), n, n)
			VPSLLQ(U8(52), n, n)
			VMULPD(n, y[v], y[v])
		}
		z := x(v)
		over := r.compare(greater, z, r.constant(709.782712893384))
		r.replace(over, r.constant(math.Inf(1)), y[v])
		under := r.compare(less, z, r.constant(-745.133219101942))
		r.replace(under, r.constant(0), y[v])
		nan := r.compare(unordered, z, z)
		r.replace(nan, z, y[v])
	}
	return y
}

func (p path) exp() {
	p.begin("exp", "func(dst, x []float64)")
	Doc("exp" + p.name + " is exact.Exp over a slice.")
	dst, x := base("dst"), base("x")
	p.overReals(length("x", 0), func(r reals) {
		for v, y := range r.exponentials(func(v int) VecVirtual { return r.load(x, v) }) {
			r.store(y, dst, v)
		}
	})
}

func (p path) logistic() {
	p.begin("logistic", "func(softplus, sigmoid, x []float64)")
	Doc("logistic" + p.name + " is exact.Logistic over a slice.")
	softplus, sigmoid, x := base("softplus"), base("sigmoid"), base("x")
	p.overReals(length("x", 0), func(r reals) {
		e := r.exponentials(func(v int) VecVirtual {
			minus := r.load(x, v)
			VORPD(p.bits(1<<63), minus, minus)
			return minus
		})

		// ln(1+e) = 2 artanh(e/(2+e)); e waits in memory.
		s, square, sum := make([]VecVirtual, r.n), make([]VecVirtual, r.n), make([]VecVirtual, r.n)
		for v := range e {
			r.store(e[v], sigmoid, v)
			s[v], square[v] = p.vector(), p.vector()
			VADDPD(p.float(2), e[v], s[v])
			VDIVPD(s[v], e[v], s[v])
			VMULPD(s[v], s[v], square[v])
		}
		for v := range sum {
			sum[v] = p.constant(1.0 / 33)
		}
		p.horners(sum, square, []float64{
			1.0 / 31, 1.0 / 29, 1.0 / 27, 1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17,
			1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1,
		})
		for v := range sum {
			VADDPD(s[v], s[v], s[v])
			VMULPD(sum[v], s[v], s[v])
			z, e := r.load(x, v), r.load(sigmoid, v)
			positive := p.compare(greater, z, p.constant(0))
			more := p.vector()
			VADDPD(z, s[v], more)
			p.replace(positive, more, s[v])
			r.store(s[v], softplus, v)

			one := p.constant(1)
			below := p.vector()
			VADDPD(e, one, below)
			p.replace(positive, one, e)
			VDIVPD(below, e, e)
			r.store(e, sigmoid, v)
		}
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
