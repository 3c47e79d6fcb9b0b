package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"path"
	"time"
)

// file is a file to pack.
type file struct {
	name    string
	content []byte
	mode    int64
}

// writeTar writes a compressed tar file with one folder.
func writeTar(w io.Writer, folder string, files []file, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: path.Join(folder, f.name), Mode: f.mode, Size: int64(len(f.content)), ModTime: at,
			Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
		if folder == "." { // as in Debian packages
			h.Name = "./" + f.name
		}
		if f.content == nil && f.name[len(f.name)-1] == '/' {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.content); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

// writeZip writes a zip file with one folder.
func writeZip(w io.Writer, folder string, files []file, at time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		part, err := z.CreateHeader(&zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: at})
		if err != nil {
			return err
		}
		if _, err := part.Write(f.content); err != nil {
			return err
		}
	}
	return z.Close()
}
