package tracker

import (
	"context"
	"errors"
	"maps"
	"os"
)

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
	err = r.reload(ctx, Claim{}, Place{})
	if err == nil {
		if err2 := os.MkdirAll(dir, 0o755); err2 != nil {
			err = Errorf(CodeInternal, err2, "creating the run's artifact folder: %v", err2)
		}
	}
	if err == nil {
		err = t.backend.Refresh(ctx, info)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	r.inBucket = info.inBucket
	r.begin()
	return r, nil
}

// ResumeClaimed is ResumeRun for the worker that holds a claim to the run. It does not wait until the worker that had
// the job before is known to be dead: that one may be frozen, and is refused from now on. So that it does not overwrite
// files either, the run gets an artifact folder of its own, with copies of the files that it had.
func (t *Tracker) ResumeClaimed(ctx context.Context, id string, by Claim) (*Run, error) {
	info, err := t.FindRun(ctx, id)
	if err != nil {
		return nil, err
	}
	place, err := t.backend.Take(ctx, info, by)
	if err != nil {
		return nil, err
	}
	s, err := createSpool(t.o.DataDir, t.identity().Instance, info.ID, by)
	if err != nil {
		return nil, errors.Join(Wrap(err, "creating a spool"), os.RemoveAll(place.Dir))
	}
	r := t.newRun(info.ID, info.Name, place.Dir, s)
	r.inBucket = info.inBucket
	if err = r.reload(ctx, by, place); err != nil {
		return nil, errors.Join(err, s.remove(), os.RemoveAll(place.Dir))
	}
	r.begin()
	return r, nil
}

// takeSpool returns the run's spool, locked and empty, after storing what an earlier program left in it.
func (t *Tracker) takeSpool(ctx context.Context, run string) (*spool, error) {
	busy := Errorf(CodeBusy, errLocked, "run %s is being written by another program on this machine", run)
	s, header, err := awaitSpool(ctx, spoolPath(t.o.DataDir, run, Claim{}))
	switch {
	case errors.Is(err, os.ErrNotExist):
		s, err = createSpool(t.o.DataDir, t.identity().Instance, run, Claim{})
		if errors.Is(err, errLocked) {
			return nil, busy
		}
		return s, Wrap(err, "creating a spool")
	case errors.Is(err, errLocked):
		return nil, busy
	case err != nil:
		return nil, Wrap(err, "opening the spool of run "+run)
	case header.Database != t.identity().Instance:
		return nil, errors.Join(Errorf(CodeConflict, nil, "the spool %s belongs to another database", s.path),
			s.close())
	}
	if _, _, err := t.drain(ctx, s, run); err != nil {
		return nil, errors.Join(Wrap(err, "replaying the spool of run "+run), s.close())
	}
	if _, err := s.compact(s.end(), 0); err != nil {
		return nil, errors.Join(Wrap(err, "emptying the spool of run "+run), s.close())
	}
	if header.Version == spoolVersion {
		return s, nil
	}
	if err := s.remove(); err != nil { // an earlier program would not understand what this one adds
		return nil, Wrap(err, "removing the spool of run "+run)
	}
	s, err = createSpool(t.o.DataDir, t.identity().Instance, run, Claim{})
	if errors.Is(err, errLocked) {
		return nil, busy
	}
	return s, Wrap(err, "creating a spool")
}

// reload marks the run RUNNING and reads what is stored of it.
func (r *Run) reload(ctx context.Context, by Claim, at Place) error {
	var stored Batch
	err := r.t.retry(ctx, "resuming run "+r.id, func(ctx context.Context) (err error) {
		if stored, err = r.t.backend.Resume(ctx, r.id, by, at); err != nil {
			return err
		}
		for _, tag := range []string{TagStop, TagError} { // of the program before
			if err := r.t.backend.SetTag(ctx, r.id, tag, ""); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.params = map[string]string{}
	maps.Copy(r.params, stored.Params)
	r.previous = map[string]map[int64]metricValue{}
	for _, p := range stored.Metrics {
		if r.previous[p.Key] == nil {
			r.previous[p.Key] = map[int64]metricValue{}
		}
		r.previous[p.Key][p.Step] = metricValue{p.Value, p.IsNaN}
	}
	for _, result := range stored.Relations {
		r.relations[result.Key()] = result
	}
	for _, result := range stored.Results {
		r.results[result.Key()] = result
	}
	return nil
}
