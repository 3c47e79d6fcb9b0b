package simd

import (
	"fmt"
	"strings"
)

// Select returns the path called name ("go", "avx512"), or the fastest one for an empty name.
func Select(name string) (*Kernels, error) {
	paths := Paths()
	if name == "" {
		return paths[0], nil
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	return nil, fmt.Errorf("SIMD path %q cannot run on this machine; it has %s", name, strings.Join(names, ", "))
}
