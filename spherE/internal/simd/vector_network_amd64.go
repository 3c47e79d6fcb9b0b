package simd

//go:generate -command family go run -C _generate . -pkg simd -family network
//go:generate family -path AVX512 -out ../avx512_network_amd64.s -stubs ../avx512_network_amd64.go
//go:generate family -path AVX2 -out ../avx2_network_amd64.s -stubs ../avx2_network_amd64.go

func avx512Network() Network {
	return Network{
		Messages:  messagesAVX512,
		Linear:    inTiles(linear4x1AVX512, linear1x1AVX512, linear4x4AVX512),
		Normalize: counting(normalizeAVX512), Rectified: rectifiedAVX512,
	}
}

func avx2Network() Network {
	return Network{
		Messages:  messagesAVX2,
		Linear:    inTiles(linear4x1AVX2, linear1x1AVX2, nil),
		Normalize: counting(normalizeAVX2), Rectified: rectifiedAVX2,
	}
}

// counting passes a kernel of Network.Normalize the length of rows as a float.
func counting(
	kernel func(dst []float32, dstPitch int, src []float32, srcPitch int, rows, gain, shift []float32,
		epsilon, count float32),
) func([]float32, int, []float32, int, []float32, []float32, []float32, float32) {
	return func(dst []float32, dstPitch int, src []float32, srcPitch int, rows, gain, shift []float32,
		epsilon float32) {
		kernel(dst, dstPitch, src, srcPitch, rows, gain, shift, epsilon, float32(len(gain)))
	}
}
