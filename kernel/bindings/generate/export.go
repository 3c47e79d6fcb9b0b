package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/gcexportdata"
)

// generic are the packages whose functions are interpreted from source, because they are generic. The interpreter has
// an iter of its own, which is only documented here.
var generic = []string{"cmp", "iter", "maps", "slices"}

// hasExport reports whether cells know a package by export data. Ours changes daily, and a kernel of one's own has only
// the written file: cells know such packages by their tables, without the names of parameters.
func hasExport(path string) bool { return groupOf(path) != "own" }

// writeExports writes the types of bound packages, by group. Each package is an entry, as go/gcexportdata writes it and
// without positions, so a moved line changes nothing. Where constants depend on the system, as those of package os, the
// other systems have entries of their own, as "os@darwin/arm64".
func writeExports(packages []*loaded) error {
	groups := map[string][]*loaded{}
	var varying []string
	for _, p := range packages {
		if !hasExport(p.path) {
			continue
		}
		groups[groupOf(p.path)] = append(groups[groupOf(p.path)], p)
		if p.varies() {
			varying = append(varying, p.path)
		}
	}
	others := map[string][]archiveEntry{} // by path
	for _, platform := range append(slices.Clone(platforms[1:]), furtherPlatforms...) {
		found, err := loadOn(platform, varying)
		if err != nil {
			return err
		}
		for _, p := range found {
			name := p.PkgPath + "@" + platform[0] + "/" + platform[1]
			data, err := exported(p.Types)
			if err != nil {
				return err
			}
			others[p.PkgPath] = append(others[p.PkgPath], archiveEntry{name, data})
		}
	}
	for group, packages := range groups {
		var archive archived
		for _, p := range packages {
			data, err := exported(p.types)
			if err != nil {
				return err
			}
			archive.add(p.path, data)
			for _, other := range others[p.path] {
				archive.add(other.name, other.content)
			}
		}
		if err := archive.write("export_" + group + ".zip"); err != nil {
			return err
		}
	}
	return nil
}

type archiveEntry struct {
	name    string
	content []byte
}

func exported(p *types.Package) ([]byte, error) {
	var data bytes.Buffer
	if err := gcexportdata.Write(&data, nil, p); err != nil {
		return nil, fmt.Errorf("types of %s: %w", p.Path(), err)
	}
	return data.Bytes(), nil
}

// addGeneric writes the files of generic packages and adds their documentation.
func addGeneric(docs packageDocs) (packageDocs, error) {
	packages, err := load(generic)
	if err != nil {
		return nil, err
	}
	var archive archived
	for _, p := range packages {
		for _, file := range p.files {
			if p.path == "iter" {
				break
			}
			name := p.fset.File(file.Pos()).Name()
			content, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			archive.add(p.path+"/"+filepath.Base(name), content)
		}
		if docs[p.path], err = documentation(p); err != nil {
			return nil, err
		}
	}
	return docs, archive.write("source_std.zip")
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
