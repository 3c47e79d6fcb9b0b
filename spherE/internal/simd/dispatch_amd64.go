package simd

import "golang.org/x/sys/cpu"

// Paths lists the implementations that this machine can run, the fastest first.
func Paths() []*Kernels {
	paths := []*Kernels{Go()}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL {
		paths = append([]*Kernels{avx512()}, paths...)
	}
	return paths
}
