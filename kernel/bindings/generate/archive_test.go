package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
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
		expect.NoError(t, err)
		return content
	}
	write := func(file string, d packageDocs) {
		t.Helper()
		expect.NoError(t, writeDocs(file, d))
	}
	write(one, docs())
	write(two, docs())
	if !bytes.Equal(read(one), read(two)) {
		t.Error("two runs wrote different bytes")
	}

	content, err := readCompressed(one)
	expect.NoError(t, err)
	var loose bytes.Buffer
	w, err := gzip.NewWriterLevel(&loose, gzip.NoCompression)
	expect.NoError(t, err)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	expect.NoError(t, w.Close())
	expect.NoError(t, os.WriteFile(one, loose.Bytes(), 0o600))
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
	expect.NoError(t, os.WriteFile(one, []byte("torn"), 0o600))
	write(one, docs())
	if !bytes.Equal(read(one), read(two)) {
		t.Error("a damaged file was not written again")
	}
}
