package simd

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	named := func(name string) func() *Kernels { return func() *Kernels { return &Kernels{Name: name} } }
	all := []path{{"wide", []string{"WIDE", "BIT"}, nil}, {"narrow", nil, named("narrow")}, {"go", nil, named("go")}}
	for name, want := range map[string]string{"": "narrow", "narrow": "narrow", "go": "go"} {
		if k, err := choose(all, name); err != nil || k.Name != want {
			t.Errorf("choose(%q) = %v, %v; want %s", name, k, err, want)
		}
	}
	if _, err := choose(all, "wide"); err == nil || !strings.Contains(err.Error(), "lacks WIDE and BIT") {
		t.Errorf("a path that cannot run gives %v", err)
	}
	if _, err := choose(all, "mmx"); err == nil || !strings.Contains(err.Error(), "wide, narrow, go") {
		t.Errorf("an unknown path gives %v", err)
	}
}

// TestPathsOfThisMachine checks the names of the paths and that the fastest comes first.
func TestPathsOfThisMachine(t *testing.T) {
	t.Parallel()
	order := map[string]int{"avx512": 0, "avx2": 1, "go": 2}
	last := -1
	for _, k := range Paths() {
		at, ok := order[k.Name]
		if !ok || at <= last {
			t.Errorf("path %q is out of order", k.Name)
		}
		last = at
	}
	if last != order["go"] {
		t.Error("plain Go is not the last path")
	}
	for name := range order {
		k, err := Select(name)
		if err == nil && k.Name != name {
			t.Errorf("Select(%q) gives %s", name, k.Name)
		}
		if err != nil && !strings.Contains(err.Error(), "lacks") {
			t.Errorf("Select(%q): %v", name, err)
		}
	}
}
