package simd

//go:generate -command family go run -C _generate . -pkg simd -family sums
//go:generate family -path AVX512 -out ../avx512_sum_amd64.s -stubs ../avx512_sum_amd64.go
//go:generate family -path AVX2 -out ../avx2_sum_amd64.s -stubs ../avx2_sum_amd64.go

func avx512Sums() Sums {
	return Sums{Combine: blocked(combine4AVX512, combine1AVX512), AddScaled: addScaledAVX512,
		Adagrad: adagradAVX512}
}

func avx2Sums() Sums {
	return Sums{Combine: blocked(combine4AVX2, combine1AVX2), AddScaled: addScaledAVX2,
		Adagrad: adagradAVX2}
}
