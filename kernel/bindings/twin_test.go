package bindings_test

import (
	"strings"
	"testing"
)

// The documentation says which packages are not linked, and which results of the twins have to be asserted.
func TestWhatTheTwinsAndImportsPromise(t *testing.T) {
	s := start(t)
	for _, path := range []string{"syscall", "iter", "unique", "testing/synctest"} {
		if o := s.run("import \"" + path + "\""); o.failure == nil ||
			!strings.Contains(o.failure.Value, "is not among the standard library's packages") {
			t.Errorf("import of %s: %+v", path, o)
		}
	}
	s.run("import (\"slices\"; \"maps\")\nxs := []int{3, 1}\nm := map[string]int{\"a\": 1}\nkeys := maps.Keys(m)")
	for code, want := range map[string]string{
		"slices.Clone(xs)[0] + 1":                "4",
		"slices.Sorted(maps.Keys(m))[0] + \"x\"": "ax",
		"slices.Sorted(keys).([]string)[0]":      "a",
	} {
		if o := s.run(code); o.failure != nil || o.value != want {
			t.Errorf("%s: %q, %v, want %s", code, o.value, o.failure, want)
		}
	}
	for code, want := range map[string]string{"slices.Sorted(keys)[0]": "interface",
		"slices.Insert(xs, 0, xs...)": "cannot use"} {
		if o := s.run(code); o.failure == nil || !strings.Contains(o.failure.Value, want) {
			t.Errorf("%s: %q, %v, want an error with %q", code, o.value, o.failure, want)
		}
	}
}
