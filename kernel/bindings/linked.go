package bindings

import (
	"archive/zip"
	"bytes"
	_ "embed" // the types of linked packages
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Types of linked packages, and the sources of generic ones, which are interpreted.
var (
	//go:embed export_std.zip
	exportStd []byte
	//go:embed export_ext.zip
	exportExt []byte
	//go:embed source_std.zip
	sourceStd []byte
)

// Linked supplies cells with the packages that are linked into the program: values from the tables, types from export
// data. It is safe for concurrent use.
type Linked struct {
	set     *Set
	exports map[string]*zip.File
	sources map[string][]*zip.File

	mu     sync.Mutex
	tables map[string]Table
	hidden map[string]map[string]reflect.Type
}

// Linked prepares the packages of the set. Tables are made when a cell first uses them.
func (s *Set) Linked() (*Linked, error) {
	l := &Linked{
		set: s, exports: map[string]*zip.File{}, sources: map[string][]*zip.File{},
		tables: map[string]Table{}, hidden: map[string]map[string]reflect.Type{},
	}
	for _, data := range [][]byte{exportStd, exportExt} {
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, fmt.Errorf("types of linked packages: %w", err)
		}
		for _, f := range archive.File {
			l.exports[f.Name] = f
		}
	}
	archive, err := zip.NewReader(bytes.NewReader(sourceStd), int64(len(sourceStd)))
	if err != nil {
		return nil, fmt.Errorf("sources of generic packages: %w", err)
	}
	for _, f := range archive.File {
		l.sources[path.Dir(f.Name)] = append(l.sources[path.Dir(f.Name)], f)
	}
	return l, nil
}

// Export returns the types of a package as go/gcexportdata reads them; fs.ErrNotExist for packages that are not linked.
func (l *Linked) Export(path string) ([]byte, error) {
	f, ok := l.exports[path+"@"+runtime.GOOS+"/"+runtime.GOARCH]
	if !ok {
		f, ok = l.exports[path]
	}
	if !ok {
		return nil, fs.ErrNotExist
	}
	return content(f)
}

// Source returns the files of a package that is interpreted, by name; nil for all others.
func (l *Linked) Source(path string) (map[string][]byte, error) {
	var files map[string][]byte
	for _, f := range l.sources[path] {
		text, err := content(f)
		if err != nil {
			return nil, err
		}
		if files == nil {
			files = map[string][]byte{}
		}
		files[strings.TrimPrefix(f.Name, path+"/")] = text
	}
	return files, nil
}

func content(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close() // nothing was written
	return io.ReadAll(r)
}

// Value returns a function of a package, or a variable that can be set.
func (l *Linked) Value(path, name string) (reflect.Value, bool) {
	v, ok := l.table(path).Values[name]
	return v, ok
}

// Type returns a type of a package: an exported one, or one that what is exported shows.
func (l *Linked) Type(path, name string) (reflect.Type, bool) {
	table := l.table(path)
	if t, ok := table.Types[name]; ok || token.IsExported(name) {
		return t, ok
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	types, ok := l.hidden[path]
	if !ok {
		types = hidden(path, table)
		l.hidden[path] = types
	}
	t, ok := types[name]
	return t, ok
}

// Table returns what a package declares; false for packages that are not linked.
func (l *Linked) Table(path string) (Table, bool) {
	t := l.table(path)
	return t, t.Name != ""
}

func (l *Linked) table(path string) Table {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.tables[path]
	if source, linked := l.set.sources[path]; linked && !ok {
		t = source.Table()
		t.Name = source.Name
		l.tables[path] = t
	}
	return t
}

// Paths lists the packages that cells can import.
func (l *Linked) Paths() []string {
	paths := map[string]bool{}
	for path := range l.set.sources {
		paths[path] = true
	}
	for path := range l.sources {
		paths[path] = true
	}
	return slices.Sorted(maps.Keys(paths))
}
