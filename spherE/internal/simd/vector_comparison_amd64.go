package simd

//go:generate -command family go run -C _generate . -pkg simd -family comparisons
//go:generate family -path AVX512 -out ../avx512_comparison_amd64.s -stubs ../avx512_comparison_amd64.go
//go:generate family -path AVX2 -out ../avx2_comparison_amd64.s -stubs ../avx2_comparison_amd64.go

func avx512Comparisons() Comparisons {
	return Comparisons{
		DotRows:  tiled(1, 4, dot1x4AVX512, dot1x1AVX512),
		Products: tiled(4, 4, dot4x4AVX512, dot1x1AVX512),
	}
}

func avx2Comparisons() Comparisons {
	return Comparisons{
		DotRows:  tiled(1, 4, dot1x4AVX2, dot1x1AVX2),
		Products: tiled(2, 2, dot2x2AVX2, dot1x1AVX2),
	}
}
