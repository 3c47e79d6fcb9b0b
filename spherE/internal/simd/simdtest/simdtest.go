// Package simdtest runs comparisons of kernels. A comparison that had nothing to compare does not pass.
package simdtest

import (
	"os"
	"runtime"
	"testing"
)

// vector names the paths that are compared with plain Go, with each way to compute roots, the least demanding first.
var vector = []string{"avx2/instruction", "avx2/sequence", "avx2/mixed", "avx512/instruction", "avx512/sequence",
	"avx512/mixed"}

// Each runs f as a subtest for each vector path with each way to compute roots, and first for plain Go if plain is set.
// choose is simd.Select. The subtest of a path that the machine cannot run is skipped, with what is missing. With
// CI=true that of the least demanding path fails, on the architecture that has vector kernels.
func Each[K any](t *testing.T, plain bool, choose func(path string) (K, error), f func(t *testing.T, kernels K)) {
	t.Helper()
	paths := vector
	if plain {
		paths = append([]string{"go"}, vector...)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) { f(t, one(t, path, choose)) })
	}
}

// Vector returns the kernels of the vector paths that the machine can run, for tests without subtests. Without any, the
// test ends as in Each.
func Vector[K any](tb testing.TB, choose func(path string) (K, error)) (all []K) {
	tb.Helper()
	for _, path := range vector {
		if k, err := choose(path); err == nil {
			all = append(all, k)
		}
	}
	if len(all) == 0 {
		one(tb, vector[0], choose)
	}
	return all
}

// one returns the kernels of a path, or ends the test.
func one[K any](tb testing.TB, path string, choose func(path string) (K, error)) K {
	tb.Helper()
	k, err := choose(path)
	switch {
	case err == nil:
	case path == vector[0] && runtime.GOARCH == "amd64" && os.Getenv("CI") == "true":
		tb.Fatalf("nothing to compare: %v", err)
	default:
		tb.Skipf("nothing to compare: %v", err)
	}
	return k
}
