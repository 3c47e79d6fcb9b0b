package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/gcexportdata"
)

// generic are the packages whose functions are interpreted from source, because they are generic. (The
// interpreter has its own iter.)
var generic = []string{"cmp", "maps", "slices"}

// writeExports writes the types of bound packages, by group. Each package is an entry, as go/gcexportdata writes it and
// without positions, so a moved line changes nothing.
func writeExports(packages []*loaded) error {
	groups := map[string][]*loaded{}
	for _, p := range packages {
		if groupOf(p.path) == "own" { // they change daily; they follow when the kernel itself needs them
			continue
		}
		groups[groupOf(p.path)] = append(groups[groupOf(p.path)], p)
	}
	for group, packages := range groups {
		var archive archived
		for _, p := range packages {
			var data bytes.Buffer
			if err := gcexportdata.Write(&data, nil, p.types); err != nil {
				return fmt.Errorf("types of %s: %w", p.path, err)
			}
			archive.add(p.path, data.Bytes())
		}
		if err := archive.write("export_" + group + ".zip"); err != nil {
			return err
		}
	}
	return nil
}

// writeSources writes the files of generic packages.
func writeSources() error {
	packages, err := load(generic)
	if err != nil {
		return err
	}
	var archive archived
	for _, p := range packages {
		for _, file := range p.files {
			name := p.fset.File(file.Pos()).Name()
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			archive.add(p.path+"/"+filepath.Base(name), content)
		}
	}
	return archive.write("source_std.zip")
}

// archived collects the entries of an archive. The first error stays.
type archived struct {
	buffer bytes.Buffer
	zip    *zip.Writer
	err    error
}

func (a *archived) add(name string, content []byte) {
	if a.zip == nil {
		a.zip = zip.NewWriter(&a.buffer)
		a.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(w, flate.BestCompression)
		})
	}
	if a.err != nil {
		return
	}
	entry, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err == nil {
		_, err = entry.Write(content)
	}
	a.err = err
}

func (a *archived) write(file string) error {
	if a.err == nil {
		a.err = a.zip.Close()
	}
	if a.err != nil {
		return fmt.Errorf("%s: %w", file, a.err)
	}
	return writeFile(file, a.buffer.Bytes())
}
