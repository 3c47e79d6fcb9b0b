package main

import (
	"math"
	"slices"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A way is a letter per vector: how its root, and the quotient by that root, are computed. The vectors of one string
// are computed together, stage by stage, so that neither unit of the processor waits for the other.
const (
	byInstruction  = 'i' // VSQRTPS and VDIVPS
	bySequence     = 's' // from a reciprocal estimate, see ../root_amd64.go
	rootBySequence = 'd' // the root from an estimate, the quotient by VDIVPS
)

// ways are those of the kernels of one file. An empty string stands for instructions alone.
type ways struct {
	roots, roots3         string // of kernels that need no quotient, by planes of the rows
	quotients, quotients3 string // of pushes
	kept                  string // of GatherPush, which needs quotients by known roots
	adam                  string
}

// recipes are the ways of the paths. Which proportion is fastest was measured, see docs/performance.md.
var recipes = map[string]ways{
	"AVX512Sequence": {"sss", "sss", "ss", "ss", "ss", "ss"},
	"AVX512Mixed":    {"isi", "isi", "iid", "iid", "iis", "iis"},
	"AVX2Sequence":   {"ss", "ss", "s", "s", "s", "s"},
	"AVX2Mixed":      {"iisi", "iisi", "iid", "id", "is", "is"},
}

// The sequences are exact where roots are at least 2^lowest, which also covers roots that are not numbers: NaN of an
// infinity is negative, and any NaN of a NaN is right. Quotients need a weight from 2^-lowWeight to 2^lowWeight.
const (
	lowest    = -50
	lowWeight = 60
)

// singles returns a vector in memory of one float32.
func (p path) singles(x float64) Mem {
	b := uint64(math.Float32bits(float32(x)))
	return p.bits(b<<32 | b)
}

func (p path) copied(x VecVirtual) VecVirtual {
	y := p.vector()
	VMOVAPS(x, y)
	return y
}

// rooter emits roots and quotients. Its constants are 0.5, 1 and 2^-44.
type rooter struct {
	path
	half, one, up Op
}

// rooter returns one that has the constant of roots in a register where there are many.
func (p path) rooter() rooter {
	r := rooter{p, p.singles(.5), p.singles(1), p.singles(1.0 / (1 << 44))}
	if p.wide() && p.suffix != "" {
		half := p.vector()
		VMOVUPS(r.half, half)
		r.half = half
	}
	return r
}

// lanes calls f for the vectors that are computed in one of the given ways.
func lanes(way, which string, f func(v int)) {
	for v, w := range way {
		if strings.ContainsRune(which, w) {
			f(v)
		}
	}
}

// residual sets z to c - a*b, in one rounding.
func (r rooter) residual(c Op, a, b VecVirtual) VecVirtual {
	z := r.copied(a)
	VFNMADD213PS(c, b, z)
	return z
}

// roots returns the roots of x, which it may overwrite, and half of their reciprocals for vectors by sequence.
func (r rooter) roots(x []VecVirtual, way string) (root, half []VecVirtual) {
	root, half = make([]VecVirtual, len(x)), make([]VecVirtual, len(x))
	rest := make([]VecVirtual, len(x))
	sequence := string(bySequence) + string(rootBySequence)
	lanes(way, string(byInstruction), func(v int) {
		root[v] = x[v]
		VSQRTPS(x[v], x[v])
	})
	lanes(way, sequence, func(v int) {
		half[v] = r.vector()
		if r.wide() {
			VRSQRT14PS(x[v], half[v])
		} else {
			VRSQRTPS(x[v], half[v])
		}
	})
	lanes(way, sequence, func(v int) {
		root[v] = r.vector()
		VMULPS(half[v], x[v], root[v])
		VMULPS(r.half, half[v], half[v])
	})
	reduce := func() { lanes(way, sequence, func(v int) { rest[v] = r.residual(r.half, root[v], half[v]) }) }
	if !r.wide() { // rsqrtps has nearly 12 bits, rsqrt14 has 14
		reduce()
		lanes(way, sequence, func(v int) {
			VFMADD231PS(rest[v], half[v], half[v])
			VADDPS(x[v], x[v], root[v])
		})
		lanes(way, sequence, func(v int) { VMULPS(half[v], root[v], root[v]) })
	}
	reduce()
	lanes(way, sequence, func(v int) {
		VFMADD231PS(rest[v], root[v], root[v])
		VFMADD231PS(rest[v], half[v], half[v])
	})
	lanes(way, sequence, func(v int) { VFNMADD231PS(root[v], root[v], x[v]) })
	lanes(way, sequence, func(v int) { VFMADD231PS(half[v], x[v], root[v]) })
	return root, half
}

// over returns w / root, from roots and reciprocals.
func (r rooter) over(w VecVirtual, root, reciprocal []VecVirtual, way string) []VecVirtual {
	q, rest := make([]VecVirtual, len(root)), make([]VecVirtual, len(root))
	which := string(bySequence)
	lanes(way, which, func(v int) { rest[v] = r.residual(r.one, root[v], reciprocal[v]) })
	lanes(way, which, func(v int) { VADDPS(r.up, rest[v], rest[v]) })
	lanes(way, which, func(v int) { VFMADD231PS(rest[v], reciprocal[v], reciprocal[v]) })
	lanes(way, which, func(v int) {
		q[v] = r.vector()
		VMULPS(w, reciprocal[v], q[v])
	})
	lanes(way, which, func(v int) { rest[v] = r.residual(w, q[v], root[v]) })
	lanes(way, which, func(v int) { VFMADD231PS(reciprocal[v], rest[v], q[v]) })
	lanes(way, string(byInstruction)+string(rootBySequence), func(v int) {
		q[v] = r.vector()
		VDIVPS(root[v], w, q[v])
	})
	return q
}

// overEstimated is over for roots that come from elsewhere.
func (r rooter) overEstimated(w VecVirtual, root []VecVirtual, way string) (q, reciprocal []VecVirtual) {
	reciprocal = make([]VecVirtual, len(root))
	lanes(way, string(bySequence), func(v int) {
		y := r.vector()
		if r.wide() {
			VRCP14PS(root[v], y)
		} else {
			VRCPPS(root[v], y)
		}
		VFMADD231PS(r.residual(r.one, root[v], y), y, y)
		reciprocal[v] = y
	})
	return r.over(w, root, reciprocal, way), reciprocal
}

// least returns the smallest bits, as integers, of the vectors that are not computed by instructions, or nil.
func (r rooter) least(x []VecVirtual, way string) (low VecVirtual) {
	lanes(way, string(bySequence)+string(rootBySequence), func(v int) {
		switch {
		case low == nil:
			low = x[v]
		default:
			z := r.vector()
			VPMINSD(x[v], low, z)
			low = z
		}
	})
	return low
}

// large returns a vector that does not change a minimum of bits.
func (r rooter) large() VecVirtual {
	low := r.vector()
	VMOVUPS(r.singles(math.MaxFloat32), low)
	return low
}

// unlessExact jumps where a lane of low is below the lowest root for which the sequence is exact.
func (r rooter) unlessExact(low VecVirtual, label string) {
	bound := math.Ldexp(1, lowest)
	if r.wide() {
		k := K()
		VPCMPD(U8(1), r.singles(bound), low, k) // less
		KORTESTW(k, k)
		JNE(LabelRef(label))
		return
	}
	z, bits := r.vector(), GP32()
	VPCMPGTD(r.singles(float64(math.Nextafter32(float32(bound), 0))), low, z)
	VMOVMSKPS(z, bits)
	CMPL(bits, U32(1<<8-1))
	JNE(LabelRef(label))
}

// quotients returns the roots of squares, and w divided by them. square returns that of a vector, and is called a
// second time for the detour.
func (r rooter) quotients(w VecVirtual, square func(v int) VecVirtual, way string) (length, quotient []VecVirtual) {
	squares := make([]VecVirtual, len(way))
	for v := range squares {
		squares[v] = square(v)
	}
	length, half := r.roots(squares, way)
	lanes(way, string(bySequence), func(v int) { VADDPS(half[v], half[v], half[v]) })
	quotient = r.over(w, length, half, way)
	r.detour(r.least(length, way), func() {
		lanes(way, string(bySequence)+string(rootBySequence), func(v int) {
			VSQRTPS(square(v), length[v])
			VDIVPS(length[v], w, quotient[v])
		})
	})
	return length, quotient
}

// anyRoots returns the roots of numbers that may be negative, which it reads again for the detour.
func (r rooter) anyRoots(x []VecVirtual, again func(v int) Mem, way string) []VecVirtual {
	// rsqrtps takes negative subnormals for -0 and would give an infinity, where the root is NaN.
	var signs []VecVirtual
	if !r.wide() {
		lanes(way, string(bySequence), func(v int) {
			sign := r.vector()
			VORPS(r.singles(math.Inf(1)), x[v], sign)
			signs = append(signs, sign)
		})
	}
	root, _ := r.roots(x, way)
	low := r.least(root, way)
	for _, sign := range signs {
		VPMINSD(sign, low, sign)
		low = sign
	}
	r.detour(low, func() {
		lanes(way, string(bySequence), func(v int) { VSQRTPS(again(v), root[v]) })
	})
	return root
}

// detour runs body where a lane of low is below the lowest root for which the sequence is exact.
func (r rooter) detour(low VecVirtual, body func()) {
	if low == nil {
		return
	}
	slow := aside(func(back string) {
		body()
		JMP(LabelRef(back))
	})
	r.unlessExact(low, slow.label)
	Label(slow.back)
}

// weightOutside jumps if the magnitude of a weight, its bits shifted left by one, is not one for which quotients are
// exact.
func weightOutside(shifted GPVirtual, label string) {
	SUBL(U32((127-lowWeight)<<24), shifted)
	CMPL(shifted, U32(2*lowWeight<<24))
	JHI(LabelRef(label))
}

// keptQuotients returns lengths that are in memory, and a weight divided by them.
func (r rooter) keptQuotients(
	w VecVirtual, weight GPVirtual, kept Register, index GPVirtual, parts []int, way string,
) (length, quotient []VecVirtual) {
	length = make([]VecVirtual, len(parts))
	for v, part := range parts {
		length[v] = r.vector()
		VMOVUPS(at(kept, index).Offset(part), length[v])
	}
	if !strings.ContainsRune(way, bySequence) {
		return length, r.over(w, length, nil, way)
	}
	quotient, reciprocal := r.overEstimated(w, length, way)
	slow := aside(func(back string) {
		lanes(way, string(bySequence), func(v int) { VDIVPS(length[v], w, quotient[v]) })
		JMP(LabelRef(back))
	})
	weightOutside(weight, slow.label)
	low := r.least(slices.Concat(length, reciprocal), way+way)
	r.unlessExact(low, slow.label)
	Label(slow.back)
	return length, quotient
}

// alone writes the sequences as functions of their own, which tests compare with instructions.
func (p path) alone() {
	loop := func(name, signature string, body func(r rooter, index GPVirtual)) {
		p.begin(name, signature)
		r := p.rooter()
		each("vector", length("x", 2), p.bytes, func(index GPVirtual) { body(r, index) })
		p.end()
	}
	load := func(m Mem) VecVirtual {
		z := p.vector()
		VMOVUPS(m, z)
		return z
	}
	way := string(bySequence)
	loop("roots", "func(root, x []float32)", func(r rooter, index GPVirtual) {
		x := at(base("x"), index)
		root := r.anyRoots([]VecVirtual{load(x)}, func(int) Mem { return x }, way)
		VMOVUPS(root[0], at(base("root"), index))
	})
	loop("quotients", "func(root, quotient, w, x []float32)", func(r rooter, index GPVirtual) {
		x, w := base("x"), load(at(base("w"), index))
		root, q := r.quotients(w, func(int) VecVirtual { return load(at(x, index)) }, way)
		VMOVUPS(root[0], at(base("root"), index))
		VMOVUPS(q[0], at(base("quotient"), index))
	})
	loop("over", "func(quotient, w, x []float32)", func(r rooter, index GPVirtual) {
		one := GP32()
		MOVL(U32(2*0x3f800000), one)
		_, q := r.keptQuotients(load(at(base("w"), index)), one, base("x"), index, []int{0}, way)
		VMOVUPS(q[0], at(base("quotient"), index))
	})
}
