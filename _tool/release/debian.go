package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"io"
	"path"
	"strings"
)

const control = `Package: spherelab
Version: %s
Architecture: %s
Maintainer: The spherelab authors <maintainers@spherelab.invalid>
Installed-Size: %d
Section: science
Priority: optional
Recommends: postgresql
Homepage: https://github.com/spherelab/spherelab
Description: knowledge graph embeddings, run tracker and Jupyter kernel for Go
 spherelab trains SpherE, RotatE and their relatives on knowledge graphs,
 answers queries with sets, logs every run to PostgreSQL in MLflow's tables,
 and runs Go cells in Jupyter ("spherelab kernel install").
`

// debianVersion returns a version as Debian orders it: what comes before a release sorts before it.
func debianVersion(version string) string { return strings.Replace(version, "-", "~", 1) }

// writeDeb writes a Debian package of the packed files: an ar file with two tar files.
func (r release) writeDeb(w io.Writer, machine string, content []file) error {
	files := []file{{name: "usr/", mode: 0o755}, {name: "usr/bin/", mode: 0o755}}
	documents := []file{{name: "usr/share/", mode: 0o755}, {name: "usr/share/doc/", mode: 0o755},
		{name: "usr/share/doc/spherelab/", mode: 0o755}}
	size := 0
	for _, f := range content {
		size += (len(f.content) + 1023) / 1024
		switch f.name {
		case "spherelab":
			f.name = "usr/bin/spherelab"
			files = append(files, f)
			continue
		case "NOTICE": // it begins with our licence; Debian's name for it
			f.name = "copyright"
		case "LICENSE":
			continue
		}
		f.name = path.Join("usr/share/doc/spherelab", f.name)
		documents = append(documents, f)
	}
	files = append(files, documents...)
	var sums bytes.Buffer
	for _, f := range files {
		if f.content != nil {
			fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.content), f.name)
		}
	}
	text := fmt.Sprintf(control, debianVersion(r.version), machine, size)
	var about, data bytes.Buffer
	err := writeTar(&about, ".", []file{{name: "control", content: []byte(text), mode: 0o644},
		{name: "md5sums", content: sums.Bytes(), mode: 0o644}}, r.time)
	if err == nil {
		err = writeTar(&data, ".", files, r.time)
	}
	if err == nil {
		_, err = io.WriteString(w, "!<arch>\n")
	}
	for _, part := range []file{{name: "debian-binary", content: []byte("2.0\n")}, {name: "control.tar.gz", content: about.Bytes()},
		{name: "data.tar.gz", content: data.Bytes()}} {
		if err == nil {
			err = r.writePart(w, part)
		}
	}
	return err
}

// writePart writes a file of an ar file, which begins at an even place.
func (r release) writePart(w io.Writer, part file) error {
	_, err := fmt.Fprintf(w, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", part.name, r.time.Unix(), 0, 0, 0o100644, len(part.content))
	if err == nil {
		_, err = w.Write(part.content)
	}
	if err == nil && len(part.content)%2 == 1 {
		_, err = w.Write([]byte{'\n'})
	}
	return err
}
