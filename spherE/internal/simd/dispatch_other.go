//go:build !amd64

package simd

// paths lists the implementations for this architecture, the fastest first.
func paths() []path {
	vector := []string{"the amd64 architecture"}
	return []path{{"avx512", vector, nil}, {"avx2", vector, nil}, {"go", nil, plainRoots}}
}
