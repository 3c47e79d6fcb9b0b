package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// signed returns the lanes whose sign bit is set.
func (p path) signed(z VecVirtual) mask {
	if p.wide() {
		k := K()
		VPMOVQ2M(z, k)
		return k
	}
	return z
}

func (p path) xor(a Op, b, c VecVirtual) {
	if p.wide() {
		VPXORQ(a, b, c)
	} else {
		VPXOR(a, b, c)
	}
}

func (p path) and(a Op, b, c VecVirtual) {
	if p.wide() {
		VPANDQ(a, b, c)
	} else {
		VPAND(a, b, c)
	}
}
