package simd

import "golang.org/x/sys/cpu"

// paths lists the implementations for this architecture, the fastest first.
func paths() []path {
	has := func(features ...feature) (lacks []string) {
		for _, f := range features {
			if !f.isAvailable {
				lacks = append(lacks, f.name)
			}
		}
		return lacks
	}
	x := cpu.X86
	fused := has(feature{"FMA", x.HasFMA})
	return []path{
		{"avx512", has(
			feature{"AVX512F", x.HasAVX512F}, feature{"AVX512DQ", x.HasAVX512DQ}, feature{"AVX512VL", x.HasAVX512VL},
		), []way{{Instruction, nil, avx512}, {Sequence, nil, avx512Sequence}, {Mixed, nil, avx512Mixed}}},
		{"avx2", has(feature{"AVX2", x.HasAVX2}),
			[]way{{Instruction, nil, avx2}, {Sequence, fused, avx2Sequence}, {Mixed, fused, avx2Mixed}}},
		{"go", nil, plainRoots},
	}
}

// feature is an instruction set that a path needs.
type feature struct {
	name        string
	isAvailable bool
}
