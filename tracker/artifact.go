package tracker

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/tracker/bucket"
)

// fileURI returns the file:// form of an absolute path, as MLflow writes it.
func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// newArtifacts returns the URI of a new run's artifacts and their folder on this machine, or an error if the URI is too
// long to be stored.
func (t *Tracker) newArtifacts(experiment int, run string) (uri, dir string, err error) {
	if t.inBucket {
		at := t.place.Join(strconv.Itoa(experiment), run, "artifacts")
		uri, dir = at.URI(), t.copyOf(at)
	} else {
		dir = filepath.Join(t.ArtifactRoot(), strconv.Itoa(experiment), run, "artifacts")
		uri = fileURI(dir)
	}
	if len(uri) > maxArtifactURI {
		return "", "", errorf(CodeInvalid, nil,
			"the run's artifact folder %s is too long: MLflow's tables take %d characters; "+
				"use a data directory, or a place for artifacts, with a shorter path", uri, maxArtifactURI)
	}
	return uri, dir, nil
}

// experimentURI is where MLflow's clients write the artifacts of a new experiment.
func (t *Tracker) experimentURI(id int) string {
	if t.inBucket {
		return t.place.Join(strconv.Itoa(id)).URI()
	}
	return fileURI(filepath.Join(t.ArtifactRoot(), strconv.Itoa(id)))
}

// OwnsFolder reports whether an artifact URI is a folder below the tracker's own, or of no folder of this machine: what
// a client names is not read from elsewhere.
func (t *Tracker) OwnsFolder(uri string) bool {
	if u, err := url.Parse(uri); err == nil && u.Scheme != "" && u.Scheme != "file" {
		return true
	}
	dir, err := fileFromURI(uri)
	if err != nil {
		return false
	}
	below, err := filepath.Rel(t.ArtifactRoot(), filepath.Clean(dir))
	return err == nil && filepath.IsLocal(below)
}

// fileFromURI returns the local folder of an artifact URI.
func fileFromURI(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err == nil && u.Scheme == "" && filepath.IsAbs(uri) {
		return uri, nil
	}
	if bucket.Is(uri) {
		return "", wrap(elsewhere(uri), "artifacts")
	}
	if err != nil || u.Scheme != "file" || (u.Host != "" && u.Host != "localhost") || !filepath.IsAbs(u.Path) ||
		u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil || strings.HasSuffix(uri, "#") {
		return "", errorf(CodeUnsupported, err, "the run's artifacts are at %q, which is not a folder of this machine",
			uri)
	}
	return filepath.FromSlash(u.Path), nil
}

// ArtifactDir returns the local folder of a run's artifacts.
func (i RunInfo) ArtifactDir() (string, error) {
	if i.folder != "" {
		return i.folder, nil
	}
	return fileFromURI(i.ArtifactURI)
}
