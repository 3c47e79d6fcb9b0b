package mlflow

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// longestArtifact limits an uploaded file in bytes, so that no client can fill the disk with one request.
	longestArtifact = 32 << 30
	// longestPath limits a path in bytes, as file systems do. A path that is encoded several times is decoded as often.
	longestPath = 4000
	// partPrefix begins the names of files that have not arrived completely.
	partPrefix = ".upload-"
)

// artifactPath checks a path of an artifact, relative to the folder of artifacts. It refuses whatever may mean another
// place to some program. os.Root also guards the folder: it follows no link out of it.
func artifactPath(name string) (string, error) {
	refuse := func(why string) (string, error) {
		return "", invalid("the artifact path %.100q is refused: %s", name, why)
	}
	switch {
	case name == "" || name == ".":
		return ".", nil
	case len(name) > longestPath:
		return refuse("it is too long")
	case !utf8.ValidString(name):
		return refuse("it is not UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl):
		return refuse("it has control characters")
	case strings.Contains(name, `\`):
		return refuse("it has a backslash")
	case strings.HasPrefix(name, "/"):
		return refuse("it is absolute")
	}
	if plain, err := url.PathUnescape(name); err == nil && plain != name {
		if _, err := artifactPath(plain); err != nil || strings.Count(plain, "/") != strings.Count(name, "/") {
			return refuse("it is encoded twice")
		}
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(name, "/"), "/") {
		bare, _, _ := strings.Cut(part, ";") // after a semicolon some servers expect a parameter
		if part == "" || bare == "." || bare == ".." {
			return refuse("a part of it is empty, . or ..")
		}
		if strings.HasPrefix(part, partPrefix) {
			return refuse("names that begin with " + partPrefix + " are this server's own")
		}
	}
	if strings.Contains(name, ":") && len(name) > 1 && name[1] == ':' {
		return refuse("it names a drive")
	}
	return strings.TrimSuffix(name, "/"), nil
}

// serveArtifact answers at mlflow-artifacts/artifacts/NAME: GET sends, PUT stores, DELETE removes.
func (a *API) serveArtifact(w http.ResponseWriter, r *http.Request, name string) error {
	file, err := artifactPath(name)
	if err != nil {
		return err
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && strings.Count(file, "/") < 2 {
		return invalid("only artifacts of a run are stored and deleted: EXPERIMENT/RUN/artifacts/...")
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return a.sendArtifact(w, r, file)
	case http.MethodPut:
		if err := a.storeArtifact(w, r, file); err != nil {
			return err
		}
		if err := a.storeEvaluation(r.Context(), file); err != nil {
			return err
		}
	case http.MethodDelete:
		if err := a.root.RemoveAll(file); err != nil {
			return a.fileFault(err, file)
		}
	default:
		return faultf("BAD_REQUEST", "artifacts do not take %.20q", r.Method)
	}
	writeJSON(w, http.StatusOK, empty{})
	return nil
}

// fileFault hides where the folder of artifacts is, and distinguishes a client's errors from the server's.
func (a *API) fileFault(err error, file string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing("there is no artifact %.200q", file)
	case errors.Is(err, syscall.ENOTDIR):
		return missing("there is no artifact %.200q: a part of its path is a file", file)
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.EISDIR):
		return invalid("the artifact %.200q cannot be stored: it is a folder, or a part of its path is a file", file)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return invalid("the artifact path %.100q is refused: a part of it is too long", file)
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		if strings.Contains(e.Err.Error(), "escapes") {
			return invalid("the artifact path %.100q is refused: it leads out of the folder", file)
		}
	}
	return err
}

func (a *API) sendArtifact(w http.ResponseWriter, r *http.Request, file string) error {
	if sent, err := a.sendEvaluation(w, r, file); sent || err != nil {
		return err
	}
	return a.sendFrom(w, r, a.root, file)
}

func (a *API) sendFrom(w http.ResponseWriter, r *http.Request, root *os.Root, file string) error {
	info, err := root.Stat(file) // opening a pipe would wait forever
	if errors.Is(err, fs.ErrNotExist) && root == a.root {
		if err := a.checkPlace(r.Context(), file); err != nil {
			return err
		}
	}
	if err != nil {
		return a.fileFault(err, file)
	}
	if !info.Mode().IsRegular() {
		return invalid("%.200q is a folder; list it instead", file)
	}
	f, err := root.Open(file)
	if err != nil {
		return a.fileFault(err, file)
	}
	defer f.Close()
	a.sendFile(w, r, path.Base(file), info.ModTime(), f)
	return nil
}

// sendFile sends a file that the browser saves and does not show.
func (a *API) sendFile(w http.ResponseWriter, r *http.Request, name string, changed time.Time, from io.ReadSeeker) {
	h := w.Header()
	// A browser must neither show nor run what a client stored.
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	http.ServeContent(w, r, "", changed, from)
}

// storeArtifact replaces a file when all of it has arrived.
func (a *API) storeArtifact(w http.ResponseWriter, r *http.Request, file string) (err error) {
	if dir := path.Dir(file); dir != "." {
		if err := a.root.MkdirAll(dir, 0o755); err != nil {
			return a.fileFault(err, file)
		}
	}
	part := path.Join(path.Dir(file), partPrefix+newID())
	f, err := a.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return a.fileFault(err, file)
	}
	defer func() {
		if err != nil {
			_ = a.root.Remove(part) // a file that stays does no harm
		}
	}()
	_, err = io.Copy(f, http.MaxBytesReader(w, r.Body, longestArtifact))
	if _, large := errors.AsType[*http.MaxBytesError](err); err != nil && !large {
		if _, ofFile := errors.AsType[*fs.PathError](err); !ofFile {
			err = faultf("BAD_REQUEST", "the artifact did not arrive in time, or not as a whole")
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := a.root.Rename(part, file); err != nil {
		return a.fileFault(err, file)
	}
	return nil
}

// artifactFile is a file or folder in a list.
type artifactFile struct {
	Path  string `json:"path"`
	IsDir bool   `json:"is_dir"`
	Size  *int64 `json:"file_size,omitempty"`
}

// list lists a folder. A file or a missing folder has no entries, as in MLflow.
func (a *API) list(ctx context.Context, folder, prefix string) ([]artifactFile, error) {
	files := []artifactFile{}
	f, err := a.root.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		if err := a.checkPlace(ctx, folder); err != nil {
			return nil, err
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return files, nil
	}
	if err != nil {
		return nil, a.fileFault(err, folder)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		return files, err
	}
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() && !info.IsDir() || strings.HasPrefix(entry.Name(), partPrefix) {
			continue // removed since, a link, or not complete
		}
		item := artifactFile{Path: path.Join(prefix, entry.Name()), IsDir: info.IsDir()}
		if !info.IsDir() {
			size := info.Size()
			item.Size = &size
		}
		files = append(files, item)
	}
	return files, nil
}

// listStored lists a folder by its path below the folder of artifacts, as clients with an address mlflow-artifacts: do.
func (a *API) listStored(ctx context.Context, r *http.Request) (any, error) {
	var in struct{ Path string }
	if err := read(r, &in); err != nil {
		return nil, err
	}
	folder, err := artifactPath(in.Path)
	if err != nil {
		return nil, err
	}
	files, err := a.list(ctx, folder, "")
	return map[string]any{"files": files}, err
}

// folderOf returns the folder of a run's artifacts below the folder of artifacts.
func (a *API) folderOf(ctx context.Context, id string) (folder string, found run, err error) {
	if found, err = a.oneRun(ctx, id); err != nil {
		return "", found, err
	}
	u, err := url.Parse(found.Info.URI)
	if err != nil || u.Scheme != "mlflow-artifacts" || u.Host != "" {
		return "", found, invalid("the artifacts of run %s are at %.200q, not on this server", id, found.Info.URI)
	}
	folder, err = artifactPath(strings.TrimPrefix(u.Path, "/"))
	return folder, found, err
}

func (a *API) listArtifacts(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		runRef
		Path string
	}
	id, err := readRun(r, &in)
	if err != nil {
		return nil, err
	}
	inside, err := artifactPath(in.Path)
	if err != nil {
		return nil, err
	}
	bucketed, err := a.bucketed(ctx, id)
	if err != nil {
		return nil, err
	}
	if bucketed.InBucket() {
		return a.listObjects(ctx, bucketed, inside)
	}
	folder, found, err := a.folderOf(ctx, id)
	if err != nil {
		return nil, err
	}
	files, err := a.list(ctx, path.Join(folder, inside), strings.TrimPrefix(inside, "."))
	return map[string]any{"root_uri": found.Info.URI, "files": files}, err
}

// getRunArtifact answers at get-artifact?run_uuid=...&path=..., which MLflow's pages request.
func (a *API) getRunArtifact(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet {
		return faultf("BAD_REQUEST", "artifacts of a run are read with GET")
	}
	var in struct {
		runRef
		Path string
	}
	id, err := readRun(r, &in)
	if err != nil {
		return err
	}
	inside, err := artifactPath(in.Path)
	if err != nil {
		return err
	}
	bucketed, err := a.bucketed(r.Context(), id)
	if err != nil {
		return err
	}
	if bucketed.InBucket() {
		return a.sendObject(w, r, bucketed, inside)
	}
	folder, _, err := a.folderOf(r.Context(), id)
	if err != nil {
		return err
	}
	return a.sendArtifact(w, r, path.Join(folder, inside))
}
