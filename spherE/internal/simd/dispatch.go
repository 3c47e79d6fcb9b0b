package simd

import (
	"fmt"
	"strings"
)

// path is a set of kernels, and what the processor lacks to run it.
type path struct {
	name    string
	lacks   []string // features that this processor does not have
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
func Select(name string) (*Kernels, error) { return choose(paths(), name) }

func choose(all []path, name string) (*Kernels, error) {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.name
		switch {
		case name == "" && len(p.lacks) == 0:
			return p.kernels(), nil
		case name != p.name:
		case len(p.lacks) > 0:
			return nil, fmt.Errorf("SIMD path %q cannot run here: the processor lacks %s; leave it out for the fastest path",
				name, strings.Join(p.lacks, " and "))
		default:
			return p.kernels(), nil
		}
	}
	return nil, fmt.Errorf("SIMD path %q is unknown: use one of %s", name, strings.Join(names, ", "))
}
