package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/bucket"
)

// newArtifacts returns the URI of a new run's artifacts and their folder on this machine. It returns an error if the
// URI is too long to be stored.
func (t *Store) newArtifacts(experiment int, run string) (uri, dir string, err error) {
	if t.inBucket {
		at := t.place.Join(strconv.Itoa(experiment), run, "artifacts")
		uri, dir = at.URI(), t.copyOf(at)
	} else {
		dir = filepath.Join(t.ArtifactRoot(), strconv.Itoa(experiment), run, "artifacts")
		uri = tracker.FileURI(dir)
	}
	if len(uri) > tracker.MaxArtifactURI {
		return "", "", tracker.Errorf(tracker.CodeInvalid, nil,
			"the run's artifact folder %s is too long: MLflow's tables take %d characters; "+
				"use a data directory, or a place for artifacts, with a shorter path", uri, tracker.MaxArtifactURI)
	}
	return uri, dir, nil
}

// experimentURI returns where MLflow's clients write the artifacts of a new experiment.
func (t *Store) experimentURI(id int) string {
	if t.inBucket {
		return t.place.Join(strconv.Itoa(id)).URI()
	}
	return tracker.FileURI(filepath.Join(t.ArtifactRoot(), strconv.Itoa(id)))
}

// servedScheme begins addresses below the folder of the server that a client asks.
const servedScheme = "mlflow-artifacts"

// servedFile returns the path, below the artifact root, of an address that means the server's own folder, such as
// mlflow-artifacts:/1/2. An address with a host means another server.
func servedFile(uri string) (path string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != servedScheme || u.Host != "" || u.User != nil || u.RawQuery != "" || u.ForceQuery ||
		strings.Contains(uri, "#") {
		return "", false
	}
	path = filepath.Clean(filepath.FromSlash(strings.TrimLeft(u.Path, "/")))
	return path, u.Opaque == "" && filepath.IsLocal(path)
}

// OwnLocation returns the address at which a client's experiment keeps its artifacts, in the form that is stored. An
// address that a client names must be below the tracker's own folder or bucket: other clients and this program follow
// it.
func (t *Store) OwnLocation(uri string) (string, error) {
	refuse := func(why string) (string, error) {
		return "", tracker.Errorf(tracker.CodeInvalid, nil, "the artifact location %.200q is refused: %s; leave it empty, or name a place "+
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
	dir, err := tracker.FileFromURI(uri)
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
	return tracker.FileURI(dir), nil
}

// plainAddress reports whether all programs read an address or an absolute path in the same way: no part leads up, and
// no character starts something else than a path.
func plainAddress(uri string) bool {
	plain, err := url.PathUnescape(uri)
	if err != nil { // a path that contains a %
		plain = uri
	}
	if !utf8.ValidString(plain) || strings.ContainsFunc(plain, unicode.IsControl) || strings.ContainsAny(uri, `?#\`) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(plain, "/"), func(part string) bool { return part == "." || part == ".." })
}

// checkFollowed returns an error if a client that writes artifacts to an experiment's location would ask another host
// by HTTP, or would read the address in another way than this program. Other programs may have stored the location.
func checkFollowed(uri string) error {
	u, err := url.Parse(uri)
	if err == nil && plainAddress(uri) && !strings.HasPrefix(u.Scheme, "http") && !strings.HasPrefix(u.Scheme, "ftp") &&
		(u.Scheme != servedScheme || u.Host == "") {
		return nil
	}
	return tracker.Errorf(tracker.CodeInvalid, nil, "the experiment's artifact location %.200q is refused: it leads clients to another "+
		"server or out of a folder; log to another experiment", uri)
}

// ArtifactRoot returns the folder that holds the artifacts of local experiments, each in a folder named by its id.
func (t *Store) ArtifactRoot() string {
	if t.inBucket {
		return filepath.Join(t.o.DataDir, "artifacts")
	}
	return cmp.Or(t.o.ArtifactDir, filepath.Join(t.o.DataDir, "artifacts"))
}

// folderOf returns the artifact folder of a claim, next to another one of the same run.
func folderOf(other string, by tracker.Claim) string {
	return filepath.Join(filepath.Dir(other), fmt.Sprintf("artifacts-%d", by.Fence))
}

// copyFolder copies a folder. It leaves out unfinished files, which still have a temporary name, if they vanish
// meanwhile.
func copyFolder(to, from string) error {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path != from {
			return nil // it was renamed or removed while we looked
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case entry.Type().IsRegular():
			err := copyFile(filepath.Join(to, rel), path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		return nil
	})
	return err
}

func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err = io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}

var artifactFolder = regexp.MustCompile(`^artifacts(-[0-9]+)?$`) // of a run, or of a worker that took it over
