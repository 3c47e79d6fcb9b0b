package tracker

import (
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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

// servedScheme is that of addresses below the folder of the server that a client asks.
const servedScheme = "mlflow-artifacts"

// servedFile is the path, below the artifact root, of an address that means the server's own folder, as
// mlflow-artifacts:/1/2. With a host it is that of another server.
func servedFile(uri string) (path string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != servedScheme || u.Host != "" || u.User != nil || u.RawQuery != "" || u.ForceQuery ||
		strings.Contains(uri, "#") {
		return "", false
	}
	path = filepath.Clean(filepath.FromSlash(strings.TrimLeft(u.Path, "/")))
	return path, u.Opaque == "" && filepath.IsLocal(path)
}

// OwnLocation is the address at which a client's experiment keeps its artifacts, in the form that is stored. What a
// client names must be below the tracker's own folder or bucket: other clients and this program follow the address.
func (t *Tracker) OwnLocation(uri string) (string, error) {
	refuse := func(why string) (string, error) {
		return "", errorf(CodeInvalid, nil, "the artifact location %.200q is refused: %s; leave it empty, or name a place "+
			"below the server's own folder or bucket", uri, why)
	}
	if bucket.Is(uri) {
		at, err := t.ownPlace(uri)
		if err != nil || at == t.place || strings.Contains(at.Prefix, "%") {
			return refuse("it is not below the server's own bucket")
		}
		return at.URI(), nil
	}
	if !plainAddress(uri) {
		return refuse("programs read its signs in different ways")
	}
	dir, err := fileFromURI(uri)
	if path, ok := servedFile(uri); ok {
		dir, err = filepath.Join(t.ArtifactRoot(), path), nil
	}
	if err != nil {
		return refuse("it is elsewhere")
	}
	below, err := filepath.Rel(t.ArtifactRoot(), dir)
	if err != nil || !filepath.IsLocal(below) || below == "." || strings.ContainsAny(below, `?#%;\`) {
		return refuse("it is not below the server's own folder")
	}
	return fileURI(dir), nil
}

// plainAddress reports whether all programs read an address or an absolute path alike: no part leads up, and no sign
// begins what is not a path.
func plainAddress(uri string) bool {
	plain, err := url.PathUnescape(uri)
	if err != nil { // a path with a % of its own
		plain = uri
	}
	if !utf8.ValidString(plain) || strings.ContainsFunc(plain, unicode.IsControl) || strings.ContainsAny(uri, `?#\`) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(plain, "/"), func(part string) bool { return part == "." || part == ".." })
}

// followed is an error if a client that writes artifacts to an experiment's location would ask another host by HTTP, or
// would read the address in another way than this program. Other programs may have stored the location.
func followed(uri string) error {
	u, err := url.Parse(uri)
	if err == nil && plainAddress(uri) && !strings.HasPrefix(u.Scheme, "http") && !strings.HasPrefix(u.Scheme, "ftp") &&
		(u.Scheme != servedScheme || u.Host == "") {
		return nil
	}
	return errorf(CodeInvalid, nil, "the experiment's artifact location %.200q is refused: it leads clients to another "+
		"server or out of a folder; log to another experiment", uri)
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
