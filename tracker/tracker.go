package tracker

import (
	"context"
	"errors"
	"os"
	"os/user"
	"strconv"
	"sync"
	"time"
)

// Tracker logs runs to a store and reads them from it.
type Tracker struct {
	o       Options
	backend Backend
	user    string

	runsMu sync.Mutex
	runs   map[string]*Run // open runs
}

// New returns a tracker on an open backend. o must come from Prepare. New does not call ReplaySpools.
func New(b Backend, o Options) *Tracker {
	return &Tracker{o: o, backend: b, user: User(), runs: map[string]*Run{}}
}

// identity returns the current identity of the store, which a restored backup changes.
func (t *Tracker) identity() Identity { return t.backend.Identity() }

// Backend returns where the tracker stores runs.
func (t *Tracker) Backend() Backend { return t.backend }

// Remote reports whether runs are logged to a tracking server, which has no SQL.
func (t *Tracker) Remote() bool { return t.identity().Sends }

// DataDir returns the tracker's folder on this machine.
func (t *Tracker) DataDir() string { return t.o.DataDir }

// Close stores what the open runs have spooled, as far as the store accepts it within a few seconds, and closes the
// connection. Runs that were not finished stay RUNNING and can be resumed.
func (t *Tracker) Close() error {
	t.runsMu.Lock()
	open := make([]*Run, 0, len(t.runs))
	for _, r := range t.runs {
		open = append(open, r)
	}
	t.runsMu.Unlock()
	var errs []error
	for _, r := range open {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		errs = append(errs, r.release(ctx))
		cancel()
	}
	return errors.Join(append(errs, t.backend.Close())...)
}

// say passes a notice of one line on to Options.Say.
func (t *Tracker) say(format string, args ...any) { t.o.Notice(format, args...) }

// retry repeats f while the store cannot be reached, for at most RetryFor.
func (t *Tracker) retry(ctx context.Context, doing string, f func(context.Context) error) error {
	return t.o.Retry(ctx, doing, f)
}

// User returns the user name of new runs.
func User() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	return strconv.Itoa(os.Getuid())
}
