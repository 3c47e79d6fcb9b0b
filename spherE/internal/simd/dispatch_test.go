package simd

import (
	"fmt"
	"maps"
	structs "reflect"
	"strings"
	"testing"
	"unsafe"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	ways := func(lacks ...string) []way {
		return []way{{Instruction, nil, Go}, {Sequence, lacks, Go}, {Mixed, lacks, Go}}
	}
	all := []path{{"wide", []string{"WIDE", "BIT"}, ways()}, {"narrow", nil, ways()}, {"old", nil, ways("FUSED")},
		{"go", nil, plainRoots}}
	for name, want := range map[string]string{
		"narrow/instruction": "narrow instruction", "narrow/sequence": "narrow sequence", "/mixed": "narrow mixed",
		"go": "go instruction", "go/instruction": "go instruction", "old": "old instruction",
	} {
		k, err := choose(all, name)
		if err != nil || k.Name+" "+k.Roots != want {
			t.Errorf("choose(%q) = %v, %v; want %s", name, k, err, want)
		}
	}
	for _, name := range []string{"", "narrow"} {
		k, err := choose(all, name)
		if err != nil || k.Name != "narrow" || k.Roots == "" {
			t.Errorf("choose(%q) = %v, %v; want the fastest ways of narrow", name, k, err)
		}
	}
	for name, want := range map[string]string{
		"wide":          `"wide" cannot run here: the processor lacks WIDE and BIT`,
		"mmx":           "wide, narrow, old, go",
		"narrow/newton": `roots by "newton" are unknown: use one of instruction, sequence, mixed`,
		"go/mixed":      `roots by "mixed" cannot run on SIMD path "go": use "instruction"`,
		"old/sequence":  `roots by "sequence" cannot run here: the processor lacks FUSED`,
	} {
		if _, err := choose(all, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("choose(%q) returns %v, want %s", name, err, want)
		}
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
			t.Errorf("Select(%q) returns %s", name, k.Name)
		}
		if err != nil && !strings.Contains(err.Error(), "lacks") {
			t.Errorf("Select(%q): %v", name, err)
		}
		if checked, checkErr := Check(name); (checkErr == nil) != (err == nil) || err == nil && checked != name {
			t.Errorf("Check(%q) = %q, %v; Select: %v", name, checked, checkErr, err)
		}
	}
}

// TestEveryKernelHasAFamily holds that no kernel with a root is forgotten when ways are chosen: every kernel that a way
// replaces comes from it.
func TestEveryKernelHasAFamily(t *testing.T) {
	t.Parallel()
	for _, p := range paths() {
		if len(p.lacks) > 0 {
			continue
		}
		var all []*Kernels
		for _, w := range p.roots {
			all = append(all, w.of(p))
		}
		for i := range all {
			got := functions(assemble(all, func(family) int { return i }))
			want := functions(all[i])
			if !maps.Equal(got, want) {
				t.Errorf("%s: all families by %s are other kernels than that way has:\n%v\n%v", p.name, all[i].Roots, got,
					want)
			}
		}
		last := len(all) - 1
		for _, f := range families {
			k := assemble(all, func(other family) int {
				if other.name == f.name {
					return last
				}
				return 0
			})
			same := maps.Equal(functions(k), functions(all[0]))
			if last > 0 && (same || k.Roots != fmt.Sprintf("%s: %s", all[last].Roots, f.name) &&
				!strings.Contains(k.Roots, ", "+all[last].Roots+": "+f.name)) {
				t.Errorf("%s: family %s alone gives %q, and changed no kernel: %v", p.name, f.name, k.Roots, same)
			}
		}
	}
}

// functions returns the address of every function of those kernels of k that compute roots in several ways and their
// neighbours: of its code, or of what a closure has captured.
func functions(k *Kernels) map[string]unsafe.Pointer {
	all := map[string]unsafe.Pointer{}
	var walk func(name string, v structs.Value)
	walk = func(name string, v structs.Value) {
		switch v.Kind() {
		case structs.Struct:
			for i := range v.NumField() {
				walk(name+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case structs.Func:
			all[name] = *(*unsafe.Pointer)(v.Addr().UnsafePointer())
		}
	}
	for _, part := range []any{&k.Block2, &k.Block3, &k.Whole, &k.Stretched, &k.Space, &k.Adam} {
		walk(fmt.Sprint(len(all)), structs.ValueOf(part).Elem())
	}
	return all
}
