// Package bindings makes compiled packages importable in cells: ours, the standard library in today's form, and gonum. The interpreter knows a compiled
// package by a table of its functions, variables, constants and types; the tables here are written by the program in folder generate and come with the
// packages' documentation. What the interpreter's own tables already have of the standard library is not repeated.
//
// Generic functions cannot be called from cells. For those of slices, maps and cmp there are twins in this package that work by reflection.
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
	Path     string // import path
	Name     string // package name
	Synopsis string // first sentence of its documentation
	// Table gives the bound declarations. For packages that the interpreter knows already, only what is missing there.
	Table func() imports.Package
	// Docs gives declaration and documentation by name: "" for the package, "Name", "Type.Method".
	Docs func() map[string]string
}

// Set is a number of sources, one for each import path. It is safe for concurrent use.
type Set struct {
	sources map[string]Source

	mu   sync.Mutex
	docs map[string]map[string]string // of the packages that were asked for
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
	return append(append([]Source(nil), generated...), twins()...)
}

// Packages gives the complete tables, by import path: what the interpreter knows of a package with what its source adds.
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

// copied copies the tables of a package: merging writes into them, and these are the interpreter's.
func copied(p imports.Package) imports.Package {
	return imports.Package{Name: p.Name, Binds: maps.Clone(p.Binds), Types: maps.Clone(p.Types), Proxies: maps.Clone(p.Proxies),
		Untypeds: maps.Clone(p.Untypeds), Wrappers: maps.Clone(p.Wrappers)}
}

// Paths gives the import paths, sorted.
func (s *Set) Paths() []string { return slices.Sorted(maps.Keys(s.sources)) }

// Synopsis is the first sentence of a package's documentation, "" for packages that are not in the set.
func (s *Set) Synopsis(path string) string { return s.sources[path].Synopsis }

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
