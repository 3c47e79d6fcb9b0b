// Package expect ends a test at a call that fails.
package expect

import "testing"

// NoError ends the test if a call failed. Helper has to find its caller, so it is called only then: benchmarks call
// NoError in their loops.
func NoError(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// Must ends the test if a call failed, and returns what the call returned otherwise.
func Must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		NoError(t, err)
		return v
	}
}
