// Package module finds packages that are not linked: those of the modules that a go.mod requires, as files that the
// kernel interprets. The go.mod is that of the notebooks' folder, which [Folder.Get] writes, or the user's own, which
// is only read.
package module

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
)

// Name is the module path in a go.mod that belongs to notebooks. Get changes no other.
const Name = "notebook"

// Folder is a folder with notebooks. It is safe for concurrent use.
type Folder struct {
	dir    string
	linked []string // paths of linked packages
	// version returns the version of a linked module; "" if it is unknown.
	version func(path string) string

	mu    sync.Mutex
	known map[string]found // packages, by path
	stamp string           // of the go.mod and go.sum that known was made with

	used map[string]string // versions of modules with a package that was read, by path
}

// found is where a package is, or why it cannot be used.
type found struct {
	dir      string
	shown    string // the folder as messages name it
	module   string // path@version; of a folder the path alone
	language string // of its go.mod, as go1.21
	err      error
}

// New returns a folder. linked are the paths of the packages that are linked and so never taken from a module.
func New(dir string, linked []string) *Folder {
	return &Folder{dir: dir, linked: linked, known: map[string]found{}, used: map[string]string{},
		version: builtVersion}
}

// required is a go.mod.
type required struct {
	path string // of the file
	own  bool   // it belongs to notebooks
	text []byte
	*modfile.File
}

// require finds the go.mod that governs the folder; nil if there is none.
func (f *Folder) require() (*required, error) {
	for dir := f.dir; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "go.mod")
		text, err := os.ReadFile(path)
		if err == nil {
			file, err := modfile.Parse(path, text, nil)
			if err != nil {
				return nil, fmt.Errorf("modules of the notebook: %w", err)
			}
			own := file.Module != nil && file.Module.Mod.Path == Name
			return &required{path, own, text, file}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("modules of the notebook: %w", err)
		}
		if dir == filepath.Dir(dir) {
			return nil, nil
		}
	}
}

// Files returns go.mod and go.sum by name; none before a package of a module was imported.
func (f *Folder) Files() map[string][]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, err := f.require()
	if err != nil || r == nil || len(f.used) == 0 {
		return nil
	}
	files := map[string][]byte{}
	for _, name := range []string{"go.mod", "go.sum"} {
		if text, err := os.ReadFile(filepath.Join(filepath.Dir(r.path), name)); err == nil {
			files[name] = text
		}
	}
	return files
}

type offline struct{}

// Offline returns a context in which nothing is downloaded: packages come from the module cache, or are not found.
func Offline(ctx context.Context) context.Context { return context.WithValue(ctx, offline{}, true) }

func isOffline(ctx context.Context) bool { return ctx.Value(offline{}) != nil }

// Package returns a package of a module that the go.mod requires.
func (f *Folder) Package(ctx context.Context, path string) (*Package, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, err := f.require()
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, f.missing(r, path)
	}
	if stamp := r.stamp(); stamp != f.stamp {
		clear(f.known)
		f.stamp = stamp
	}
	at, ok := f.known[path]
	if !ok {
		if haveGo() && !r.provides(path) { // find would download a module that no %get named
			return nil, f.missing(r, path)
		}
		if err := f.find(ctx, r, path); err != nil {
			return nil, fmt.Errorf("package %q: %w", path, err)
		}
		f.stamp = r.stamp()
		at, ok = f.known[path]
		// The next cell may find what is missing: its proxy answers, or its folder was made.
		maps.DeleteFunc(f.known, func(_ string, x found) bool { return x.err != nil })
	}
	switch {
	case !ok:
		return nil, f.missing(r, path)
	case at.err != nil:
		return nil, at.err
	}
	module, version, _ := strings.Cut(at.module, "@")
	if used, ok := f.used[module]; ok && used != version {
		return nil, fmt.Errorf("package %q: go.mod now has %s %s, and cells have imported %s: restart the kernel to use it",
			path, module, version, used)
	}
	p, err := read(path, at)
	if err == nil {
		f.used[module] = version
	}
	return p, err
}

// stamp differs after a change of go.mod or go.sum.
func (r *required) stamp() string {
	var b strings.Builder
	for _, name := range []string{r.path, strings.TrimSuffix(r.path, "mod") + "sum"} {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintf(&b, "%s %d %d;", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// provides reports whether a module of the go.mod can have a package.
func (r *required) provides(path string) bool {
	if r.Module != nil && !r.own && within(path, r.Module.Mod.Path) {
		return true
	}
	for _, q := range r.Require {
		if within(path, q.Mod.Path) {
			return true
		}
	}
	return false
}

// within reports whether a module can have a package.
func within(path, module string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// show names a file as the folder's notebooks would.
func (f *Folder) show(path string) string {
	rel, err := filepath.Rel(f.dir, path)
	if err != nil || strings.HasPrefix(rel, filepath.Join("..", "..", "..")) {
		return path
	}
	if !strings.HasPrefix(rel, "..") {
		return "." + string(filepath.Separator) + rel
	}
	return rel
}

// MissingError is the error for a package that no required module has.
type MissingError struct {
	Path  string // of the package
	File  string // the go.mod that was searched; "" if there is none
	IsOwn bool   // Get can add the module
}

func (e *MissingError) Error() string {
	switch {
	case e.File == "":
		return fmt.Sprintf("no go.mod requires a module with it: %%get %s adds one", e.Path)
	case e.IsOwn:
		return fmt.Sprintf("%s requires no module with it: %%get %s adds one", e.File, e.Path)
	}
	return fmt.Sprintf("%s, which is not the notebooks', requires no module with it: go get %s adds one", e.File, e.Path)
}

func (f *Folder) missing(r *required, path string) error {
	if r == nil {
		return &MissingError{Path: path}
	}
	_, err := f.writable()
	return &MissingError{path, f.show(r.path), err == nil}
}
