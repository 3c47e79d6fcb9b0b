package web

import (
	"context"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

// file is an artifact of a run.
type file struct {
	Name    string
	Size    int64
	Address string
}

// maxFiles is the max number of artifacts that a page lists.
const maxFiles = 1000

// artifacts returns the files that a run has in a bucket, or in a folder of this machine. Links that lead out of the
// folder are left out.
func (s *site) artifacts(ctx context.Context, run tracker.RunInfo) ([]file, error) {
	if run.InBucket() {
		objects, err := s.store.Objects(ctx, run)
		var list []file
		for _, o := range objects[:min(len(objects), maxFiles)] {
			list = append(list, file{o.Name, o.Size, fileAddress(run, o.Name)})
		}
		return list, err
	}
	root, err := openArtifacts(run)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var list []file
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil // what cannot be read is not listed
		}
		info, err := root.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		if len(list) == maxFiles {
			return fs.SkipAll
		}
		list = append(list, file{name, info.Size(), fileAddress(run, name)})
		return nil
	})
	return list, err
}

// fileAddress returns the address of an artifact.
func fileAddress(run tracker.RunInfo, name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return "/runs/" + run.ID + "/artifacts/" + strings.Join(parts, "/")
}

func openArtifacts(run tracker.RunInfo) (*os.Root, error) {
	dir, err := run.ArtifactDir()
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFoundError{"this run has no artifacts on this machine"}
	}
	return root, err
}

// artifact sends a file for download. A browser must never show it: a program may have stored a page with a script.
func (s *site) artifact(w http.ResponseWriter, r *http.Request) error {
	run, err := s.store.FindRun(r.Context(), r.PathValue("run"))
	if err != nil {
		return err
	}
	name := r.PathValue("file")
	if run.InBucket() {
		if err := s.store.Fetch(r.Context(), run, name); err != nil {
			return err
		}
	}
	root, err := openArtifacts(run)
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Stat(name) // opening a pipe would wait forever
	if err != nil || !info.Mode().IsRegular() {
		return notFoundError{"this run has no artifact " + name}
	}
	f, err := root.Open(name)
	if err != nil {
		return notFoundError{"this run has no artifact " + name}
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(name)}))
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	w.Header().Set("Cache-Control", "no-store") // the reader saves it, so the browser need not cache it
	http.ServeContent(w, r, "", info.ModTime(), f)
	return nil
}
