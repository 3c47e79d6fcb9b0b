package simd

// avx512Blocks3 are the kernels for blocks of three.
func avx512Blocks3() Blocks3 {
	return Blocks3{
		BlockNorm3: blockNorm3AVX512, PushBlock3: pushBlock3AVX512,
		StretchNorm3: stretchNorm3AVX512, PushPoint3: pushPoint3AVX512, PushStretched3: pushStretched3AVX512,
		Rotate3: rotate3AVX512, Unrotate3: unrotate3AVX512, Scale3: scale3AVX512, Torque3: torque3AVX512, Stretch3: stretch3AVX512,
	}
}
