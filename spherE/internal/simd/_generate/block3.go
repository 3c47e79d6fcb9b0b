package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// blocks3 writes the kernels for rows of three planes and what belongs to them: points of four planes, matrices of nine.
func blocks3() {
	blockNorm3()
	pushBlock3()
	stretchNorm3()
	pushPoint3()
	pushStretched3()
	rotate3()
	unrotate3()
	scale3()
	torque3()
	stretch3()
}

// walker goes through rows vector by vector: a pointer per row, and the multiples of a plane's size with which
// addressing reaches up to nine planes of it.
type walker struct {
	once, thrice, five, seven, left GPVirtual
	row                             []GPVirtual
}

// walk begins with planes of size bytes, of at most so many planes per row.
func walk(size GPVirtual, planes int) *walker {
	w := &walker{once: size, left: GP64()}
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

// third is the size in bytes of a plane of the named slice, which has three.
func third(name string) GPVirtual {
	size := bytesOf(name, 2)
	inverse := GP64() // of 3 modulo 2^64; 3 divides the size
	MOVQ(U64(0xAAAAAAAAAAAAAAAB), inverse)
	IMULQ(inverse, size)
	return size
}

// of returns the planes of the named row from first on, at the walker's place.
func (w *walker) of(name string, first, planes int) []Mem {
	r := GP64()
	Load(Param(name).Base(), r)
	w.row = append(w.row, r)
	all := []Mem{
		{Base: r}, {Base: r, Index: w.once, Scale: 1}, {Base: r, Index: w.once, Scale: 2}, {Base: r, Index: w.thrice, Scale: 1},
		{Base: r, Index: w.once, Scale: 4}, {Base: r, Index: w.five, Scale: 1}, {Base: r, Index: w.thrice, Scale: 2},
		{Base: r, Index: w.seven, Scale: 1}, {Base: r, Index: w.once, Scale: 8},
	}
	return all[first : first+planes]
}

// vectors runs body for every vector of the planes.
func (w *walker) vectors(body func()) {
	Label("vector")
	TESTQ(w.left, w.left)
	JZ(LabelRef("done"))
	body()
	for _, r := range w.row {
		ADDQ(U8(vectorBytes), r)
	}
	SUBQ(U8(vectorBytes), w.left)
	JMP(LabelRef("vector"))
	Label("done")
}

func begin(name, signature string) {
	TEXT(name+"AVX512", NOSPLIT, signature)
	Pragma("noescape")
}

func end() {
	VZEROUPPER()
	RET()
}

func load(planes []Mem) []VecVirtual {
	v := make([]VecVirtual, len(planes))
	for i := range v {
		v[i] = ZMM()
		VMOVUPS(planes[i], v[i])
	}
	return v
}

func product(a Op, b VecVirtual) VecVirtual {
	p := ZMM()
	VMULPS(a, b, p)
	return p
}

// dot is a.b, the products added in ascending order.
func dot[A Op](a []A, b []VecVirtual) VecVirtual {
	sum := product(a[0], b[0])
	for i := 1; i < 3; i++ {
		VADDPS(product(a[i], b[i]), sum, sum)
	}
	return sum
}

// cross is a x b.
func cross(a, b []VecVirtual) []VecVirtual {
	v := make([]VecVirtual, 3)
	for i := range v {
		j, k := (i+1)%3, (i+2)%3
		v[i] = product(a[j], b[k])
		VSUBPS(product(a[k], b[j]), v[i], v[i])
	}
	return v
}

// apart is c - q, and stretched s*c - p of a point.
func apart(c, q []Mem) []VecVirtual {
	d := load(c)
	for i := range d {
		VSUBPS(q[i], d[i], d[i])
	}
	return d
}

func stretched(c []VecVirtual, point []Mem) (d []VecVirtual, s VecVirtual) {
	s = ZMM()
	VMOVUPS(point[3], s)
	d = make([]VecVirtual, 3)
	for i := range d {
		d[i] = product(c[i], s)
		VSUBPS(point[i], d[i], d[i])
	}
	return d, s
}

func lengthOf(d []VecVirtual) VecVirtual {
	l := dot(d, d)
	VSQRTPS(l, l)
	return l
}

// notZero is the mask of lanes where length is not 0; a NaN is not.
func notZero(length VecVirtual) OpmaskVirtual {
	zero, lanes := ZMM(), K()
	VPXORD(zero, zero, zero)
	VCMPPS(U8(4), zero, length, lanes)
	return lanes
}

func quotient(w, length VecVirtual) VecVirtual {
	q := ZMM()
	VDIVPS(length, w, q)
	return q
}

// addTo adds x to a place in memory where the mask is set.
func addTo(place Mem, x VecVirtual, lanes OpmaskVirtual) {
	g := ZMM()
	VMOVUPS(place, g)
	VADDPS(x, g, lanes, g)
	VMOVUPS(g, place)
}

func blockNorm3() {
	begin("blockNorm3", "func(q, c []float32) float32")
	w := walk(third("c"), 3)
	q, c := w.of("q", 0, 3), w.of("c", 0, 3)
	sum := ZMM()
	VPXORD(sum, sum, sum)
	w.vectors(func() { VADDPS(lengthOf(apart(c, q)), sum, sum) })
	Store(reduce(sum), ReturnIndex(0))
	end()
}

func pushBlock3() {
	begin("pushBlock3", "func(g, q, c []float32, w float32)")
	w := walk(third("c"), 3)
	g, q, c := w.of("g", 0, 3), w.of("q", 0, 3), w.of("c", 0, 3)
	weight := broadcast("w")
	w.vectors(func() {
		d := apart(c, q)
		length := lengthOf(d)
		lanes, s := notZero(length), quotient(weight, length)
		for i := range d {
			addTo(g[i], product(d[i], s), lanes)
		}
	})
	end()
}

func stretchNorm3() {
	begin("stretchNorm3", "func(point, c []float32) float32")
	w := walk(third("c"), 4)
	point, c := w.of("point", 0, 4), w.of("c", 0, 3)
	sum := ZMM()
	VPXORD(sum, sum, sum)
	w.vectors(func() {
		d, _ := stretched(load(c), point)
		VADDPS(lengthOf(d), sum, sum)
	})
	Store(reduce(sum), ReturnIndex(0))
	end()
}

func pushPoint3() {
	begin("pushPoint3", "func(g, point, c []float32, w float32)")
	w := walk(third("c"), 4)
	g, point, c := w.of("g", 0, 4), w.of("point", 0, 4), w.of("c", 0, 3)
	weight := broadcast("w")
	w.vectors(func() {
		candidate := load(c)
		d, _ := stretched(candidate, point)
		length := lengthOf(d)
		lanes, s := notZero(length), quotient(weight, length)
		for i := range d {
			VMULPS(d[i], s, d[i])
			sum := ZMM()
			VMOVUPS(g[i], sum)
			VSUBPS(d[i], sum, lanes, sum)
			VMOVUPS(sum, g[i])
		}
		addTo(g[3], dot(d, candidate), lanes)
	})
	end()
}

func pushStretched3() {
	begin("pushStretched3", "func(g, point, c []float32, w float32)")
	w := walk(third("c"), 4)
	g, point, c := w.of("g", 0, 3), w.of("point", 0, 4), w.of("c", 0, 3)
	weight := broadcast("w")
	w.vectors(func() {
		d, s := stretched(load(c), point)
		length := lengthOf(d)
		lanes, a := notZero(length), quotient(weight, length)
		VMULPS(s, a, a)
		for i := range d {
			addTo(g[i], product(d[i], a), lanes)
		}
	})
	end()
}

func rotate3()   { turn3("rotate3", [3][3]int{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}) }
func unrotate3() { turn3("unrotate3", [3][3]int{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}}) }

func turn3(name string, matrix [3][3]int) {
	begin(name, "func(dst, src, turn []float32)")
	w := walk(third("src"), 9)
	dst, src, turn := w.of("dst", 0, 3), w.of("src", 0, 3), w.of("turn", 0, 9)
	w.vectors(func() {
		v := load(src)
		var moved [3]VecVirtual
		for i, row := range matrix {
			moved[i] = dot([]Mem{turn[row[0]], turn[row[1]], turn[row[2]]}, v)
		}
		for i := range moved { // only now, as dst may be src
			VMOVUPS(moved[i], dst[i])
		}
	})
	end()
}

func scale3() {
	begin("scale3", "func(dst, src, factor []float32)")
	w := walk(bytesOf("factor", 2), 3)
	dst, src, factor := w.of("dst", 0, 3), w.of("src", 0, 3), w.of("factor", 0, 1)
	w.vectors(func() {
		f := load(factor)[0]
		for i := range dst {
			VMOVUPS(product(src[i], f), dst[i])
		}
	})
	end()
}

func torque3() {
	begin("torque3", "func(dst, q, g, p, h, turn []float32)")
	w := walk(third("dst"), 9)
	dst, q, g := w.of("dst", 0, 3), w.of("q", 0, 3), w.of("g", 0, 3)
	p, h, turn := w.of("p", 0, 3), w.of("h", 0, 3), w.of("turn", 0, 9)
	w.vectors(func() {
		back := cross(load(p), load(h))
		forth := cross(load(q), load(g))
		for i := range forth {
			VSUBPS(dot(turn[3*i:3*i+3], back), forth[i], forth[i])
			VMOVUPS(forth[i], dst[i])
		}
	})
	end()
}

func stretch3() {
	begin("stretch3", "func(dst, src, g, more, turn []float32)")
	w := walk(bytesOf("dst", 2), 9)
	dst, src, g := w.of("dst", 0, 1), w.of("src", 0, 3), w.of("g", 0, 3)
	more, turn := w.of("more", 0, 1), w.of("turn", 0, 9)
	w.vectors(func() {
		v := load(src)
		moved := make([]VecVirtual, 3)
		for i := range moved {
			moved[i] = dot(turn[3*i:3*i+3], v)
		}
		sum := dot(g, moved)
		VADDPS(more[0], sum, sum)
		VMOVUPS(sum, dst[0])
	})
	end()
}
