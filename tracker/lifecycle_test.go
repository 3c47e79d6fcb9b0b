package tracker_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestDeleteRefusesALiveRun(t *testing.T) {
	ctx := context.Background()
	uri := trackertest.Database(t)
	dir := t.TempDir()
	here := trackertest.OpenWith(t, uri, tracker.Options{DataDir: dir})
	elsewhere := trackertest.OpenWith(t, uri, tracker.Options{DataDir: t.TempDir()})
	p := startChild(t, dir, uri)
	wantCode(t, here.Delete(ctx, p.run), tracker.CodeBusy, "child", "end that program first")
	// Another data directory does not see the spool's lock, but the sign of life and the process.
	wantCode(t, elsewhere.Delete(ctx, p.run), tracker.CodeBusy, fmt.Sprintf("process %d", p.cmd.Process.Pid))
	if info := must[tracker.RunInfo](t)(here.FindRun(ctx, p.run)); info.Status != "RUNNING" {
		t.Errorf("status %s after the refusal", info.Status)
	}
	p.kill(t)
	noError(t, elsewhere.Delete(ctx, p.run))
	noError(t, here.Restore(ctx, p.run))
	noError(t, here.Delete(ctx, p.run))
	noError(t, here.Restore(ctx, p.run))

	// A program of another machine, alive by its last sign of life, then not.
	db := must[*sqlx.DB](t)(sqlx.Open("postgres", uri))
	defer db.Close()
	noError(t, os.Remove(filepath.Join(dir, "spool", p.run+".spool")))
	must[sql.Result](t)(db.Exec(`UPDATE spherelab.heartbeat SET host = 'faraway', at = clock_timestamp() WHERE run_uuid = $1`, p.run))
	must[sql.Result](t)(db.Exec(`UPDATE public.runs SET status = 'RUNNING' WHERE run_uuid = $1`, p.run))
	wantCode(t, here.Delete(ctx, p.run), tracker.CodeBusy, "faraway")
	must[sql.Result](t)(db.Exec(`UPDATE spherelab.heartbeat SET at = at - interval '1 hour' WHERE run_uuid = $1`, p.run))
	noError(t, here.Delete(ctx, p.run))

	// Our own open run is alive too; once finished it can go.
	own := startRun(t, here, "own")
	wantCode(t, here.Delete(ctx, own.ID()), tracker.CodeBusy, "own")
	noError(t, own.Finish(ctx, tracker.Finished))
	noError(t, here.Delete(ctx, own.ID()))
}

func TestOpenInADirectoryThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	noError(t, os.WriteFile(file, nil, 0o644))
	_, err := tracker.Open(context.Background(), "", tracker.Options{DataDir: filepath.Join(file, "home")})
	wantCode(t, err, tracker.CodeInternal, "data directory", filepath.Join(file, "home"), "SPHERELAB_HOME", "--data-dir")
	if !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("the cause is lost: %v", err)
	}

	// The folder is there, the private database's cannot be made.
	home := t.TempDir()
	noError(t, os.WriteFile(tracker.ClusterDir(home), nil, 0o644))
	_, err = tracker.Open(context.Background(), "", tracker.Options{DataDir: home})
	wantCode(t, err, tracker.CodeUnavailable, tracker.ClusterDir(home), "SPHERELAB_HOME", "--data-dir")
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %v", err)
	}
}
