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
	each("float", length("p", 2), p.bytes, func(i GPVirtual) {
		later := GP64()
		LEAQ(at(ahead, i), later)
		for _, table := range []Register{row, m, v} {
			PREFETCHT1(at(table, later))
		}
		grad, first, second, x := p.vector(), p.vector(), p.vector(), p.vector()
		VMOVUPS(at(g, i), grad)
		VMULPS(at(m, i), beta1, first)
		VMULPS(grad, rest1, x)
		VADDPS(x, first, first)
		VMOVUPS(first, at(m, i))
		VMULPS(at(v, i), beta2, second)
		VMULPS(grad, rest2, x)
		VMULPS(grad, x, x)
		VADDPS(x, second, second)
		VMOVUPS(second, at(v, i))
		VSQRTPS(second, second)
		VMULPS(root, second, second)
		VADDPS(epsilon, second, second)
		VMULPS(first, rate, first)
		VDIVPS(second, first, first)
		VMOVUPS(at(row, i), x)
		VSUBPS(first, x, x)
		VMOVUPS(x, at(row, i))
	})
	p.end()
}
