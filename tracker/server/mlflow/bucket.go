package mlflow

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

// bucketed returns the run with an id if its artifacts are in the bucket of this server. Otherwise it returns the zero
// RunInfo.
func (a *API) bucketed(ctx context.Context, id string) (tracker.RunInfo, error) {
	list, err := a.t.Runs(ctx, tracker.Filter{IDs: []string{id}})
	if err != nil || len(list) == 0 || !list[0].InBucket() {
		return tracker.RunInfo{}, err
	}
	return list[0], nil
}

// listObjects lists a folder of a run in the bucket.
func (a *API) listObjects(ctx context.Context, run tracker.RunInfo, inside string) (any, error) {
	objects, err := a.t.Objects(ctx, run)
	if err != nil {
		return nil, err
	}
	files := []artifactFile{}
	prefix := ""
	if inside != "." {
		prefix = inside + "/"
	}
	for _, o := range objects {
		rest, ok := strings.CutPrefix(o.Name, prefix)
		if !ok {
			continue
		}
		first, _, deeper := strings.Cut(rest, "/")
		item := artifactFile{Path: prefix + first, IsDir: deeper}
		if !deeper {
			item.Size = &o.Size
		}
		if n := len(files); n == 0 || files[n-1].Path != item.Path { // objects of a folder are next to each other
			files = append(files, item)
		}
	}
	return map[string]any{"root_uri": run.ArtifactURI, "files": files}, nil
}

// sendObject sends an artifact from this machine's copy of the bucket, after completing the copy.
func (a *API) sendObject(w http.ResponseWriter, r *http.Request, run tracker.RunInfo, name string) error {
	if err := a.t.Fetch(r.Context(), run, name); err != nil {
		return err
	}
	dir, err := run.ArtifactDir()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return missing("there is no artifact %.200q", name)
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return a.sendFrom(w, r, root, name)
}
