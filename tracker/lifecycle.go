package tracker

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spherelab/spherelab/tracker/internal/process"
)

// Delete marks a run as deleted, as MLflow does: lists leave it out, and it can be restored. For a run that a living
// program writes, it returns an Error with CodeBusy.
func (t *Tracker) Delete(ctx context.Context, id string) error {
	if err := t.RefuseLive(ctx, id); err != nil {
		return err
	}
	return t.setStage(ctx, id, true)
}

// Restore undoes Delete. A run of which Purge has begun to remove files is an Error with CodeConflict.
func (t *Tracker) Restore(ctx context.Context, id string) error {
	return t.setStage(ctx, id, false)
}

func (t *Tracker) setStage(ctx context.Context, id string, deleted bool) error {
	return t.retry(ctx, "changing run "+id, func(ctx context.Context) error {
		return t.backend.SetStage(ctx, id, deleted)
	})
}

// The tags by which people manage runs.
const (
	TagArchived = "spherelab.archived" // tables leave the run out
	TagStop     = "spherelab.stop"     // when its program was asked to save the state and end; a resumed run loses it
)

// TagError has the last words of a run that did not finish: what its error said. A resumed run loses it.
const TagError = "spherelab.error"

// maxError is the max length of last words, in bytes.
const maxError = 2000

// SetError logs the last words of a run, without passwords and shortened.
func (r *Run) SetError(err error) error {
	text := Redact(strings.ToValidUTF8(strings.ReplaceAll(err.Error(), "\x00", ""), "\ufffd"))
	if len(text) > maxError {
		text = strings.ToValidUTF8(text[:maxError], "") + "..."
	}
	return r.SetTags(map[string]string{TagError: text})
}

// IsManaging reports whether a tag is TagError or one of those by which people manage runs, which have forms and
// commands of their own.
func IsManaging(tag string) bool {
	return tag == TagArchived || tag == TagStop || tag == TagError
}

// SetTag sets a tag of a run that another program may write, or deletes it if the value is "".
func (t *Tracker) SetTag(ctx context.Context, id, key, value string) error {
	if err := CheckTags(map[string]string{key: value}); err != nil {
		return err
	}
	return t.retry(ctx, "changing run "+id, func(ctx context.Context) error {
		return t.backend.SetTag(ctx, id, key, value)
	})
}

// AskToStop asks the program of a RUNNING run to save its state and end, as an interrupt does. It reads that at its
// next heartbeat. A run that has ended is an Error with CodeConflict.
func (t *Tracker) AskToStop(ctx context.Context, run RunInfo) error {
	if run.Status != string(Running) {
		return Errorf(CodeConflict, nil, "run %s is not running: it is %s", run.ID, strings.ToLower(run.Status))
	}
	return t.SetTag(ctx, run.ID, TagStop, time.Now().UTC().Format(time.RFC3339))
}

// Stopping is closed when somebody has asked the run's program to save its state and end.
func (r *Run) Stopping() <-chan struct{} { return r.stopping }

// lookForStop closes what Stopping returns if TagStop is there. An error is left to the next heartbeat.
func (r *Run) lookForStop(ctx context.Context) {
	select {
	case <-r.stopping:
	default:
		if asked, err := r.t.backend.Tag(ctx, r.id, TagStop); err == nil && asked != "" {
			close(r.stopping)
		}
	}
}

// Rename changes the name of a run.
func (t *Tracker) Rename(ctx context.Context, id, name string) error {
	if err := CheckRunName(name); err != nil {
		return err
	}
	return t.SetTag(ctx, id, TagRunName, name)
}

// CheckRunName returns an error if a run cannot have a name.
func CheckRunName(name string) error {
	if strings.TrimSpace(name) == "" {
		return Errorf(CodeInvalid, nil, "a run needs a name")
	}
	return CheckText("the name of run", name, name, MaxRunName)
}

// RefuseLive returns an error with CodeBusy if a living program writes the run. Such a program holds the spool's lock
// in this data directory, or it has a recent heartbeat and is on another machine or a live process of this one. Runs of
// other tools have neither and are never refused.
func (t *Tracker) RefuseLive(ctx context.Context, id string) error {
	var w *Writer
	err := t.retry(ctx, "looking at run "+id, func(ctx context.Context) (err error) {
		w, err = t.backend.Writer(ctx, id)
		return err
	})
	if err != nil || w == nil {
		return err
	}
	busy := Errorf(CodeBusy, nil, "run %s is being written by another program on this machine; end it first", id)
	if w.Known {
		busy = Errorf(CodeBusy, nil, "run %s (%s) is being written by process %d on %s; end that program first",
			id, w.Name, w.PID, w.Host)
	}
	s, _, err := openSpool(spoolPath(t.o.DataDir, id, Claim{}))
	switch {
	case errors.Is(err, errLocked):
		return busy
	case err == nil: // the spool is not locked, so its program is dead
		return Wrap(s.close(), "closing a spool")
	case w.Recent && (process.Hostname() != w.Host || process.Alive(w.PID)):
		return busy
	}
	return nil
}
