package simd

import (
	"fmt"
	"strings"
)

// path is a set of kernels and what a processor needs to run it.
type path struct {
	name    string
	lacks   []string // what this processor does not have
	kernels func() *Kernels
}

// Paths lists the implementations that this machine can run, the fastest first.
func Paths() []*Kernels {
	var all []*Kernels
	for _, p := range paths() {
		if len(p.lacks) == 0 {
			all = append(all, p.kernels())
		}
	}
	return all
}

// Select returns the path called name ("go", "avx2", "avx512"), or the fastest one for an empty name.
func Select(name string) (*Kernels, error) {
	if name == "" {
		return Paths()[0], nil
	}
	var names []string
	for _, p := range paths() {
		if p.name != name {
			names = append(names, p.name)
			continue
		}
		if len(p.lacks) > 0 {
			return nil, fmt.Errorf("SIMD path %q cannot run on this machine: its processor lacks %s", name, strings.Join(p.lacks, ", "))
		}
		return p.kernels(), nil
	}
	return nil, fmt.Errorf("SIMD path %q is unknown: use one of %s", name, strings.Join(names, ", "))
}
