package simd

//go:generate -command family go run -C _generate . -pkg simd -family counts
//go:generate family -path AVX512 -out ../avx512_count_amd64.s -stubs ../avx512_count_amd64.go
//go:generate family -path AVX2 -out ../avx2_count_amd64.s -stubs ../avx2_count_amd64.go

func avx512Counts() Counts {
	return counted(Counts{
		Within: countWithinAVX512, Below: countBelowAVX512, First: firstWithinAVX512, Minima: minimaAVX512,
		Depths: depthsAVX512,
	})
}

func avx2Counts() Counts {
	return counted(Counts{
		Within: countWithinAVX2, Below: countBelowAVX2, First: firstWithinAVX2, Minima: minimaAVX2, Depths: depthsAVX2,
	})
}
