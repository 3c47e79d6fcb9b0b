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
		return nil, Wrap(err, "listing spools")
	}
	t.removeUnfinishedSpools()
	var all []Replay
	for _, path := range paths {
		done, err := t.replayFile(ctx, path)
		switch {
		case isFileError(err), isElsewhere(err):
			t.say("%s stays, and its run is not replayed: %s", path, Plain(err))
		case err != nil:
			return all, err
		case done != nil:
			all = append(all, *done)
		}
	}
	return all, nil
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
		return nil, Wrap(os.Rename(path, path+".damaged"), "renaming a spool")
	case err != nil:
		return nil, Wrap(err, "opening a spool")
	case header.Database != t.identity().Instance:
		return nil, Wrap(s.close(), "closing a spool")
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
	doing := "replaying the spool of run " + run
	var state State
	err := t.o.Repeat(ctx, doing, func(ctx context.Context) (err error) {
		state, err = t.backend.State(ctx, run)
		return err
	})
	switch {
	case err != nil:
		return nil, Wrap(err, doing)
	case state.Missing && !state.Gone: // its address may lead to another database for a while
		t.say("%s has no run %s; %s stays, and every start tries again. Remove the file if the run will not come back",
			t.identity().Where, run, s.path)
		return nil, nil // the caller closes it
	case state.Missing && s.end() == s.head: // killed before the run was created
		return nil, Wrap(s.remove(), "removing an empty spool")
	case state.Missing:
		t.say("run %s is no longer in %s; its spool is renamed to %s.orphan", run, t.identity().Kind, filepath.Base(s.path))
		return nil, Wrap(errors.Join(os.Rename(s.path, s.path+".orphan"), s.close()), "renaming a spool")
	}
	points, last, err := t.drain(ctx, s, run)
	if err == nil {
		state.Status, err = t.endDead(ctx, s, run, last)
	}
	if ErrorCode(err) == CodeFenced {
		t.say("run %s (%s): another worker has taken it over from a program that ended here, whose last records are dropped",
			state.Name, ShortID(run))
		return nil, Wrap(s.remove(), "removing a spool")
	}
	if err != nil {
		if !isPermanent(err) {
			return nil, Wrap(err, doing)
		}
		t.say("%s refuses records of run %s (%s); its spool is renamed to %s.refused",
			t.identity().Kind, run, Plain(err), filepath.Base(s.path))
		_, err = t.endDead(ctx, s, run, last) // what remains of it is not of a run that continues
		return nil, Wrap(errors.Join(os.Rename(s.path, s.path+".refused"), s.close(), err), "renaming a spool")
	}
	if err := s.remove(); err != nil {
		return nil, Wrap(err, "removing a replayed spool")
	}
	t.say("the program of run %s (%s) ended before the run; %d points of its spool are stored, the run is %s",
		state.Name, ShortID(run), points, state.Status)
	return &Replay{RunID: run, Name: state.Name, Points: points, Status: state.Status}, nil
}

// endDead ends the run of a dead program's spool, unless it had finished, and returns its status.
func (t *Tracker) endDead(ctx context.Context, s *spool, run string, last int64) (status Status, err error) {
	err = t.o.Repeat(ctx, "replaying the spool of run "+run, func(ctx context.Context) (err error) {
		status, err = t.backend.EndDead(ctx, run, s.by, last)
		return err
	})
	return status, err
}

// drain writes a whole spool. last is the time of its latest record in Unix milliseconds.
func (t *Tracker) drain(ctx context.Context, s *spool, run string) (points int, last int64, err error) {
	for offset := s.head; offset < s.end(); {
		var part spoolPart
		err := t.o.Repeat(ctx, "replaying the spool of run "+run, func(ctx context.Context) error {
			if part = s.part(offset); part.err != nil {
				return part.err
			}
			part.Again = true // which of them were stored, only the store knows
			return t.flushPart(ctx, run, s, part)
		})
		if err != nil {
			return points, last, err
		}
		points += len(part.Metrics)
		last = max(last, part.last)
		offset = part.next
	}
	return points, last, nil
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
	spooled, err := t.localRuns()
	if err != nil {
		return ids, err
	}
	stale, err := t.backend.Stale(ctx, spooled)
	return append(ids, stale...), Wrap(err, "looking for stale runs")
}

// localRuns lists the runs with a spool in this data directory. After a replay they are alive, or of another database.
func (t *Tracker) localRuns() ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(t.o.DataDir, "spool", "*.spool"))
	ids := make([]string, 0, len(paths))
	for _, path := range paths {
		id, _, _ := strings.Cut(filepath.Base(path), ".")
		ids = append(ids, id)
	}
	return ids, Wrap(err, "listing spools")
}

// RemoveSpools removes what a dead program left of a run. A living one is an error with CodeBusy.
func (t *Tracker) RemoveSpools(id string) error {
	paths, err := filepath.Glob(filepath.Join(t.o.DataDir, "spool", id+"*.spool"))
	for _, path := range paths {
		s, _, err := openSpool(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, errLocked):
			return Errorf(CodeBusy, nil, "run %s is being written by another program on this machine; end it first", id)
		case err != nil:
			return Wrap(err, "opening the spool "+path)
		default:
			if err := s.remove(); err != nil {
				return Wrap(err, "removing the spool "+path)
			}
		}
	}
	return Wrap(err, "listing spools")
}

// HasSpool reports whether a program with this data directory writes a run, or has died at it.
func HasSpool(dataDir, run string) bool {
	_, err := os.Stat(spoolPath(dataDir, run, Claim{}))
	return err == nil
}
