package postgres_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// Spools that cannot be read, or that a newer program wrote, stay. They neither stop the tracker nor the replay of
// others.
func TestSpoolsThatCannotBeReadAreNamed(t *testing.T) {
	t.Parallel()
	uri, dir := trackertest.Database(t), t.TempDir()
	p := startChild(t, dir, uri)
	p.next(t, "step")
	last := p.kill(t)
	spool := func(name string) string { return filepath.Join(dir, "spool", strings.Repeat(name, 32)+".spool") }
	noError(t, os.Mkdir(spool("0"), 0o700)) // is read before the child's
	header := `{"t":"header","v":6,"db":"x","run":"r"}`
	sum := crc32.Checksum([]byte(header), crc32.MakeTable(crc32.Castagnoli))
	noError(t, os.WriteFile(spool("1"), fmt.Appendf(nil, "%08x %s\n", sum, header), 0o600))
	var said []string
	tr := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir, Say: func(s string) { said = append(said, s) }})
	checkSteps(t, tr, p.run, "loss", last, func(s int64) float64 { return 1 / float64(s) })
	text := strings.Join(said, "\n")
	for _, want := range []string{spool("0") + " stays", "is a directory", spool("1") + " stays",
		"its format is 6 and this program reads formats 1 to 5"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in what was said:\n%s", want, text)
		}
	}
	if strings.Contains(text, "database cannot be reached") {
		t.Errorf("the database is blamed:\n%s", text)
	}
	if left := spools(t, dir); len(left) != 2 {
		t.Errorf("spools: %v", left)
	}
}

// A sweep opens its tracker, and starts its next run, while a server restarts.
func TestOpenWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	way := newProxy(t, trackertest.Database(t))
	way.cut()
	time.AfterFunc(300*time.Millisecond, way.mend)
	tr := trackertest.StoreWith(t, way.uri, tracker.Options{RetryFor: time.Minute})
	noError(t, startRun(t, tr, "patient").Finish(context.Background(), tracker.Finished))
}

// MLflow's clients may store any number as a time.
func TestTimesInNanoseconds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri := trackertest.Database(t)
	tr := trackertest.StoreWith(t, uri, tracker.Options{})
	for _, name := range []string{"odd", "even"} {
		run := startRun(t, tr, name)
		noError(t, run.LogMetrics(1, map[string]float64{"loss": 1}))
		noError(t, run.Finish(ctx, tracker.Finished))
	}
	db := connect(t, uri)
	execute(t, db, `UPDATE runs SET start_time = 1700000000000000000, end_time = -5 WHERE name = 'odd'`)
	execute(t, db, `UPDATE metrics SET timestamp = 9223372036854775807
		WHERE run_uuid = (SELECT run_uuid FROM runs WHERE name = 'odd')`)
	if info := must[tracker.RunInfo](t)(tr.FindRun(ctx, "odd")); !info.Start.IsZero() || !info.End.IsZero() {
		t.Errorf("from %v to %v", info.Start, info.End)
	}
	want(t, rowsOf(t, tr, `SELECT run_name, start_time IS NULL, end_time IS NULL FROM run_wide ORDER BY 1`),
		"[even false false]\n[odd true true]\n")
	want(t, rowsOf(t, tr, `SELECT run_name, epoch, at IS NULL FROM epoch ORDER BY 1`),
		"[even 1 false]\n[odd 1 true]\n")
}

func TestServerWithoutTLS(t *testing.T) {
	t.Parallel()
	uri := newProxy(t, trackertest.Database(t)).uri
	_, err := postgres.Open(context.Background(), strings.Replace(uri, "sslmode=disable", "", 1),
		tracker.Options{DataDir: t.TempDir()})
	wantCode(t, err, tracker.CodeInternal, "no TLS", "add sslmode=disable to the address")
}

// A run that ended while the database was away is stored by the same program, before a sweep starts its next run.
func TestReplayInTheSameProgram(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	way := newProxy(t, trackertest.Database(t))
	tr := trackertest.StoreWith(t, way.uri, tracker.Options{RetryFor: time.Minute})
	run := startRun(t, tr, "ended away")
	noError(t, run.LogMetrics(1, map[string]float64{"loss": 1}))
	way.cut()
	soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	wantCode(t, run.Finish(soon, tracker.Finished), tracker.CodeSpooled)
	time.AfterFunc(300*time.Millisecond, way.mend)
	done, err := tr.ReplaySpools(ctx)
	if err != nil || len(done) != 1 || done[0].Status != tracker.Finished {
		t.Errorf("replayed %v, %v", done, err)
	}
	checkSteps(t, tr, run.ID(), "loss", 1, func(int64) float64 { return 1 })
}
