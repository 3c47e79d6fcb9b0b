package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// boxes writes the kernels of simd.Many.Boxes. A point is a row of centers and one of widths.
type boxes struct {
	many
	one, half, magnitude VecVirtual
}

func (p path) boxes() {
	b := &boxes{many: many{p}}
	b.pair()
	b.push()
	b.pull()
	if p.wide() {
		b.rows("boxes1x4", 4)
	} else {
		b.rows("boxes1x2", 2)
	}
}

// constants loads what every kernel needs.
func (b *boxes) constants() {
	b.one, b.half, b.magnitude = b.bits(0x3f800000), b.broadcast("half"), b.bits(0x7fffffff)
}

// after returns the address that is size bytes behind a base.
func after(base, size Register) GPVirtual {
	second := GP64()
	LEAQ(at(base, size), second)
	return second
}

// box is what the lines of a coordinate's distance need of its width: w = 1+v, 1/w and half*(v*(w-1/w)).
func (b *boxes) box(widths, i Register, part int) (w, inside, offset VecVirtual) {
	v := b.load(widths, i, part)
	w, inside, offset = b.vector(), b.vector(), b.vector()
	VADDPS(v, b.one, w)
	VDIVPS(w, b.one, inside)
	VSUBPS(inside, w, offset)
	VMULPS(v, offset, offset)
	VMULPS(b.half, offset, offset)
	return w, inside, offset
}

// lines returns both lines of a coordinate's distance.
func (b *boxes) lines(x, w, inside, offset VecVirtual) (near, far VecVirtual) {
	near, far = b.vector(), b.vector()
	VMULPS(x, inside, near)
	VMULPS(x, w, far)
	VSUBPS(offset, far, far)
	return near, far
}

// outside returns the lanes in which far is greater than near.
func (b *boxes) outside(near, far VecVirtual) mask {
	if b.wide() {
		lanes := K()
		VCMPPS(U8(greater), near, far, lanes)
		return lanes
	}
	lanes := YMM()
	VCMPPS(U8(greater), near, far, lanes)
	return lanes
}

// choose sets x to other in the given lanes.
func (b *boxes) choose(lanes mask, other, x VecVirtual) {
	if b.wide() {
		VMOVAPS(other, lanes, x)
		return
	}
	VBLENDVPS(lanes, other, x, x)
}

func (b *boxes) pair() {
	b.begin("boxes", "func(point, c, next []float32, half float32) float32")
	point, c, next := base("point"), base("c"), base("next")
	size := rowBytes("c")
	widths := after(point, size)
	b.constants()
	sums := b.perPart(b.zero)
	each("line", size, lineBytes, func(i GPVirtual) {
		PREFETCHT1(at(next, i))
		for k, part := range b.parts() {
			x := b.minus(c, point, i, part)
			VANDPS(b.magnitude, x, x)
			w, inside, offset := b.box(widths, i, part)
			near, far := b.lines(x, w, inside, offset)
			VMAXPS(near, far, near) // near where either is NaN
			VADDPS(near, sums[k], sums[k])
		}
	})
	VMOVSS(b.path.reduce(sums), address(ReturnIndex(0)))
	b.end()
}

// move adds weight*slope to g, with the sign of d, where d is a number and not 0.
func (b *boxes) move(g, i Register, part int, d, slope, weight VecVirtual) {
	lanes := b.compare(notEqualOrdered, d)
	VMULPS(weight, slope, slope)
	VANDNPS(d, b.magnitude, d) // the sign alone
	VXORPS(slope, d, d)
	sum := b.load(g, i, part)
	b.addWhere(lanes, d, sum)
	VMOVUPS(sum, at(g, i).Offset(part))
}

func (b *boxes) push() {
	b.begin("pushBoxes", "func(g, point, c, next []float32, w, half float32)")
	g, point, c, next := base("g"), base("point"), base("c"), base("next")
	size := rowBytes("c")
	widths, weight := after(point, size), b.broadcast("w")
	b.constants()
	each("line", size, lineBytes, func(i GPVirtual) {
		PREFETCHT1(at(next, i))
		for _, part := range b.parts() {
			d, x := b.minus(c, point, i, part), b.vector()
			VANDPS(b.magnitude, d, x)
			w, inside, offset := b.box(widths, i, part)
			near, far := b.lines(x, w, inside, offset)
			b.choose(b.outside(near, far), w, inside)
			b.move(g, i, part, d, inside, weight)
		}
	})
	b.end()
}

func (b *boxes) pull() {
	b.begin("pullBoxes", "func(g, point, c, next []float32, w, half float32)")
	g, point, c, next := base("g"), base("point"), base("c"), base("next")
	size := rowBytes("c")
	widths, gWidths, weight := after(point, size), after(g, size), b.broadcast("w")
	b.constants()
	each("line", size, lineBytes, func(i GPVirtual) {
		PREFETCHT1(at(next, i))
		for _, part := range b.parts() {
			d, x := b.minus(point, c, i, part), b.vector()
			VANDPS(b.magnitude, d, x)
			w, inside, offset := b.box(widths, i, part)
			near, far := b.lines(x, w, inside, offset)
			lanes := b.outside(near, far)
			square, wider, farther := near, far, offset
			VMULPS(inside, inside, square)
			VADDPS(w, w, farther)
			VSUBPS(b.one, farther, farther)
			VSUBPS(square, farther, farther)
			VMULPS(b.half, farther, farther)
			VSUBPS(farther, x, farther)
			VMULPS(x, square, wider)
			b.negate(wider)
			b.choose(lanes, farther, wider)
			b.choose(lanes, w, inside)
			VMULPS(weight, wider, wider)
			VADDPS(at(gWidths, i).Offset(part), wider, wider)
			VMOVUPS(wider, at(gWidths, i).Offset(part))
			b.move(g, i, part, d, inside, weight)
		}
	})
	b.end()
}

// negate changes the sign of x.
func (b *boxes) negate(x VecVirtual) {
	ones := b.vector()
	if b.wide() {
		VPTERNLOGD(U8(0xff), ones, ones, ones)
	} else {
		VPCMPEQD(ones, ones, ones)
	}
	VANDNPS(ones, b.magnitude, ones)
	VXORPS(ones, x, x)
}

// rows compares one query with rows whose number is a multiple of another.
func (b *boxes) rows(name string, count int) {
	b.begin(name, "func(dst, point, rows []float32, half float32)")
	dst, point, c := base("dst"), base("point"), base("rows")
	size, end := length("point", 1), length("rows", 2)
	ADDQ(c, end)
	widths := after(point, size)
	b.constants()
	Label("rows")
	CMPQ(c, end)
	JGE(LabelRef("done"))
	all := []Register{c}
	for len(all) < count {
		all = append(all, after(all[len(all)-1], size))
	}
	var sums [][]VecVirtual
	for range all {
		sums = append(sums, b.perPart(b.zero))
	}
	each("line", size, lineBytes, func(i GPVirtual) {
		for k, part := range b.parts() {
			u := b.load(point, i, part)
			w, inside, offset := b.box(widths, i, part)
			for r, row := range all {
				x := b.load(row, i, part)
				VSUBPS(u, x, x)
				VANDPS(b.magnitude, x, x)
				near, far := b.lines(x, w, inside, offset)
				VMAXPS(near, far, near)
				VADDPS(near, sums[r][k], sums[r][k])
			}
		}
	})
	for r := range all {
		VMOVSS(b.total(sums[r]), Mem{Base: dst, Disp: 4 * r})
	}
	ADDQ(Imm(uint64(4*count)), dst)
	LEAQ(at(all[count-1], size), c)
	JMP(LabelRef("rows"))
	Label("done")
	b.end()
}
