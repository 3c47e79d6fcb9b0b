package rest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ServedFolder is where the server itself keeps a run's artifacts, as a path below its folder of artifacts. ok is false
// if it does not keep them: they are at another place, to which clients write without the server.
func ServedFolder(artifactURI string) (folder string, ok bool) {
	u, err := url.Parse(artifactURI)
	if err != nil || u.Scheme != "mlflow-artifacts" {
		return "", false
	}
	folder = strings.Trim(path.Clean("/"+u.Path), "/")
	// An address with a host may begin with the API's own path.
	folder = strings.TrimPrefix(folder, "api/2.0/mlflow-artifacts/artifacts/")
	return folder, folder != ""
}

func artifactPath(folder, name string) string {
	parts := strings.Split(path.Join(folder, name), "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "/api/2.0/mlflow-artifacts/artifacts/" + strings.Join(parts, "/")
}

// Upload stores a file as an artifact below a folder of ServedFolder. It replaces what is there.
func (c *Client) Upload(ctx context.Context, folder, name, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var body io.Reader = f
	if info.Size() == 0 {
		body = nil // else its length counts as unknown
	}
	res, err := c.send(ctx, http.MethodPut, artifactPath(folder, name), body, info.Size(), "application/octet-stream")
	if err != nil {
		return err
	}
	// MLflow 3 answers an artifact with an empty body.
	answer := bufio.NewReader(res.Body)
	if _, err := answer.Peek(1); errors.Is(err, io.EOF) {
		return res.Body.Close()
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{answer, res.Body}
	return c.read(res, nil)
}

// artifactFile is an entry of a list.
type artifactFile struct {
	Path  string `json:"path"`
	IsDir bool   `json:"is_dir"`
}

// maxArtifacts bounds how many files of a run are listed.
const maxArtifacts = 10_000

// Artifacts lists the paths of all files among a run's artifacts. A path that leads elsewhere is an error.
func (c *Client) Artifacts(ctx context.Context, run string) (files []string, err error) {
	folders := []string{""}
	for n := 0; n < len(folders); n++ {
		query := url.Values{"run_id": {run}}
		if folders[n] != "" {
			query.Set("path", folders[n])
		}
		for {
			var out struct {
				Files []artifactFile
				Next  string `json:"next_page_token"`
			}
			if err := c.get(ctx, "mlflow/artifacts/list", query, &out); err != nil {
				return nil, err
			}
			for _, f := range out.Files {
				if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
					return nil, &Error{Status: http.StatusOK, Message: fmt.Sprintf("it lists the artifact %.100q, which leads elsewhere",
						f.Path)}
				}
				if f.IsDir {
					folders = append(folders, f.Path)
				} else {
					files = append(files, f.Path)
				}
			}
			if len(files)+len(folders) > maxArtifacts {
				return nil, &Error{Status: http.StatusOK, Message: fmt.Sprintf("run %s has more than %d artifacts", run,
					maxArtifacts)}
			}
			if out.Next == "" {
				break
			}
			query.Set("page_token", out.Next)
		}
	}
	return files, nil
}

// Download writes an artifact below a folder of ServedFolder to w.
func (c *Client) Download(ctx context.Context, folder, name string, w io.Writer) error {
	res, err := c.send(ctx, http.MethodGet, artifactPath(folder, name), nil, 0, "")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(w, res.Body); err != nil {
		return &Error{Message: "the artifact broke off: " + err.Error(), Err: err}
	}
	return nil
}
