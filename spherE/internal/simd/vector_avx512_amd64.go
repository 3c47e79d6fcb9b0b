package simd

//go:generate go run -C _generate . -path AVX512 -out ../avx512_amd64.s -stubs ../avx512_amd64.go -pkg simd

// avx512 returns the kernels for processors with AVX-512 F, DQ and VL.
func avx512() *Kernels {
	return &Kernels{
		Name: "avx512",
		Block2: Norm{
			Pair: blockNorm2AVX512, Push: pushBlock2AVX512, Rows: rowsNorm2AVX512,
			Gather: gatherNorm2AVX512, GatherPush: gatherPush2AVX512, OwnPush: ownPush2AVX512,
			Prefetches: true,
		},
		Block3: Norm{
			Pair: blockNorm3AVX512, Push: pushBlock3AVX512, Rows: rowsNorm3AVX512,
			Gather: gatherNorm3AVX512, GatherPush: gatherPush3AVX512, OwnPush: ownPush3AVX512,
			Prefetches: true,
		},
		Whole: Norm{
			Pair: sumSquaresAVX512, Push: pushScaledAVX512, Rows: rowsSquaresAVX512,
			Gather: gatherSquaresAVX512, GatherPush: gatherPushScaledAVX512, OwnPush: ownPushScaledAVX512,
			Prefetches: true,
		},
		Rotate2: rotate2AVX512, Unrotate2: unrotate2AVX512, Phase2: phase2AVX512, Turn2: turn2AVX512,
		Add:      addAVX512,
		Adam:     adamOf(adamAVX512),
		Prefetch: prefetchAVX512,
		Space:    avx512Space(),
		Many:     avx512Many(),
		Stretched: stretchedOf(stretchNorm3AVX512, pushStretched3AVX512, gatherStretched3AVX512,
			gatherPushStretched3AVX512, ownPushStretched3AVX512),
		Exp: expAVX512, Logistic: logisticAVX512,
		Counts: avx512Counts(), Comparisons: avx512Comparisons(), Sums: avx512Sums(),
		Network: avx512Network(),
		Dot:     dotNorm(avx512Comparisons(), avx512Sums()),
	}
}

func avx512Space() Space {
	return Space{
		StretchNorm3: stretchNorm3AVX512, PushStretched3: pushStretched3AVX512,
		Rotate3: rotate3AVX512, Unrotate3: unrotate3AVX512, Scale3: scale3AVX512,
		Torque3: torque3AVX512, Stretch3: stretch3AVX512,
	}
}
