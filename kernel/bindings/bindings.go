// Package bindings makes compiled packages importable in cells: ours, the standard library, gonum, sqlx and lib/pq.
// Cells reach a compiled package through a table of its functions, variables and types, which the program in folder
// generate writes with the documentation. The type checker knows our packages from reflection on their tables, and the
// others from embedded export data. The generic packages slices, maps and cmp are interpreted from embedded sources.
package bindings

import (
	"maps"
	"slices"
	"sync"

	"github.com/spherelab/spherelab/kernel/golang/compile"
)

//go:generate go run ./generate

// Table holds functions, variables and types of a package. Without export data it has constants too.
type Table = compile.Table

// Source is one package as the generator writes it.
type Source struct {
	Path string // import path
	Name string // package name
	// Table returns the bound declarations. Callers may change its maps.
	Table func() Table
	// Docs returns declaration and documentation by name: "" for the package, "Name", "Type.Method". Callers must not
	// change the map. May be nil.
	Docs func() map[string]string
}

// Set holds sources, one for each import path. It is safe for concurrent use.
type Set struct {
	sources map[string]Source

	mu   sync.Mutex
	docs map[string]map[string]string // of requested packages
}

// New makes a set. Of two sources with the same path the later one wins.
func New(sources ...Source) *Set {
	s := &Set{sources: make(map[string]Source, len(sources)), docs: map[string]map[string]string{}}
	for _, source := range sources {
		s.sources[source.Path] = source
	}
	return s
}

// All returns the sources of this package: our packages, the standard library, other modules.
func All() []Source {
	all := slices.Clone(generated)
	for _, path := range []string{"cmp", "iter", "maps", "slices"} { // these have no tables: they are interpreted
		all = append(all, Source{Path: path, Name: path, Table: func() Table { return Table{} }})
	}
	return withDocs(all)
}

// Paths returns the import paths, sorted.
func (s *Set) Paths() []string { return slices.Sorted(maps.Keys(s.sources)) }

// Doc returns declaration and documentation of a name in a package: "" for the package itself, "Name", "Type.Method".
func (s *Set) Doc(path, name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	docs, ok := s.docs[path]
	if !ok {
		source, ok := s.sources[path]
		if !ok || source.Docs == nil {
			return "", false
		}
		docs = source.Docs()
		s.docs[path] = docs
	}
	text, ok := docs[name]
	return text, ok
}
