package mlflow

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/lib/pq"
)

// A program that logs directly into the database keeps a run's artifacts in a folder of its own machine. A server
// elsewhere returns the address that the artifacts would have on the server. So clients ask the server for them, and
// its error says where they are. MLflow's client would treat a folder that its machine does not have as an empty one.

// writers returns the machines that wrote the runs, unless it was this one.
func (a *API) writers(ctx context.Context, ids []string) (map[string]string, error) {
	var rows []struct {
		Run  string `db:"run_uuid"`
		Host string
	}
	err := a.db.SelectContext(ctx, &rows, `SELECT run_uuid, host FROM spherelab.heartbeat
		WHERE run_uuid = ANY ($1) AND host <> $2`, pq.Array(ids), a.host)
	hosts := make(map[string]string, len(rows))
	for _, r := range rows {
		hosts[r.Run] = r.Host
	}
	return hosts, err
}

// addressOf returns the address of a run's artifacts for clients. writer is the other machine that wrote the run, or
// "".
func (a *API) addressOf(id, uri, writer string) string {
	served := a.servedURI(uri)
	u, err := url.Parse(served)
	if writer == "" || err != nil || u.Scheme != "file" {
		return served
	}
	dir := filepath.FromSlash(u.Path)
	if _, err := os.Stat(dir); err == nil { // a folder that the machines share
		return served
	}
	run := filepath.Dir(dir)
	if filepath.Base(run) != id {
		return served
	}
	inside := path.Join("/", filepath.Base(filepath.Dir(run)), id, filepath.Base(dir))
	return "mlflow-artifacts:" + (&url.URL{Path: inside}).EscapedPath()
}

// checkPlace returns an error if a path below the folder of artifacts belongs to a run that another machine wrote and
// that has no folder here.
func (a *API) checkPlace(ctx context.Context, file string) error {
	parts := strings.SplitN(file, "/", 4) // EXPERIMENT/RUN/artifacts/...
	if len(parts) < 3 {
		return nil
	}
	if _, err := a.root.Stat(path.Join(parts[:3]...)); !errors.Is(err, fs.ErrNotExist) {
		return nil // a malformed path is the reader's error
	}
	var run struct{ Host, URI string }
	err := a.db.GetContext(ctx, &run, `SELECT h.host, coalesce(r.artifact_uri, '') AS uri
		FROM spherelab.heartbeat h JOIN public.runs r USING (run_uuid) WHERE run_uuid = $1 AND h.host <> $2`,
		parts[1], a.host)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return missing("machine %.100q wrote run %s directly into the database and keeps its artifacts, at %.300q; this server, "+
		"%.100q, does not have them: read them there, copy the folder to the same place below this server's artifacts, or "+
		"let programs log to this server", run.Host, parts[1], run.URI, a.host)
}
