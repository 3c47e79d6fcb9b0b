package simd

//go:generate go run -C _generate . -out ../avx512_amd64.s -stubs ../avx512_amd64.go -pkg simd

// avx512 returns the kernels for processors with AVX-512 F, DQ and VL.
func avx512() *Kernels {
	return &Kernels{
		Name:       "avx512",
		BlockNorm2: blockNorm2AVX512, PushBlock2: pushBlock2AVX512,
		SumSquares: sumSquaresAVX512, PushScaled: pushScaledAVX512,
		Rotate2: rotate2AVX512, Unrotate2: unrotate2AVX512, Phase2: phase2AVX512,
		Add: addAVX512,
		Adam: func(p, m, v, g []float32, a *Adam) {
			adamAVX512(p, m, v, g, a.Beta1, a.OneMinusBeta1, a.Beta2, a.OneMinusBeta2, a.Rate, a.InverseRoot, a.Epsilon)
		},
		Prefetch: prefetchAVX512,
		Exp:      expAVX512, Logistic: logisticAVX512,
		Blocks3: avx512Blocks3(),
	}
}
