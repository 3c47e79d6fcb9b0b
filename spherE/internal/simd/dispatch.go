package simd

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// path is a set of kernels, and what the processor lacks to run it.
type path struct {
	name  string
	lacks []string // features that this processor does not have
	// roots lists the ways to compute roots and quotients, that by instruction first. All kernels of one way are the
	// path's own, apart from those of families.
	roots []way
}

// way is one way to compute roots and quotients.
type way struct {
	name    string
	lacks   []string
	kernels func() *Kernels
}

// The names of ways. Mixed computes some vectors by instruction and some by sequence, so that both units of the
// processor are busy; see _generate/root.go.
const (
	Instruction = "instruction"
	Sequence    = "sequence"
	Mixed       = "mixed"
)

// Paths lists the implementations that this machine can run, the fastest first, with the fastest ways to compute roots.
func Paths() []*Kernels {
	var all []*Kernels
	for _, p := range paths() {
		if len(p.lacks) == 0 {
			all = append(all, p.fastest())
		}
	}
	return all
}

// Select returns the path called name ("go", "avx2", "avx512"), or the fastest one for an empty name. "avx2/sequence"
// or "/sequence" also says how roots are computed. Without it the ways of the path are measured, once in a process.
func Select(name string) (*Kernels, error) { return choose(paths(), name) }

// Check returns the name of the path that Select would return, or Select's error. It measures nothing.
func Check(name string) (path string, err error) {
	p, _, err := find(paths(), name)
	return p.name, err
}

func choose(all []path, name string) (*Kernels, error) {
	p, w, err := find(all, name)
	switch {
	case err != nil:
		return nil, err
	case w == nil:
		return p.fastest(), nil
	}
	return w.of(p), nil
}

// find returns a path and the way that its name demands, or nil.
func find(all []path, name string) (path, *way, error) {
	name, roots, _ := strings.Cut(name, "/")
	i := slices.IndexFunc(all, func(p path) bool { return p.name == name || name == "" && len(p.lacks) == 0 })
	if i < 0 {
		names := make([]string, len(all))
		for i, p := range all {
			names[i] = p.name
		}
		return path{}, nil, fmt.Errorf("SIMD path %q is unknown: use one of %s", name, strings.Join(names, ", "))
	}
	p := all[i]
	if len(p.lacks) > 0 {
		return path{}, nil, fmt.Errorf(
			"SIMD path %q cannot run here: the processor lacks %s; leave it out for the fastest path", name,
			strings.Join(p.lacks, " and "))
	}
	if roots == "" {
		return p, nil, nil
	}
	i = slices.IndexFunc(p.roots, func(w way) bool { return w.name == roots })
	switch {
	case i >= 0 && len(p.roots[i].lacks) == 0:
		return p, &p.roots[i], nil
	case i >= 0:
		return path{}, nil, fmt.Errorf(
			"roots by %q cannot run here: the processor lacks %s; leave it out for the fastest way", roots,
			strings.Join(p.roots[i].lacks, " and "))
	case roots == Sequence || roots == Mixed:
		return path{}, nil, fmt.Errorf("roots by %q cannot run on SIMD path %q: use %q, or leave it out", roots, p.name,
			Instruction)
	}
	return path{}, nil, fmt.Errorf("roots by %q are unknown: use one of %s", roots,
		strings.Join([]string{Instruction, Sequence, Mixed}, ", "))
}

// of returns the kernels of a path with all roots computed in one way.
func (w way) of(p path) *Kernels {
	k := w.kernels()
	k.Name, k.Roots = p.name, w.name
	return k
}

// String returns the name that Select takes for these kernels, if all roots are computed in one way.
func (k *Kernels) String() string { return k.Name + "/" + k.Roots }

// chosen has the kernels of the paths that Select has measured.
var chosen sync.Map

// fastest returns the kernels of a path with the fastest way for each family.
func (p path) fastest() *Kernels {
	if k, ok := chosen.Load(p.name); ok {
		copied := *k.(*Kernels)
		return &copied
	}
	var all []*Kernels
	for _, w := range p.roots {
		if len(w.lacks) == 0 {
			all = append(all, w.of(p))
		}
	}
	k := all[0]
	if len(all) > 1 {
		k = quickest(all)
	}
	first, _ := chosen.LoadOrStore(p.name, k)
	copied := *first.(*Kernels)
	return &copied
}

// plainRoots are the ways of plain Go.
var plainRoots = []way{{Instruction, nil, Go}}
