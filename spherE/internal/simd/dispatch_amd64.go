package simd

import "golang.org/x/sys/cpu"

// paths lists the implementations for this architecture, the fastest first.
func paths() []path {
	has := func(features ...feature) (lacks []string) {
		for _, f := range features {
			if !f.here {
				lacks = append(lacks, f.name)
			}
		}
		return lacks
	}
	x := cpu.X86
	return []path{
		{"avx512", has(
			feature{"AVX512F", x.HasAVX512F}, feature{"AVX512DQ", x.HasAVX512DQ}, feature{"AVX512VL", x.HasAVX512VL},
		), avx512},
		{"avx2", has(feature{"AVX2", x.HasAVX2}), avx2},
		{"go", nil, Go},
	}
}

// feature is an instruction set that a path needs.
type feature struct {
	name string
	here bool
}
