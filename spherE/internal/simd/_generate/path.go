package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// lineBytes is the unit of planes: 16 floats.
const lineBytes = 64

// path is one instruction set: the size of its vectors, and how their lanes are masked.
type path struct {
	name   string // suffix of the names of kernels
	suffix string // behind name: how roots are computed
	bytes  int    // of a vector
	ways          // how roots and quotients are computed
}

var (
	avx512 = path{name: "AVX512", bytes: 64, ways: ways{kept: "iii"}}
	avx2   = path{name: "AVX2", bytes: 32, ways: ways{kept: "ii"}}
)

func (p path) wide() bool { return p.bytes == lineBytes }

// parts returns the byte offsets of the vectors in a line of 16 floats.
func (p path) parts() []int {
	if p.wide() {
		return []int{0}
	}
	return []int{0, 32}
}

// begin starts a function whose name ends with the name of the path.
func (p path) begin(name, signature string) {
	TEXT(name+p.name+p.suffix, NOSPLIT, signature)
	Pragma("noescape")
}

func (p path) end() {
	VZEROUPPER()
	RET()
	writeDetours()
}

func (p path) vector() VecVirtual {
	if p.wide() {
		return ZMM()
	}
	return YMM()
}

func (p path) zero() VecVirtual {
	z := p.vector()
	p.clear(z)
	return z
}

func (p path) clear(z VecVirtual) {
	if p.wide() {
		VPXORD(z, z, z)
	} else {
		VXORPS(z, z, z)
	}
}

// broadcast returns a vector whose lanes are a float32 parameter.
func (p path) broadcast(name string) VecVirtual {
	z := p.vector()
	VBROADCASTSS(address(Param(name)), z)
	return z
}

// notZero returns the lanes where length is not 0. NaN is not 0.
func (p path) notZero(length VecVirtual) mask {
	zero := p.zero()
	if p.wide() {
		nonzero := K()
		VCMPPS(U8(notEqual), zero, length, nonzero)
		return nonzero
	}
	VCMPPS(U8(notEqual), zero, length, zero)
	return zero
}

// addWhere adds x to g in the given lanes.
func (p path) addWhere(lanes mask, x, g VecVirtual) {
	if p.wide() {
		VADDPS(x, g, lanes, g)
		return
	}
	VADDPS(x, g, x)
	VBLENDVPS(lanes, x, g, g)
}

// base returns the address of the first element of a slice parameter.
func base(name string) Register { return Load(Param(name).Base(), GP64()) }

// address returns the place of a parameter in the frame.
func address(c gotypes.Component) Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// length returns the length of a slice parameter, shifted left.
func length(name string, shift uint64) GPVirtual {
	n := GP64()
	Load(Param(name).Len(), n)
	if shift > 0 {
		SHLQ(U8(shift), n)
	}
	return n
}

func at(base, index Register) Mem { return Mem{Base: base, Index: index, Scale: 1} }

// each runs body for the byte index 0, step, 2 step ... below limit.
func each(label string, limit Register, step int, body func(index GPVirtual)) {
	index := GP64()
	XORQ(index, index)
	Label(label)
	CMPQ(index, limit)
	JGE(LabelRef(label + "Done"))
	body(index)
	ADDQ(Imm(uint64(step)), index)
	JMP(LabelRef(label))
	Label(label + "Done")
}

// mask selects lanes: a mask register, or a vector whose lanes are all ones or zeros.
type mask Register

// Relations of VCMPPS and VCMPPD; the last two are true for NaN.
const (
	unordered = 3
	less      = 17
	greater   = 30
	notEqual  = 4
	notLess   = 21
)

// lines runs body for every line of the first plane, with the byte index of that line in each of the planes.
func lines(label string, planes int, plane Register, body func(index []GPVirtual)) {
	index := starts(planes, plane)
	while(label, index, plane, lineBytes, 0, func() { body(index) })
}

// starts returns the byte indices of the first line of each plane.
func starts(planes int, plane Register) []GPVirtual {
	index := make([]GPVirtual, planes)
	for i := range index {
		index[i] = GP64()
	}
	restart(index, plane)
	return index
}

func restart(index []GPVirtual, plane Register) {
	for i := range index {
		switch i {
		case 0:
			XORQ(index[0], index[0])
		case 1:
			MOVQ(plane, index[1])
		default:
			LEAQ(at(index[i-1], plane), index[i])
		}
	}
}

// while runs body and adds step to the indices, as long as the first one is below plane by more than margin.
func while(label string, index []GPVirtual, plane Register, step, margin int, body func()) {
	Label(label)
	last := index[0]
	if margin > 0 {
		last = GP64()
		LEAQ(Mem{Base: index[0], Disp: margin}, last)
	}
	CMPQ(last, plane)
	JGE(LabelRef(label + "Done"))
	body()
	for _, i := range index {
		ADDQ(I32(step), i)
	}
	JMP(LabelRef(label))
	Label(label + "Done")
}

// group is the smallest number of bytes of whole lines that a way fits into.
func (p path) group(way string) int {
	bytes := len(way) * p.bytes
	if bytes%lineBytes != 0 {
		bytes *= 2
	}
	return bytes
}

// batches runs body for the vectors of a group, as many at a time as the way has letters, with their byte offsets.
func (p path) batches(way string, body func(parts []int, way string)) {
	size := len(way) * p.bytes
	for from := 0; from < p.group(way); from += size {
		var parts []int
		for part := from; part < from+size; part += p.bytes {
			parts = append(parts, part)
		}
		body(parts, way)
	}
}

// instructions is the way of the vectors of a line that are left over by groups.
const instructions = string(byInstruction)

// mixed is lines with the vectors computed in the given way: groups of lines first, one line at a time at the end. At
// least one line is left for the end, which has the padding: roots of 0 would send a group on its detour. each, which
// may be nil, is called once per line. weight, which may be nil, are the bits of a weight shifted left by one.
func (p path) mixed(
	label string, planes int, plane Register, way string, weight GPVirtual,
	body func(index []GPVirtual, parts []int, way string), each func(),
) {
	index := starts(planes, plane)
	line := func(way string) func() {
		return func() {
			p.batches(way, func(parts []int, way string) { body(index, parts, way) })
			for range p.group(way) / lineBytes {
				if each != nil {
					each()
				}
			}
		}
	}
	if way != "" {
		if weight != nil && strings.ContainsRune(way, bySequence) {
			weightOutside(weight, label+"GroupDone")
		}
		while(label+"Group", index, plane, p.group(way), p.group(way), line(way))
	}
	while(label, index, plane, lineBytes, 0, line(instructions))
}

// reduce returns a register with the sum of 16 lanes in its low lane, added in the order of simd.Reduce.
func (p path) reduce(sum []VecVirtual) VecVirtual {
	y := YMM()
	if p.wide() {
		high := YMM()
		VEXTRACTF64X4(U8(1), sum[0], high)
		VADDPS(high, sum[0].AsY(), y)
	} else {
		VADDPS(sum[1], sum[0], y)
	}
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
