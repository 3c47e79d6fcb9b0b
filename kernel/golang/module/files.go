package module

import (
	"errors"
	"fmt"
	"go/build"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Package is a package of a module, as files that are interpreted.
type Package struct {
	Path     string
	Module   string            // path@version; of a folder the path alone
	Language string            // the version of Go that its go.mod names, as go1.21
	Texts    map[string][]byte // Go files, by the name that messages have: module@version/file
	Dir      string

	shown string
	cgo   []string // names of files that import "C"
}

// read reads the files of a package that this machine's programs have, without cgo.
func read(path string, at found) (*Package, error) {
	c := build.Context{
		GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Compiler: "gc", BuildTags: tags,
		ReleaseTags: build.Default.ReleaseTags, ToolTags: build.Default.ToolTags,
	}
	p := &Package{Path: path, Module: at.module, Language: at.language, Dir: at.dir, shown: at.shown}
	b, err := c.ImportDir(at.dir, 0)
	if b != nil {
		p.cgo = p.findCgo(&c, b.IgnoredGoFiles)
	}
	var none *build.NoGoError
	switch {
	case errors.As(err, &none) && len(p.cgo) > 0:
		return nil, p.cgoError()
	case errors.As(err, &none):
		return nil, fmt.Errorf("package %q of %s has no Go files for %s/%s", path, at.module, c.GOOS, c.GOARCH)
	case err != nil:
		return nil, fmt.Errorf("package %q of %s: %w", path, at.module, err)
	case b.Name == "main":
		return nil, fmt.Errorf("%q is a program and not a package that can be imported", path)
	}
	p.Texts = make(map[string][]byte, len(b.GoFiles))
	for _, name := range b.GoFiles {
		text, err := os.ReadFile(filepath.Join(at.dir, name))
		if err != nil {
			return nil, fmt.Errorf("package %q: %w", path, err)
		}
		p.Texts[p.Shown(name)] = text
	}
	return p, nil
}

// Shown returns the name of a file in messages.
func (p *Package) Shown(name string) string { return p.shown + "/" + name }

// File returns where the file of a name in messages is.
func (p *Package) File(shown string) string {
	return filepath.Join(p.Dir, strings.TrimPrefix(shown, p.shown+"/"))
}

// Names are the names of the files in messages, sorted.
func (p *Package) Names() []string { return slices.Sorted(maps.Keys(p.Texts)) }

// findCgo returns which of the files that were left out need cgo.
func (p *Package) findCgo(c *build.Context, ignored []string) []string {
	with := *c
	with.CgoEnabled = true
	var names []string
	b, _ := with.ImportDir(p.Dir, 0) // where it fails, it failed without cgo
	for _, name := range b.CgoFiles {
		if slices.Contains(ignored, name) {
			names = append(names, name)
		}
	}
	return names
}

const remedy = `use a package in Go, or a kernel that it is linked into: docs/kernel.md, "Linking further packages"`

func (p *Package) cgoError() error {
	return fmt.Errorf("package %q needs cgo, which cells cannot use (%s imports \"C\"): %s", p.Path, p.Shown(p.cgo[0]),
		remedy)
}

// AssemblyError is the error for a function without a body. place is its file and line.
func (p *Package) AssemblyError(place, function string, isLinked bool) error {
	if isLinked {
		return fmt.Errorf("package %q needs a hidden function of another package, which cells cannot reach (%s, "+
			"%s:linkname): %s", p.Path, place+": func "+function, "//go", remedy)
	}
	return fmt.Errorf("package %q needs assembly, which cells cannot use (%s has no body in Go): %s", p.Path,
		place+": func "+function, remedy)
}

// CheckError adds to an error of the type checker what the package lacks without cgo.
func (p *Package) CheckError(err error) error {
	if len(p.cgo) == 0 {
		return err
	}
	return fmt.Errorf("%w (%w)", p.cgoError(), err)
}
