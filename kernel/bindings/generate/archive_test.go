package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
)

// TestDocsFile: the same documentation gives the same bytes, and a file with the same contents is left alone even if it
// was compressed in another way.
func TestDocsFile(t *testing.T) {
	t.Parallel()
	docs := func() packageDocs {
		d := packageDocs{}
		for _, path := range []string{"strings", "a/b", "net/http", "z"} {
			d[path] = map[string]string{"": "package " + path, "T": "type T struct{}",
				"T.M": "func (T) M() <&>\n\nM does \u2028.", "F": "func F()"}
		}
		return d
	}
	one, two := filepath.Join(t.TempDir(), "one.gz"), filepath.Join(t.TempDir(), "two.gz")
	read := func(file string) []byte {
		t.Helper()
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	write := func(file string, d packageDocs) {
		t.Helper()
		if err := writeDocs(file, d); err != nil {
			t.Fatal(err)
		}
	}
	write(one, docs())
	write(two, docs())
	if !bytes.Equal(read(one), read(two)) {
		t.Error("two runs wrote different bytes")
	}

	content, err := readCompressed(one)
	if err != nil {
		t.Fatal(err)
	}
	var loose bytes.Buffer
	w, err := gzip.NewWriterLevel(&loose, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(one, loose.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	write(one, docs())
	if !bytes.Equal(read(one), loose.Bytes()) {
		t.Error("a file with the same contents was written again")
	}
	changed := docs()
	changed["strings"]["F"] = "func F(int)"
	write(one, changed)
	if bytes.Equal(read(one), loose.Bytes()) {
		t.Error("a change of the documentation was not written")
	}
	if err := os.WriteFile(one, []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	write(one, docs())
	if !bytes.Equal(read(one), read(two)) {
		t.Error("a damaged file was not written again")
	}
}
