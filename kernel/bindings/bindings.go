// Package bindings makes compiled packages importable in cells: ours, the standard library as of today, and gonum. The
// interpreter reaches a compiled package through a table of its functions, variables, constants and types. The program
// in
// folder generate writes the tables and the documentation. Parts of the standard library for which the interpreter has
// tables of its own are not repeated.
//
// Generic functions cannot be called from cells. Those of slices, maps and cmp have twins here that work by reflection.
package bindings

import (
	"maps"
	"slices"
	"sync"

	"github.com/cosmos72/gomacro/imports"
)

//go:generate go run ./generate

// Source is one package as the generator writes it.
type Source struct {
	Path string // import path
	Name string // package name
	// Table gives the bound declarations. For packages that the interpreter knows already, only what is missing there.
	Table func() imports.Package
	// Docs gives declaration and documentation by name: "" for the package, "Name", "Type.Method". Callers must not
	// change
	// the map. May be nil.
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

// All gives the sources of this package: our packages, the standard library, gonum.
func All() []Source {
	return append(withDocs(slices.Clone(generated)), twins()...)
}

// Packages gives the complete tables by import path: the interpreter's own table of a package and what its source adds.
func (s *Set) Packages() imports.PackageMap {
	packages := make(imports.PackageMap, len(s.sources))
	for path, source := range s.sources {
		if known, ok := imports.Packages[path]; ok {
			packages.MergePackage(path, imports.PackageUnderlying(copied(known)))
		}
		packages.MergePackage(path, imports.PackageUnderlying(source.Table()))
	}
	return packages
}

// copied copies the tables of a package, because merging writes into them and these belong to the interpreter.
func copied(p imports.Package) imports.Package {
	return imports.Package{
		Name: p.Name, Binds: maps.Clone(p.Binds), Types: maps.Clone(p.Types), Proxies: maps.Clone(p.Proxies),
		Untypeds: maps.Clone(p.Untypeds), Wrappers: maps.Clone(p.Wrappers),
	}
}

// Paths gives the import paths, sorted.
func (s *Set) Paths() []string { return slices.Sorted(maps.Keys(s.sources)) }

// Doc gives declaration and documentation of a name in a package: "" for the package itself, "Name", "Type.Method".
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
