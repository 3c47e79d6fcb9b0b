package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// space writes the other kernels for rows of three planes, with points of four planes (p and a factor for the blocks of
// its candidates) and matrices of nine.
type space struct{ path }

func (p space) kernels() {
	p.stretchNorm()
	p.pushStretched()
	p.gatherStretched()
	p.gatherPushStretched()
	p.ownPushStretched()
	p.rotate()
	p.scale()
	p.torque()
	p.stretch()
}

// cursor iterates over rows vector by vector. It has a pointer per row, and the multiples of the size of a plane that
// address up to nine planes.
type cursor struct {
	path
	once, thrice, five, seven, left GPVirtual
	row                             []GPVirtual
}

// cursor returns a cursor for rows of up to the given number of planes, of size bytes each.
func (p space) cursor(size GPVirtual, planes int) *cursor {
	w := &cursor{path: p.path, once: size, left: GP64()}
	MOVQ(size, w.left)
	multiple := func(needed bool, base GPVirtual, scale uint8) GPVirtual {
		r := GP64()
		if needed {
			LEAQ(Mem{Base: base, Index: size, Scale: scale}, r)
		}
		return r
	}
	w.thrice = multiple(planes > 3, size, 2)
	w.five = multiple(planes > 5, size, 4)
	w.seven = multiple(planes > 7, w.thrice, 4)
	return w
}

// planeBytes returns the size in bytes of a plane of the named slice, which has three.
func planeBytes(name string) GPVirtual {
	size := length(name, 2)
	inverse := GP64() // of 3 modulo 2^64; 3 divides the size
	MOVQ(U64(0xAAAAAAAAAAAAAAAB), inverse)
	IMULQ(inverse, size)
	return size
}

// planes returns the position of the cursor in planes of the named row, from plane first.
func (w *cursor) planes(name string, first, planes int) []Mem {
	r := GP64()
	Load(Param(name).Base(), r)
	w.row = append(w.row, r)
	all := []Mem{
		{Base: r}, {Base: r, Index: w.once, Scale: 1}, {Base: r, Index: w.once, Scale: 2},
		{Base: r, Index: w.thrice, Scale: 1},
		{Base: r, Index: w.once, Scale: 4}, {Base: r, Index: w.five, Scale: 1}, {Base: r, Index: w.thrice, Scale: 2},
		{Base: r, Index: w.seven, Scale: 1}, {Base: r, Index: w.once, Scale: 8},
	}
	return all[first : first+planes]
}

// vectors runs body for every vector of the planes, with its byte offset in its line of 16 floats.
func (w *cursor) vectors(body func(part int)) {
	Label("line")
	TESTQ(w.left, w.left)
	JZ(LabelRef("done"))
	for _, part := range w.parts() {
		body(part)
	}
	for _, r := range w.row {
		ADDQ(Imm(lineBytes), r)
	}
	SUBQ(Imm(lineBytes), w.left)
	JMP(LabelRef("line"))
	Label("done")
}

func (p space) loadAll(planes []Mem, part int) []VecVirtual {
	v := make([]VecVirtual, len(planes))
	for i := range v {
		v[i] = p.vector()
		VMOVUPS(planes[i].Offset(part), v[i])
	}
	return v
}

func (p space) product(a Op, b VecVirtual) VecVirtual {
	x := p.vector()
	VMULPS(a, b, x)
	return x
}

// dot returns a.b, with the products added in ascending order.
func (p space) dot(a, b []VecVirtual) VecVirtual {
	sum := p.product(a[0], b[0])
	for i := 1; i < 3; i++ {
		VADDPS(p.product(a[i], b[i]), sum, sum)
	}
	return sum
}

// row returns dot of three places in memory and a vector.
func (p space) row(a [3]Mem, b []VecVirtual, part int) VecVirtual {
	sum := p.product(a[0].Offset(part), b[0])
	for i := 1; i < 3; i++ {
		VADDPS(p.product(a[i].Offset(part), b[i]), sum, sum)
	}
	return sum
}

// cross returns a x b.
func (p space) cross(a, b []VecVirtual) []VecVirtual {
	v := make([]VecVirtual, 3)
	for i := range v {
		j, k := (i+1)%3, (i+2)%3
		v[i] = p.product(a[j], b[k])
		VSUBPS(p.product(a[k], b[j]), v[i], v[i])
	}
	return v
}

// difference returns s*c - p, and s, of a point.
func (p space) difference(c []VecVirtual, point []Mem, part int) (d []VecVirtual, s VecVirtual) {
	s = p.vector()
	VMOVUPS(point[3].Offset(part), s)
	d = make([]VecVirtual, 3)
	for i := range d {
		d[i] = p.product(c[i], s)
		VSUBPS(point[i].Offset(part), d[i], d[i])
	}
	return d, s
}

// addTo adds x to a place in memory in the given lanes.
func (p space) addTo(place Mem, x VecVirtual, lanes mask) {
	g := p.vector()
	VMOVUPS(place, g)
	p.addWhere(lanes, x, g)
	VMOVUPS(g, place)
}

// subtractFrom subtracts x from a place in memory in the given lanes. Adding -x would differ where both are 0.
func (p space) subtractFrom(place Mem, x VecVirtual, lanes mask) {
	g := p.vector()
	VMOVUPS(place, g)
	if p.wide() {
		VSUBPS(x, g, lanes, g)
	} else {
		VSUBPS(x, g, x)
		VBLENDVPS(lanes, x, g, g)
	}
	VMOVUPS(g, place)
}

func (p space) stretchNorm() {
	p.begin("stretchNorm3", "func(point, c []float32) float32")
	r := p.rooter()
	point, c := base("point"), base("c")
	p.norm().sum("line", 4, planeBytes("c"), address(ReturnIndex(0)), r, p.stretched(c, point), nil, nil)
	p.end()
}

// norm is that of the stretched differences.
func (p space) norm() norm { return norm{path: p.path, planes: 3} }

// stretched returns the function that loads the differences of a point and a row.
func (p space) stretched(c, point Register) func(index []GPVirtual, part int) []VecVirtual {
	return func(index []GPVirtual, part int) []VecVirtual {
		d, _ := p.difference(p.loadAll(from(c, index[:3]), part), from(point, index), part)
		return d
	}
}

func (p space) pushStretched() {
	p.begin("pushStretched3", "func(g, point, c []float32, w float32)")
	r := p.rooter()
	g, point, c := base("g"), base("point"), base("c")
	weight := p.broadcast("w")
	p.mixed("line", 4, planeBytes("c"), "", nil, func(index []GPVirtual, parts []int, way string) {
		p.pushVectors(r, weight, g, point, c, index, parts, way)
	}, nil)
	p.end()
}

// pushVectors adds w times the gradient of the length by c to the vectors of g at some places.
func (p space) pushVectors(
	r rooter, w VecVirtual, g, point, c Register, index []GPVirtual, parts []int, way string,
) {
	d, s := make([][]VecVirtual, len(parts)), make([]VecVirtual, len(parts))
	for v, part := range parts {
		d[v], s[v] = p.difference(p.loadAll(from(c, index[:3]), part), from(point, index), part)
	}
	length, a := r.quotients(w, func(v int) VecVirtual { return p.norm().square(d[v]) }, way)
	for v, part := range parts {
		lanes := p.notZero(length[v])
		VMULPS(s[v], a[v], a[v])
		for i := range d[v] {
			p.addTo(at(g, index[i]).Offset(part), p.product(d[v][i], a[v]), lanes)
		}
	}
}

func (p space) rotate() {
	p.turn("rotate3", [3][3]int{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}})
	p.turn("unrotate3", [3][3]int{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}})
}

func (p space) turn(name string, matrix [3][3]int) {
	p.begin(name, "func(dst, src, turn []float32)")
	w := p.cursor(planeBytes("src"), 9)
	dst, src, turn := w.planes("dst", 0, 3), w.planes("src", 0, 3), w.planes("turn", 0, 9)
	w.vectors(func(part int) {
		v := p.loadAll(src, part)
		var moved [3]VecVirtual
		for i, at := range matrix {
			moved[i] = p.row([3]Mem{turn[at[0]], turn[at[1]], turn[at[2]]}, v, part)
		}
		for i := range moved { // only now, because dst may be src
			VMOVUPS(moved[i], dst[i].Offset(part))
		}
	})
	p.end()
}

func (p space) scale() {
	p.begin("scale3", "func(dst, src, factor []float32)")
	w := p.cursor(length("factor", 2), 3)
	dst, src, factor := w.planes("dst", 0, 3), w.planes("src", 0, 3), w.planes("factor", 0, 1)
	w.vectors(func(part int) {
		f := p.loadAll(factor, part)[0]
		for i := range dst {
			VMOVUPS(p.product(src[i].Offset(part), f), dst[i].Offset(part))
		}
	})
	p.end()
}

func (p space) torque() {
	p.begin("torque3", "func(dst, q, g, p, h, turn []float32)")
	w := p.cursor(planeBytes("dst"), 9)
	dst, q, g := w.planes("dst", 0, 3), w.planes("q", 0, 3), w.planes("g", 0, 3)
	t, h, turn := w.planes("p", 0, 3), w.planes("h", 0, 3), w.planes("turn", 0, 9)
	w.vectors(func(part int) {
		back := p.cross(p.loadAll(t, part), p.loadAll(h, part))
		forth := p.cross(p.loadAll(q, part), p.loadAll(g, part))
		for i := range forth {
			VSUBPS(p.row([3]Mem(turn[3*i:]), back, part), forth[i], forth[i])
			VMOVUPS(forth[i], dst[i].Offset(part))
		}
	})
	p.end()
}

func (p space) stretch() {
	p.begin("stretch3", "func(dst, src, g, more, turn []float32)")
	w := p.cursor(length("dst", 2), 9)
	dst, src, g := w.planes("dst", 0, 1), w.planes("src", 0, 3), w.planes("g", 0, 3)
	more, turn := w.planes("more", 0, 1), w.planes("turn", 0, 9)
	w.vectors(func(part int) {
		v := p.loadAll(src, part)
		moved := make([]VecVirtual, 3)
		for i := range moved {
			moved[i] = p.row([3]Mem(turn[3*i:]), v, part)
		}
		sum := p.row([3]Mem(g), moved, part)
		VADDPS(more[0].Offset(part), sum, sum)
		VMOVUPS(sum, dst[0].Offset(part))
	})
	p.end()
}
