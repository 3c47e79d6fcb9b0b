package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func (p path) adam() {
	p.begin("adam", "func(p, m, v, g []float32, beta1, rest1, beta2, rest2, rate, root, epsilon float32, next int)")
	row, m, v, g := base("p"), base("m"), base("v"), base("g")
	beta1, rest1 := p.broadcast("beta1"), p.broadcast("rest1")
	beta2, rest2 := p.broadcast("beta2"), p.broadcast("rest2")
	rate, root, epsilon := p.broadcast("rate"), p.broadcast("root"), p.broadcast("epsilon")
	// Prefetch the rows that come next: the processor's own prefetching does not keep up with three tables.
	ahead := GP64()
	Load(Param("next"), ahead)
	SHLQ(U8(2), ahead)
	r := p.rooter()
	index := []GPVirtual{GP64()}
	XORQ(index[0], index[0])
	size := length("p", 2)
	vectors := func(way string) func() {
		return func() {
			for part := 0; part < len(way)*p.bytes; part += lineBytes {
				later := GP64()
				LEAQ(at(ahead, index[0]).Offset(part), later)
				for _, table := range []Register{row, m, v} {
					PREFETCHT1(at(table, later))
				}
			}
			first, second := make([]VecVirtual, len(way)), make([]VecVirtual, len(way))
			place := func(table Register, l int) Mem { return at(table, index[0]).Offset(l * p.bytes) }
			for l := range way {
				grad, x := p.vector(), p.vector()
				first[l], second[l] = p.vector(), p.vector()
				VMOVUPS(place(g, l), grad)
				VMULPS(place(m, l), beta1, first[l])
				VMULPS(grad, rest1, x)
				VADDPS(x, first[l], first[l])
				VMOVUPS(first[l], place(m, l))
				VMULPS(place(v, l), beta2, second[l])
				VMULPS(grad, rest2, x)
				VMULPS(grad, x, x)
				VADDPS(x, second[l], second[l])
				VMOVUPS(second[l], place(v, l))
			}
			lengths := r.anyRoots(second, func(l int) Mem { return place(v, l) }, way)
			for l := range way {
				VMULPS(root, lengths[l], lengths[l])
				VADDPS(epsilon, lengths[l], lengths[l])
				VMULPS(first[l], rate, first[l])
				VDIVPS(lengths[l], first[l], first[l])
				x := p.vector()
				VMOVUPS(place(row, l), x)
				VSUBPS(first[l], x, x)
				VMOVUPS(x, place(row, l))
			}
		}
	}
	if p.ways.adam != "" {
		step := len(p.ways.adam) * p.bytes
		while("group", index, size, step, step, vectors(p.ways.adam))
	}
	while("float", index, size, p.bytes, 0, vectors(instructions))
	p.end()
}
