package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// counts writes the kernels over a row of values. Their slices are whole lines, of minima eight lines; package simd
// does what is left over.
func (p path) counts() {
	p.tally("countWithin", "limit", lessOrEqual, unordered)
	p.tally("countBelow", "limit", less, equal)
	p.firstWithin()
	p.minima()
	p.depths()
}

// Further relations of VCMPPS, which are false for NaN.
const (
	equal       = 0
	lessOrEqual = 18
)

// where returns the lanes of v in the given relation to limit.
func (p path) where(relation int, v, limit VecVirtual) mask {
	if p.wide() {
		lanes := K()
		VCMPPS(U8(relation), limit, v, lanes)
		return lanes
	}
	lanes := YMM()
	VCMPPS(U8(relation), limit, v, lanes)
	return lanes
}

// pattern returns a bit per lane.
func (p path) pattern(lanes mask) GPVirtual {
	r := GP32()
	if p.wide() {
		KMOVW(lanes, r)
	} else {
		VMOVMSKPS(lanes, r)
	}
	return r
}

// tally counts the values in each of two relations to a limit. Unordered counts NaN.
func (p path) tally(name, limit string, relations ...int) {
	p.begin(name, "func(values []float32, limit float32) (first, second int)")
	values, to := base("values"), p.broadcast(limit)
	counts := []GPVirtual{GP64(), GP64()}
	for _, n := range counts {
		XORQ(n, n)
	}
	each("vector", length("values", 2), p.bytes, func(i GPVirtual) {
		v := p.vector()
		VMOVUPS(at(values, i), v)
		for k, relation := range relations {
			other := to
			if relation == unordered {
				other = v // a NaN is unordered with itself
			}
			r := p.pattern(p.where(relation, v, other))
			POPCNTL(r, r)
			ADDQ(r.As64(), counts[k])
		}
	})
	for k, n := range counts {
		Store(n, ReturnIndex(k))
	}
	p.end()
}

// firstWithin finds the first value that is not above a limit.
func (p path) firstWithin() {
	p.begin("firstWithin", "func(values []float32, limit float32) int")
	values, to := base("values"), p.broadcast("limit")
	end, i := length("values", 2), GP64()
	XORQ(i, i)
	Label("vector")
	CMPQ(i, end)
	JGE(LabelRef("none"))
	v := p.vector()
	VMOVUPS(at(values, i), v)
	r := p.pattern(p.where(lessOrEqual, v, to))
	TESTL(r, r)
	JNZ(LabelRef("found"))
	ADDQ(Imm(uint64(p.bytes)), i)
	JMP(LabelRef("vector"))
	Label("found")
	BSFL(r, r)
	SHRQ(U8(2), i)
	ADDQ(r.As64(), i)
	Store(i, ReturnIndex(0))
	p.end()
	Label("none")
	SHRQ(U8(2), end)
	Store(end, ReturnIndex(0))
	p.end()
}

// minimaLines is how many lines of minima there are.
const minimaLines = 8

// minima finds the least values at distances of 128, eight vectors of them at a time.
func (p path) minima() {
	p.begin("minima", "func(dst, values []float32)")
	dst, values := base("dst"), base("values")
	end := length("values", 2)
	infinite := GP32()
	MOVL(U32(0x7f800000), infinite)
	for at := 0; at < minimaLines*lineBytes; at += 8 * p.bytes {
		least := make([]VecVirtual, 8)
		for k := range least {
			least[k] = p.vector()
			x := XMM()
			VMOVD(infinite, x)
			VPBROADCASTD(x, least[k])
		}
		label := "low"
		if at > 0 {
			label = "high"
		}
		i := GP64()
		XORQ(i, i)
		Label(label)
		CMPQ(i, end)
		JGE(LabelRef(label + "Done"))
		for k := range least {
			v := p.vector()
			VMOVUPS(Mem{Base: values, Index: i, Scale: 1, Disp: at + k*p.bytes}, v)
			VMINPS(least[k], v, least[k]) // the former least one if the value is NaN
		}
		ADDQ(U32(minimaLines*lineBytes), i)
		JMP(LabelRef(label))
		Label(label + "Done")
		for k := range least {
			VMOVUPS(least[k], Mem{Base: dst, Disp: at + k*p.bytes})
		}
	}
	p.end()
}

// depths turns distances into values of a criterion.
func (p path) depths() {
	p.begin("depths", "func(dst, dist, radius []float32, keep uint32, known, candidate, floor float32)")
	dst, dist, radius := base("dst"), base("dist"), base("radius")
	keep, known := p.broadcast("keep"), p.broadcast("known")
	candidate, floor := p.broadcast("candidate"), p.broadcast("floor")
	each("vector", length("dst", 2), p.bytes, func(i GPVirtual) {
		rho, d := p.vector(), p.vector()
		if p.wide() {
			VPANDD(at(radius, i), keep, rho)
		} else {
			VANDPS(at(radius, i), keep, rho)
		}
		VMULPS(rho, candidate, rho)
		VADDPS(rho, known, rho)
		VMOVUPS(at(dist, i), d)
		VSUBPS(rho, d, d)
		low := p.where(lessOrEqual, d, floor)
		if p.wide() {
			VMOVAPS(floor, low, d)
		} else {
			VBLENDVPS(low, floor, d, d)
		}
		VMOVUPS(d, at(dst, i))
	})
	p.end()
}
