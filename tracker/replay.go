package tracker

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// Replay reports on the spool of a program that ended before it finished its run.
type Replay struct {
	RunID  string
	Name   string
	Points int    // metric points in the spool; some may have been stored before
	Status Status // the run's state now
}

// ReplaySpools writes what dead programs left in this data directory's spools to the database, marks their runs FAILED
// unless they had finished, and removes the spools. It leaves spools of living programs and of other databases alone. A
// spool whose file cannot be read or removed, or whose artifacts cannot be sent, is named in a notice and stays; the
// others are replayed all the same.
func (t *Tracker) ReplaySpools(ctx context.Context) ([]Replay, error) {
	paths, err := filepath.Glob(filepath.Join(t.o.DataDir, "spool", "*.spool"))
	if err != nil {
		return nil, wrap(err, "listing spools")
	}
	t.removeUnfinishedSpools()
	var all []Replay
	for _, path := range paths {
		done, err := t.replayFile(ctx, path)
		switch {
		case isFileError(err), isUndecided(err), isBucketError(err):
			t.say("%s stays, and its run is not replayed: %s", path, plain(err))
		case err != nil:
			return all, err
		case done != nil:
			all = append(all, *done)
		}
	}
	return all, nil
}

// isFileError reports whether err is about a file of this machine and not about the database.
func isFileError(err error) bool {
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	_, newer := errors.AsType[*newerSpoolError](err)
	return path || link || newer
}

// replayFile replays the spool of a path. It returns nil if there was nothing to store.
func (t *Tracker) replayFile(ctx context.Context, path string) (*Replay, error) {
	s, header, err := openSpool(path)
	switch {
	case errors.Is(err, errLocked), errors.Is(err, os.ErrNotExist):
		return nil, nil
	case errors.Is(err, errDamaged):
		t.say("%s is not a spool file, or its header is damaged; it is renamed to %s.damaged", path,
			filepath.Base(path))
		return nil, wrap(os.Rename(path, path+".damaged"), "renaming a spool")
	case err != nil:
		return nil, wrap(err, "opening a spool")
	case header.Database != t.instance:
		return nil, wrap(s.close(), "closing a spool")
	}
	done, err := t.replay(ctx, s, header.Run)
	return done, cmp.Or(err, s.close())
}

// removeUnfinishedSpools deletes the files of programs that were killed inside createSpool. They hold no records.
func (t *Tracker) removeUnfinishedSpools() {
	left, err := filepath.Glob(filepath.Join(t.o.DataDir, "spool", "new-*"))
	if err != nil {
		return
	}
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(path) // untidy at worst
		}
	}
}

// replay stores one dead program's spool and removes it. It returns nil if there was nothing to store.
func (t *Tracker) replay(ctx context.Context, s *spool, run string) (*Replay, error) {
	var info struct {
		Name   string
		Status Status
	}
	const state = `SELECT coalesce(name, '') AS name, coalesce(status, '') AS status FROM public.runs WHERE run_uuid = $1`
	err := t.retry(ctx, "replaying the spool of run "+run, func(ctx context.Context) error {
		if t.remote != nil {
			name, status, err := t.remote.state(ctx, run)
			info.Name, info.Status = name, status
			return err
		}
		return t.db.GetContext(ctx, &info, state, run)
	})
	if isNoRows(err) && t.remote != nil { // its address may lead to another database for a while
		t.say("%s has no run %s; %s stays, and every start tries again. Remove the file if the run is gone for good",
			t.where(), run, s.path)
		return nil, nil // the caller closes it
	}
	if isNoRows(err) {
		if s.end() == s.head { // killed before the run was created
			return nil, wrap(s.remove(), "removing an empty spool")
		}
		t.say("run %s is no longer in %s; its spool is renamed to %s.orphan", run, t.kind(), filepath.Base(s.path))
		return nil, wrap(errors.Join(os.Rename(s.path, s.path+".orphan"), s.close()), "renaming a spool")
	}
	if err != nil {
		return nil, wrap(err, "replaying the spool of run "+run)
	}
	points, last, err := t.drain(ctx, s, run)
	if err == nil && t.remote == nil { // a tracking server knows no leases
		err = t.endDead(ctx, s, run, last)
	}
	if ErrorCode(err) == CodeFenced {
		t.say("run %s (%s): another worker has taken it over from a program that ended here, whose last records are dropped",
			info.Name, ShortID(run))
		return nil, wrap(s.remove(), "removing a spool")
	}
	if err != nil {
		if !isPermanent(err) {
			return nil, wrap(err, "replaying the spool of run "+run)
		}
		t.say("%s refuses records of run %s (%s); its spool is renamed to %s.refused",
			t.kind(), run, plain(err), filepath.Base(s.path))
		err = t.endDead(ctx, s, run, last) // what remains of it is not of a run that goes on
		return nil, wrap(errors.Join(os.Rename(s.path, s.path+".refused"), s.close(), err), "renaming a spool")
	}
	err = t.retry(ctx, "replaying the spool of run "+run, func(ctx context.Context) error {
		if t.remote != nil {
			info.Status, err = t.remote.endDead(ctx, run, last)
			return err
		}
		return t.db.GetContext(ctx, &info, state, run)
	})
	if err != nil {
		return nil, err
	}
	if err := s.remove(); err != nil {
		return nil, wrap(err, "removing a replayed spool")
	}
	t.say("the program of run %s (%s) ended before the run; %d points of its spool are stored, the run is %s",
		info.Name, ShortID(run), points, info.Status)
	return &Replay{RunID: run, Name: info.Name, Points: points, Status: info.Status}, nil
}

// endDead ends the run of a dead program's spool, unless it had finished.
func (t *Tracker) endDead(ctx context.Context, s *spool, run string, last int64) error {
	return t.repeat(ctx, "replaying the spool of run "+run, func(ctx context.Context) error {
		if t.remote != nil {
			_, err := t.remote.endDead(ctx, run, last)
			return err
		}
		return t.inTx(ctx, func(tx *sqlx.Tx) error { return s.by.endDead(ctx, tx, run, last) })
	})
}

// drain writes a whole spool. last is the time of its latest record in Unix milliseconds.
func (t *Tracker) drain(ctx context.Context, s *spool, run string) (points int, last int64, err error) {
	for offset := s.head; offset < s.end(); {
		var part spoolPart
		if t.remote != nil {
			t.remote.doubt(run) // which of them were sent, only the server knows
		}
		err := t.repeat(ctx, "replaying the spool of run "+run, func(ctx context.Context) error {
			if part = s.part(offset); part.err != nil {
				return part.err
			}
			return t.flushPart(ctx, run, s, part)
		})
		if err != nil {
			return points, last, err
		}
		points += len(part.metrics)
		last = max(last, part.last)
		offset = part.next
	}
	return points, last, nil
}

// markFailed sets a run's status to FAILED if the database can be reached.
func (t *Tracker) markFailed(ctx context.Context, run string) {
	if t.remote != nil {
		if _, err := t.remote.endDead(ctx, run, time.Now().UnixMilli()); err != nil {
			t.say("run %s could not be marked FAILED: %s", run, plain(err))
		}
		return
	}
	_, err := t.db.ExecContext(ctx, `UPDATE public.runs SET status = 'FAILED', end_time = $2 WHERE run_uuid = $1`,
		run, time.Now().UnixMilli())
	if err != nil {
		t.say("run %s could not be marked FAILED: %s", run, plain(err))
	}
}

// SweepStale marks as FAILED the RUNNING runs whose program is dead: its spool in this data directory is not locked, or
// its last heartbeat is older than Options.StaleAfter. Runs that another tool started have no heartbeat and are left
// alone. It returns the ids of the runs that changed.
func (t *Tracker) SweepStale(ctx context.Context) ([]string, error) {
	replayed, err := t.ReplaySpools(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, r := range replayed {
		if r.Status == Failed {
			ids = append(ids, r.RunID)
		}
	}
	if t.remote != nil {
		t.say("%s keeps no signs of life: only runs of this machine are looked at", t.where())
		return ids, nil
	}
	alive, err := t.localRuns()
	if err != nil {
		return ids, err
	}
	var stale []string
	err = t.db.SelectContext(ctx, &stale, `UPDATE public.runs r
		SET status = 'FAILED', end_time = greatest(r.start_time, (extract(epoch FROM h.at) * 1000)::bigint)
		FROM spherelab.heartbeat h
		WHERE h.run_uuid = r.run_uuid AND r.status = 'RUNNING' AND h.at < clock_timestamp() - make_interval(secs => $1)
			AND r.run_uuid <> ALL ($2)
		RETURNING r.run_uuid`, t.o.StaleAfter.Seconds(), pq.Array(alive))
	return append(ids, stale...), wrap(err, "looking for stale runs")
}

// localRuns lists the runs with a spool in this data directory. After a replay they are alive, or of another database.
func (t *Tracker) localRuns() ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(t.o.DataDir, "spool", "*.spool"))
	ids := make([]string, 0, len(paths))
	for _, path := range paths {
		id, _, _ := strings.Cut(filepath.Base(path), ".")
		ids = append(ids, id)
	}
	return ids, wrap(err, "listing spools")
}

// ResumeRun opens an existing run for writing and marks it RUNNING again. It first stores what the last program left in
// the spool.
func (t *Tracker) ResumeRun(ctx context.Context, id string) (*Run, error) {
	info, err := t.FindRun(ctx, id)
	if err != nil {
		return nil, err
	}
	dir, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	s, err := t.takeSpool(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	r := t.newRun(info.ID, info.Name, dir, s)
	err = t.retry(ctx, "resuming run "+info.ID, func(ctx context.Context) error {
		if t.remote != nil {
			return t.remote.reload(ctx, r)
		}
		return t.inTx(ctx, func(tx *sqlx.Tx) error {
			if err := t.refuseOther(ctx, tx, r.id); err != nil {
				return err
			}
			if err := (claim{}).detach(ctx, tx, r.id); err != nil {
				return err
			}
			return r.reload(ctx, tx)
		})
	})
	if err == nil {
		if err2 := os.MkdirAll(dir, 0o755); err2 != nil {
			err = errorf(CodeInternal, err2, "creating the run's artifact folder: %v", err2)
		}
	}
	if err == nil {
		err = t.refresh(ctx, info)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	r.inBucket = info.inBucket
	r.begin()
	return r, nil
}

// takeSpool returns the run's spool, locked and empty, after storing what an earlier program left in it.
func (t *Tracker) takeSpool(ctx context.Context, run string) (*spool, error) {
	busy := errorf(CodeBusy, errLocked, "run %s is being written by another program on this machine", run)
	s, header, err := awaitSpool(ctx, spoolPath(t.o.DataDir, run, claim{}))
	switch {
	case errors.Is(err, os.ErrNotExist):
		s, err = createSpool(t.o.DataDir, t.instance, run, claim{})
		if errors.Is(err, errLocked) {
			return nil, busy
		}
		return s, wrap(err, "creating a spool")
	case errors.Is(err, errLocked):
		return nil, busy
	case err != nil:
		return nil, wrap(err, "opening the spool of run "+run)
	case header.Database != t.instance:
		return nil, errors.Join(errorf(CodeConflict, nil, "the spool %s belongs to another database", s.path),
			s.close())
	}
	if _, _, err := t.drain(ctx, s, run); err != nil {
		return nil, errors.Join(wrap(err, "replaying the spool of run "+run), s.close())
	}
	if _, err := s.compact(s.end(), 0); err != nil {
		return nil, errors.Join(wrap(err, "emptying the spool of run "+run), s.close())
	}
	if header.Version == spoolVersion {
		return s, nil
	}
	if err := s.remove(); err != nil { // an earlier program would not understand what this one adds
		return nil, wrap(err, "removing the spool of run "+run)
	}
	s, err = createSpool(t.o.DataDir, t.instance, run, claim{})
	if errors.Is(err, errLocked) {
		return nil, busy
	}
	return s, wrap(err, "creating a spool")
}

// reload reads the stored params, points and results, and marks the run RUNNING.
func (r *Run) reload(ctx context.Context, tx *sqlx.Tx) error {
	var params []struct{ Key, Value string }
	err := tx.SelectContext(ctx, &params, `SELECT key, value FROM public.params WHERE run_uuid = $1`, r.id)
	if err != nil {
		return err
	}
	clear(r.params)
	for _, p := range params {
		r.params[p.Key] = p.Value
	}
	var points []struct {
		Key   string
		Step  int64
		Value float64
		IsNaN bool `db:"is_nan"`
	}
	err = tx.SelectContext(ctx, &points, `SELECT DISTINCT ON (key, step) key, step, value, is_nan FROM public.metrics
		WHERE run_uuid = $1 ORDER BY key, step, timestamp DESC, value DESC`, r.id)
	if err != nil {
		return err
	}
	r.previous = map[string]map[int64]metricValue{}
	for _, p := range points {
		if r.previous[p.Key] == nil {
			r.previous[p.Key] = map[int64]metricValue{}
		}
		r.previous[p.Key][p.Step] = metricValue{p.Value, p.IsNaN}
	}
	var relations []RelationResult
	if err := tx.SelectContext(ctx, &relations, selectRelations, r.id); err != nil {
		return err
	}
	clear(r.relations)
	for _, result := range relations {
		r.relations[result.key()] = result
	}
	var rows []resultRow
	if err := tx.SelectContext(ctx, &rows, selectResults, r.id); err != nil {
		return err
	}
	clear(r.results)
	for _, result := range results(rows) {
		r.results[result.key()] = result
	}
	_, err = tx.ExecContext(ctx, `UPDATE public.runs SET status = 'RUNNING', end_time = NULL WHERE run_uuid = $1`, r.id)
	if err != nil {
		return err
	}
	return recordHeartbeat(ctx, tx, r.id)
}

// refuseOther is an error if another program writes the run. The spool's lock excludes programs with this data
// directory; heartbeats show those with other data directories or on other machines.
func (t *Tracker) refuseOther(ctx context.Context, tx *sqlx.Tx, run string) error {
	var other struct {
		Host string
		PID  int
	}
	err := tx.GetContext(ctx, &other, `SELECT h.host, h.pid FROM spherelab.heartbeat h JOIN public.runs r USING (run_uuid)
		WHERE h.run_uuid = $1 AND r.status = 'RUNNING' AND h.at > clock_timestamp() - make_interval(secs => $2)`,
		run, t.o.StaleAfter.Seconds())
	switch {
	case isNoRows(err):
		return nil
	case err != nil:
		return err
	}
	if other.Host == hostname() && (other.PID == os.Getpid() || !alive(other.PID)) {
		return nil
	}
	return errorf(CodeBusy, nil, "run %s is being written by process %d on %s", run, other.PID, other.Host)
}
