package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

func adamStep() {
	TEXT("adamAVX512", NOSPLIT, "func(p, m, v, g []float32, beta1, rest1, beta2, rest2, rate, root, epsilon float32)")
	Pragma("noescape")
	p, m, v, g := base("p"), base("m"), base("v"), base("g")
	size := bytesOf("p", 2)
	beta1, rest1 := broadcast("beta1"), broadcast("rest1")
	beta2, rest2 := broadcast("beta2"), broadcast("rest2")
	rate, root, epsilon := broadcast("rate"), broadcast("root"), broadcast("epsilon")
	each("float", size, func(i GPVirtual) {
		grad, first, second, x := ZMM(), ZMM(), ZMM(), ZMM()
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
		VMOVUPS(at(p, i), x)
		VSUBPS(first, x, x)
		VMOVUPS(x, at(p, i))
	})
	VZEROUPPER()
	RET()
}
