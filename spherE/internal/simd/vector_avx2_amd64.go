package simd

//go:generate go run -C _generate . -path AVX2 -out ../avx2_amd64.s -stubs ../avx2_amd64.go -pkg simd

// avx2 returns the kernels for processors with AVX2.
func avx2() *Kernels {
	return &Kernels{
		Name: "avx2",
		Block2: Norm{
			Pair: blockNorm2AVX2, Push: pushBlock2AVX2, Rows: rowsNorm2AVX2,
			Gather: gatherNorm2AVX2, GatherPush: gatherPush2AVX2, OwnPush: ownPush2AVX2, Prefetches: true,
		},
		Block3: Norm{
			Pair: blockNorm3AVX2, Push: pushBlock3AVX2, Rows: rowsNorm3AVX2,
			Gather: gatherNorm3AVX2, GatherPush: gatherPush3AVX2, OwnPush: ownPush3AVX2, Prefetches: true,
		},
		Whole: Norm{
			Pair: sumSquaresAVX2, Push: pushScaledAVX2, Rows: rowsSquaresAVX2,
			Gather: gatherSquaresAVX2, GatherPush: gatherPushScaledAVX2, OwnPush: ownPushScaledAVX2, Prefetches: true,
		},
		Rotate2: rotate2AVX2, Unrotate2: unrotate2AVX2, Phase2: phase2AVX2, Turn2: turn2AVX2,
		Add:      addAVX2,
		Adam:     adamOf(adamAVX2),
		Prefetch: prefetchAVX2,
		Space:    avx2Space(),
		Many:     avx2Many(),
		Stretched: stretchedOf(stretchNorm3AVX2, pushStretched3AVX2, gatherStretched3AVX2,
			gatherPushStretched3AVX2, ownPushStretched3AVX2),
		Exp: expAVX2, Logistic: logisticAVX2,
		Counts: avx2Counts(), Comparisons: avx2Comparisons(), Sums: avx2Sums(),
		Network: avx2Network(),
		Dot:     dotNorm(avx2Comparisons(), avx2Sums()),
	}
}

func avx2Space() Space {
	return Space{
		StretchNorm3: stretchNorm3AVX2, PushStretched3: pushStretched3AVX2,
		Rotate3: rotate3AVX2, Unrotate3: unrotate3AVX2, Scale3: scale3AVX2, Torque3: torque3AVX2,
		Stretch3: stretch3AVX2,
	}
}
