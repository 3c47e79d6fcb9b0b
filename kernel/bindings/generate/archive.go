package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// packageDocs is the documentation of packages: import path -> name -> text. Package bindings embeds it as compressed
// JSON.
type packageDocs map[string]map[string]string

// writeDocs writes a documentation file. A file with the same contents stays as it is, because another release of Go
// may compress them to other bytes.
func writeDocs(file string, d packageDocs) error {
	content, err := json.Marshal(d) // sorts by path and name
	if err != nil {
		return err
	}
	if have, err := readCompressed(file); err == nil && bytes.Equal(have, content) {
		return nil
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression) // no file name and no time in its header
	if err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, packed.Bytes(), 0o644)
}

func readCompressed(file string) ([]byte, error) {
	packed, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return io.ReadAll(r)
}
