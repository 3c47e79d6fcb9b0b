//go:build !amd64

package simd

// Paths lists the implementations that this machine can run, the fastest first.
func Paths() []*Kernels { return []*Kernels{Go()} }
