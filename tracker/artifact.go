package tracker

import (
	"net/url"
	"path/filepath"
	"strconv"
)

// fileURI returns the file:// form of an absolute path, as MLflow writes it.
func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// artifactDir returns the folder of a run's artifacts, or an error if its URI is too long to be stored.
func (t *Tracker) artifactDir(experiment int, run string) (string, error) {
	dir := filepath.Join(t.ArtifactRoot(), strconv.Itoa(experiment), run, "artifacts")
	if uri := fileURI(dir); len(uri) > maxArtifactURI {
		return "", errorf(CodeInvalid, nil,
			"the run's artifact folder %s is too long: MLflow's tables take %d characters; "+
				"use a data directory with a shorter path", uri, maxArtifactURI)
	}
	return dir, nil
}

// fileFromURI returns the local folder of an artifact URI.
func fileFromURI(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err == nil && u.Scheme == "" && filepath.IsAbs(uri) {
		return uri, nil
	}
	if err != nil || u.Scheme != "file" || (u.Host != "" && u.Host != "localhost") || !filepath.IsAbs(u.Path) {
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
