// Command _generate writes the vector kernels of package simd: go run . -out ../avx512_amd64.s -stubs
// ../avx512_amd64.go. It has a go.mod of its own, so that nobody who uses spherelab needs avo.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("amd64")
	blockNorm2()
	pushBlock2()
	sumSquares()
	pushScaled()
	rotate2()
	unrotate2()
	phase2()
	addRow()
	adamStep()
	expSlice()
	logisticSlice()
	prefetch()
	blocks3()
	Generate()
}
