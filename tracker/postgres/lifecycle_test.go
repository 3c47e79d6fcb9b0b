package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestDeleteRefusesALiveRun(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri := trackertest.Database(t)
	dir := t.TempDir()
	here := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir})
	elsewhere := trackertest.StoreWith(t, uri, tracker.Options{DataDir: t.TempDir()})
	p := startChild(t, dir, uri)
	wantCode(t, here.Delete(ctx, p.run), tracker.CodeBusy, "child", "end that program first")
	// Another data directory does not have the locked spool; the heartbeat and the process show that the run is live.
	wantCode(t, elsewhere.Delete(ctx, p.run), tracker.CodeBusy, fmt.Sprintf("process %d", p.cmd.Process.Pid))
	if info := must[tracker.RunInfo](t)(here.FindRun(ctx, p.run)); info.Status != "RUNNING" {
		t.Errorf("status %s after the refusal", info.Status)
	}
	p.kill(t)
	noError(t, elsewhere.Delete(ctx, p.run))
	noError(t, here.Restore(ctx, p.run))
	noError(t, here.Delete(ctx, p.run))
	noError(t, here.Restore(ctx, p.run))

	// A program of another machine: live by its last heartbeat, then dead.
	db := must[*sqlx.DB](t)(sqlx.Open("postgres", uri))
	defer db.Close()
	noError(t, os.Remove(filepath.Join(dir, "spool", p.run+".spool")))
	execute(t, db, `UPDATE spherelab.heartbeat SET host = 'faraway', at = clock_timestamp()
		WHERE run_uuid = $1`, p.run)
	execute(t, db, `UPDATE public.runs SET status = 'RUNNING' WHERE run_uuid = $1`, p.run)
	wantCode(t, here.Delete(ctx, p.run), tracker.CodeBusy, "faraway")
	execute(t, db, `UPDATE spherelab.heartbeat SET at = at - interval '1 hour' WHERE run_uuid = $1`, p.run)
	noError(t, here.Delete(ctx, p.run))

	// Our own open run is alive too; once finished it can go.
	own := startRun(t, here, "own")
	wantCode(t, here.Delete(ctx, own.ID()), tracker.CodeBusy, "own")
	noError(t, own.Finish(ctx, tracker.Finished))
	noError(t, here.Delete(ctx, own.ID()))
}

func TestOpenInADirectoryThatCannotBe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	noError(t, os.WriteFile(file, nil, 0o644))
	_, err := postgres.Open(context.Background(), "", tracker.Options{DataDir: filepath.Join(file, "home")})
	wantCode(t, err, tracker.CodeInternal, "data directory", filepath.Join(file, "home"))
	wantHints(t, err, hint.NameHome)
	if !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("the cause is lost: %v", err)
	}

	// The folder is there, the private database's cannot be made.
	home := t.TempDir()
	noError(t, os.WriteFile(postgres.ClusterDir(home), nil, 0o644))
	_, err = postgres.Open(context.Background(), "", tracker.Options{DataDir: home})
	wantCode(t, err, tracker.CodeUnavailable, postgres.ClusterDir(home))
	wantHints(t, err, hint.NameHome)
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %v", err)
	}
}
