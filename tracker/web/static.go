package web

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
)

//go:embed asset
var assets embed.FS

// static sends the embedded files. They have no modification time, so browsers validate their copies by a digest.
type static struct {
	files http.Handler
	tags  map[string]string // of names
}

func newStatic() *static {
	folder, err := fs.Sub(assets, "asset")
	if err != nil {
		panic(err) // the folder is embedded
	}
	s := &static{http.FileServerFS(folder), map[string]string{}}
	names, err := fs.Glob(folder, "*")
	if err != nil {
		panic(err) // the pattern is constant
	}
	for _, name := range names {
		raw, err := fs.ReadFile(folder, name)
		if err != nil {
			panic(err)
		}
		s.tags[name] = fmt.Sprintf(`"%x"`, sha256.Sum256(raw))
	}
	return s
}

func (s *static) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tag := s.tags[r.URL.Path]
	if tag == "" { // a folder would be listed
		http.NotFound(w, r)
		return
	}
	w.Header().Set("ETag", tag)
	s.files.ServeHTTP(w, r)
}
