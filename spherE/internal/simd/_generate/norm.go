package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// norm is a norm of the difference of rows: the sum of block lengths, or the sum of squares of the whole row, which
// then counts as one plane.
type norm struct {
	path
	planes  int
	squares bool
}

// kernel returns the name of a kernel of this norm, by whether it is of blocks or of whole rows.
func (n norm) kernel(blocks, whole string) string {
	if n.squares {
		return whole
	}
	return fmt.Sprintf("%s%d", blocks, n.planes)
}

// difference returns the floats of from minus those of to, one vector per plane.
func (n norm) difference(from, to Register, index []GPVirtual, part int) []VecVirtual {
	d := make([]VecVirtual, n.planes)
	for i := range d {
		d[i] = n.vector()
		VMOVUPS(at(from, index[i]).Offset(part), d[i])
		VSUBPS(at(to, index[i]).Offset(part), d[i], d[i])
	}
	return d
}

// square returns the sum of squares over the planes, added in ascending order.
func (n norm) square(d []VecVirtual) VecVirtual {
	sum := n.vector()
	VMULPS(d[0], d[0], sum)
	for _, x := range d[1:] {
		y := n.vector()
		VMULPS(x, x, y)
		VADDPS(y, sum, sum)
	}
	return sum
}

// plane returns the size of a plane in bytes, from the size of a row of one to three planes.
func (n norm) plane(row Register) Register {
	if n.planes == 1 {
		return row
	}
	size := GP64()
	MOVQ(row, size)
	if n.planes == 2 {
		SHRQ(U8(1), size)
		return size
	}
	// A row has 3*16*m floats. Multiplying by the inverse of 3 modulo 2^64 divides by 3, exactly because 3 divides it.
	third := GP64()
	MOVQ(U64(0xAAAAAAAAAAAAAAAB), third)
	IMULQ(third, size)
	return size
}

// rowBytes returns the size in bytes of the row in the named slice.
func rowBytes(name string) Register { return length(name, 2) }

// sum stores the norm of the differences of vectors to dst, n planes of them. planes are those of the rows. visit is
// called with the term of every vector, line for every line; both may be nil.
func (n norm) sum(
	label string, planes int, plane Register, dst Mem, r rooter,
	difference func(index []GPVirtual, part int) []VecVirtual,
	visit func(index []GPVirtual, part int, term VecVirtual), line func(),
) {
	sums := make([]VecVirtual, len(n.parts()))
	for i := range sums {
		sums[i] = n.zero()
	}
	index := starts(planes, plane)
	var low VecVirtual
	vectors := func(way string) func() {
		return func() {
			n.batches(way, func(parts []int, way string) {
				terms := make([]VecVirtual, len(parts))
				for v, part := range parts {
					terms[v] = n.square(difference(index, part))
				}
				if !n.squares {
					terms, _ = r.roots(terms, way)
				}
				if least := r.least(terms, way); least != nil {
					VPMINSD(least, low, low)
				}
				for v, part := range parts {
					if visit != nil {
						visit(index, part, terms[v])
					}
					sum := sums[part/n.bytes%len(sums)]
					VADDPS(terms[v], sum, sum)
				}
			})
			for range n.group(way) / lineBytes {
				if line != nil {
					line()
				}
			}
		}
	}
	if !n.squares && n.roots != "" {
		low = r.large()
		size := n.group(n.roots)
		while(label+"Group", index, plane, size, size, vectors(n.roots))
		// A row with a root that the sequence may miss is computed again by instructions.
		slow := aside(func(back string) {
			restart(index, plane)
			for _, sum := range sums {
				n.clear(sum)
			}
			JMP(LabelRef(back))
		})
		r.unlessExact(low, slow.label)
		Label(slow.back)
	}
	while(label, index, plane, lineBytes, 0, vectors(instructions))
	VMOVSS(n.reduce(sums), dst)
}

func (n norm) pair() {
	n.begin(n.kernel("blockNorm", "sumSquares"), "func(q, c []float32) float32")
	r := n.rooter()
	q, c := base("q"), base("c")
	plane := n.plane(rowBytes("q"))
	n.sum("line", n.planes, plane, address(ReturnIndex(0)), r, n.between(c, q), nil, nil)
	n.end()
}

// between returns the function that loads the differences of two rows.
func (n norm) between(from, to Register) func(index []GPVirtual, part int) []VecVirtual {
	return func(index []GPVirtual, part int) []VecVirtual { return n.difference(from, to, index, part) }
}

// rows compares every query with every row.
func (n norm) rows() {
	n.begin(n.kernel("rowsNorm", "rowsSquares"), "func(dst []float32, pitch int, queries, rows []float32, stride int)")
	r := n.rooter()
	dst, q := base("dst"), base("queries")
	size := GP64()
	Load(Param("stride"), size)
	SHLQ(U8(2), size)
	plane := n.plane(size)
	lastQuery, lastRow := length("queries", 2), length("rows", 2)
	ADDQ(q, lastQuery)
	ADDQ(address(Param("rows").Base()), lastRow)

	Label("query")
	CMPQ(q, lastQuery)
	JGE(LabelRef("done"))
	c, to := base("rows"), GP64()
	MOVQ(dst, to)
	Label("row")
	CMPQ(c, lastRow)
	JGE(LabelRef("rowDone"))
	n.sum("line", n.planes, plane, Mem{Base: to}, r, n.between(c, q), nil, nil)
	ADDQ(U8(4), to)
	ADDQ(size, c)
	JMP(LabelRef("row"))
	Label("rowDone")
	ADDQ(size, q)
	pitch := GP64()
	Load(Param("pitch"), pitch)
	LEAQ(Mem{Base: dst, Index: pitch, Scale: 4}, dst)
	JMP(LabelRef("query"))
	Label("done")
	n.end()
}

// ahead equals Ahead of package simd: a row is prefetched into the second-level cache while the row that is ahead
// places before it is read. A row of 200 blocks takes about 40 ns and memory more than 100; the first level can wait
// for only 24 lines.
const ahead = 4

// prefetchLines prefetches one line per plane at next, and advances next.
func (n norm) prefetchLines(next GPVirtual) {
	for i := range n.planes {
		PREFETCHT1(Mem{Base: next, Disp: i * lineBytes})
	}
	ADDQ(Imm(uint64(n.planes*lineBytes)), next)
}

// rowAt returns the address of a row of table, whose number is in memory.
func rowAt(number Mem, q, table string) GPVirtual {
	row := GP64()
	MOVLQSX(number, row)
	IMULQ(address(Param(q).Len()), row)
	SHLQ(U8(2), row)
	ADDQ(address(Param(table).Base()), row)
	return row
}

// gather computes the norms of listed rows of a table minus q.
func (n norm) gather() {
	n.begin(n.kernel("gatherNorm", "gatherSquares"), "func(dst, length, q, table []float32, row []int32)")
	r := n.rooter()
	dst, q := base("dst"), base("q")
	plane := n.plane(rowBytes("q"))
	var kept, step GPVirtual
	if !n.squares {
		// One plane per row, or the same plane for all rows.
		kept, step = GP64(), GP64()
		Load(Param("length").Base(), kept)
		none := GP64()
		XORQ(none, none)
		MOVQ(plane, step)
		CMPQ(length("length", 2), plane)
		CMOVQLE(none, step)
	}
	rows := newList("row", 2)
	number, end := rows.current, rows.end

	Label("row")
	CMPQ(number, end)
	JGE(LabelRef("done"))
	c := rowAt(Mem{Base: number}, "q", "table")
	later := rows.lookAhead()
	next := rowAt(Mem{Base: later}, "q", "table")
	keep := func(index []GPVirtual, part int, term VecVirtual) {
		VMOVUPS(term, at(kept, index[0]).Offset(part))
	}
	if n.squares {
		keep = nil
	}
	n.sum("line", n.planes, plane, Mem{Base: dst}, r, n.between(c, q), keep, func() { n.prefetchLines(next) })
	if !n.squares {
		ADDQ(step, kept)
	}
	ADDQ(U8(4), dst)
	ADDQ(U8(4), number)
	JMP(LabelRef("row"))
	Label("done")
	n.end()
}
