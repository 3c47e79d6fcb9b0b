package tracker

import (
	"net/url"
	"path/filepath"
)

// fileURI is the file:// form of an absolute path, as MLflow writes it.
func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// fileFromURI is the local folder of an artifact URI.
func fileFromURI(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err == nil && u.Scheme == "" && filepath.IsAbs(uri) {
		return uri, nil
	}
	if err != nil || u.Scheme != "file" || (u.Host != "" && u.Host != "localhost") || !filepath.IsAbs(u.Path) {
		return "", fail(CodeUnsupported, err, "the run's artifacts are at %q, which is not a folder of this machine", uri)
	}
	return filepath.FromSlash(u.Path), nil
}

// ArtifactDir is the local folder of a run's artifacts.
func (i RunInfo) ArtifactDir() (string, error) { return fileFromURI(i.ArtifactURI) }
