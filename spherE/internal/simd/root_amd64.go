package simd

//go:generate -command kernels go run -C _generate . -pkg simd
//go:generate kernels -path AVX512 -roots Sequence -out ../avx512_sequence_amd64.s -stubs ../avx512_sequence_amd64.go
//go:generate kernels -path AVX512 -roots Mixed -out ../avx512_mixed_amd64.s -stubs ../avx512_mixed_amd64.go
//go:generate kernels -path AVX2 -roots Sequence -out ../avx2_sequence_amd64.s -stubs ../avx2_sequence_amd64.go
//go:generate kernels -path AVX2 -roots Mixed -out ../avx2_mixed_amd64.s -stubs ../avx2_mixed_amd64.go

// Why sequences give the bits of the instructions (_generate/root.go emits them, root_amd64_test.go computes them in
// plain Go). u is 2^-24, half of the relative distance of floats.
//
// Root: y is an estimate of 1/sqrt(x) with a relative error of at most 2^-14 (rsqrt14) or 1.5*2^-12 (rsqrtps; Intel 64
// and IA-32 Architectures Software Developer's Manual, volume 2). A first step for rsqrtps makes that less than 2u.
// Then g = x*y and h = y/2 approximate sqrt(x) and half of its reciprocal; one coupled Newton step, r = 1/2 - g*h, g +=
// g*r, h += h*r, leaves errors of at most 1.6u in both: half of the rounding of x*y, 1.5*2^-28, and the last rounding.
// The residual d = x - g*g is exact but for u of itself, and g + d*h, before it is rounded, is within 5.4u^2 < 2^-45 of
// sqrt(x). So it rounds as sqrt(x) does unless the middle of two floats is that near. Few x have such a root: see
// hardRoots. TestHardRoots computes each from every estimate that the bounds allow. (The method is that of Cornea,
// Harrison and Tang, "Scientific Computing on Itanium-based Systems", 2002.)
//
// Quotient: y = 2h, or an estimate of 1/b after one Newton step, is within 3.3u of 1/b. A step with e = 1 - b*y + 2^-44
// gives y(1+e), which is above 1/b by less than 2^-43 before it is rounded, so y is the float nearest to 1/b, or the
// one above if the middle of both is that near. Without 2^-44 it is always below 1/b, and the quotients of 2^k by
// 2-2^-23 would be wrong (Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990,
// has the same exception). q = a*y is within 1.5 units of the last place of a/b, r = a - b*q is exact but for u of
// itself, and q + r*y is within 3.1u units of a/b before it is rounded. So it rounds as a/b does, unless A 2^s - B M =
// rest with |rest| <= 6 for the integers A and B of a and b and an odd M. TestHardQuotients computes all of those.
//
// Nothing depends on the exponents as long as nothing overflows or loses bits below 2^-149. Roots of at least 2^-50 and
// weights from 2^-60 to 2^60 are far from both. All other lanes are found by one comparison, and their vectors or rows
// are computed by instruction.

func avx512Sequence() *Kernels {
	k := avx512()
	k.Block2.Rows, k.Block2.Gather = rowsNorm2AVX512Sequence, gatherNorm2AVX512Sequence
	k.Block2.GatherPush, k.Block2.OwnPush = gatherPush2AVX512Sequence, ownPush2AVX512Sequence
	k.Block3.Rows, k.Block3.Gather = rowsNorm3AVX512Sequence, gatherNorm3AVX512Sequence
	k.Block3.GatherPush, k.Block3.OwnPush = gatherPush3AVX512Sequence, ownPush3AVX512Sequence
	k.StretchNorm3, k.Adam = stretchNorm3AVX512Sequence, adamOf(adamAVX512Sequence)
	k.Stretched = stretchedOf(stretchNorm3AVX512Sequence, pushStretched3AVX512, gatherStretched3AVX512Sequence,
		gatherPushStretched3AVX512Sequence, ownPushStretched3AVX512Sequence)
	return k
}

func avx512Mixed() *Kernels {
	k := avx512()
	k.Block2.Rows, k.Block2.Gather = rowsNorm2AVX512Mixed, gatherNorm2AVX512Mixed
	k.Block2.GatherPush, k.Block2.OwnPush = gatherPush2AVX512Mixed, ownPush2AVX512Mixed
	k.Block3.Rows, k.Block3.Gather = rowsNorm3AVX512Mixed, gatherNorm3AVX512Mixed
	k.Block3.GatherPush, k.Block3.OwnPush = gatherPush3AVX512Mixed, ownPush3AVX512Mixed
	k.StretchNorm3, k.Adam = stretchNorm3AVX512Mixed, adamOf(adamAVX512Mixed)
	k.Stretched = stretchedOf(stretchNorm3AVX512Mixed, pushStretched3AVX512, gatherStretched3AVX512Mixed,
		gatherPushStretched3AVX512Mixed, ownPushStretched3AVX512Mixed)
	return k
}

func avx2Sequence() *Kernels {
	k := avx2()
	k.Block2.Rows, k.Block2.Gather = rowsNorm2AVX2Sequence, gatherNorm2AVX2Sequence
	k.Block2.GatherPush, k.Block2.OwnPush = gatherPush2AVX2Sequence, ownPush2AVX2Sequence
	k.Block3.Rows, k.Block3.Gather = rowsNorm3AVX2Sequence, gatherNorm3AVX2Sequence
	k.Block3.GatherPush, k.Block3.OwnPush = gatherPush3AVX2Sequence, ownPush3AVX2Sequence
	k.StretchNorm3, k.Adam = stretchNorm3AVX2Sequence, adamOf(adamAVX2Sequence)
	k.Stretched = stretchedOf(stretchNorm3AVX2Sequence, pushStretched3AVX2, gatherStretched3AVX2Sequence,
		gatherPushStretched3AVX2Sequence, ownPushStretched3AVX2Sequence)
	return k
}

func avx2Mixed() *Kernels {
	k := avx2()
	k.Block2.Rows, k.Block2.Gather = rowsNorm2AVX2Mixed, gatherNorm2AVX2Mixed
	k.Block2.GatherPush, k.Block2.OwnPush = gatherPush2AVX2Mixed, ownPush2AVX2Mixed
	k.Block3.Rows, k.Block3.Gather = rowsNorm3AVX2Mixed, gatherNorm3AVX2Mixed
	k.Block3.GatherPush, k.Block3.OwnPush = gatherPush3AVX2Mixed, ownPush3AVX2Mixed
	k.StretchNorm3, k.Adam = stretchNorm3AVX2Mixed, adamOf(adamAVX2Mixed)
	k.Stretched = stretchedOf(stretchNorm3AVX2Mixed, pushStretched3AVX2, gatherStretched3AVX2Mixed,
		gatherPushStretched3AVX2Mixed, ownPushStretched3AVX2Mixed)
	return k
}

// adamOf makes a kernel of one that has the constants as parameters.
func adamOf(
	f func(p, m, v, g []float32, beta1, rest1, beta2, rest2, rate, root, epsilon float32, next int),
) func(p, m, v, g []float32, a *Adam, next int) {
	return func(p, m, v, g []float32, a *Adam, next int) {
		f(p, m, v, g, a.Beta1, a.OneMinusBeta1, a.Beta2, a.OneMinusBeta2, a.Rate, a.InverseRoot, a.Epsilon, next)
	}
}

// stretchedOf makes the norm of stretched rows from kernels that keep no lengths.
func stretchedOf(
	pair func(point, c []float32) float32,
	push func(g, point, c []float32, w float32),
	gather func(dst, point, table []float32, row []int32),
	gatherPush func(g, point, table []float32, row []int32, weight []float32),
	ownPush func(g, own, table []float32, pull []uint64),
) Norm {
	return Norm{
		Pair: pair, Push: push, Rows: stretchedRows(pair), OwnPush: ownPush,
		Gather: func(dst, _, q, table []float32, row []int32) { gather(dst, q, table, row) },
		GatherPush: func(g, q, table []float32, row, _ []int32, weight, _ []float32) {
			gatherPush(g, q, table, row, weight)
		},
	}
}
