package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// lookup returns the value of an environment variable.
func (a *app) lookup(name string) string {
	for _, item := range a.env {
		if value, ok := strings.CutPrefix(item, name+"="); ok {
			return value
		}
	}
	return ""
}

// dataHome returns the folder for everything that the program keeps.
func (a *app) dataHome() (string, error) {
	home, err := open.Home(a.home, a.lookup)
	if err != nil {
		return "", fmt.Errorf("%w or give --data-dir", err)
	}
	return home, nil
}

// address is where runs are logged, and where that address comes from.
type address struct{ uri, origin string }

// configAddress returns the tracker's address in a config.
func configAddress(c *config.Config) address {
	return address{c.Tracker.URI, c.Origin("tracker.uri").String()}
}

// address returns the tracker's address for commands that have no config.
func (a *app) address() (address, error) {
	if a.trackerURI != "" {
		return address{a.trackerURI, "flag --tracker"}, nil
	}
	c, err := config.Load(config.Layers{Env: a.env})
	if err != nil {
		return address{}, err
	}
	return configAddress(c.Config()), nil
}

// hasDatabase reports whether runs may have been logged: a database is named, or there is a private one.
func (a *app) hasDatabase() bool {
	at, err := a.address()
	if err != nil {
		return false
	}
	home, err := a.dataHome()
	if err != nil {
		return at.uri != ""
	}
	_, err = os.Stat(filepath.Join(home, "postgres"))
	return at.uri != "" || err == nil
}

// openTracker opens the tracker. patience is how long it waits for a lost database; 0 is a few seconds.
func (a *app) openTracker(ctx context.Context, at address, patience time.Duration) (*tracker.Tracker, error) {
	home, err := a.dataHome()
	if err != nil {
		return nil, err
	}
	if _, secret, err := postgres.SplitPassword(at.uri); err == nil && secret != "" && a.isArgument(at.uri) {
		fmt.Fprintln(a.stderr, "note: every user of this machine can read the password in an argument; leave it out, and "+
			"write it into ~/.pgpass or the file that PGPASSFILE names, or set the address in DATABASE_URL")
	}
	options, err := open.Options(home, a.lookup)
	if err != nil {
		return nil, usageError{err}
	}
	options.RetryFor = patience
	options.Say = func(line string) { fmt.Fprintln(a.stderr, visible.Line(line)) }
	t, err := open.Tracker(ctx, at.uri, options)
	if err != nil {
		return nil, withOrigin(err, at)
	}
	return t, nil
}

// isArgument reports whether an address is on the command line, which every user of the machine can read.
func (a *app) isArgument(uri string) bool {
	return slices.ContainsFunc(a.args, func(arg string) bool { return strings.Contains(arg, uri) })
}

// withOrigin adds to an error of opening the tracker where its address comes from.
func withOrigin(err error, at address) error {
	if at.uri == "" || errors.Is(err, context.Canceled) {
		return err
	}
	said := fmt.Errorf("%w; the address is from %s, without it the private database is used", err, at.origin)
	switch tracker.ErrorCode(err) {
	case tracker.CodeInvalid, tracker.CodeUnsupported:
		return usageError{said}
	case tracker.CodeUnavailable:
		return said
	}
	return err
}

// findRun finds a run, and writes a note if several runs have its name.
func (a *app) findRun(ctx context.Context, t *tracker.Tracker, ref string) (tracker.RunInfo, error) {
	return a.noteSameName(t.FindRun(ctx, ref))
}

// findModel is findRun for commands that answer with a trained model.
func (a *app) findModel(ctx context.Context, t *tracker.Tracker, ref string) (tracker.RunInfo, error) {
	run, err := answer.FindModel(ctx, t, ref)
	return a.notePassed(run, err, "without a model")
}

// findResumable is findRun for commands that continue a run.
func (a *app) findResumable(ctx context.Context, t *tracker.Tracker, ref string) (tracker.RunInfo, error) {
	run, err := answer.FindResumable(ctx, t, ref)
	return a.notePassed(run, err, "that cannot be resumed")
}

// findFinished is findRun for commands that repeat or compare all numbers of a run.
func (a *app) findFinished(ctx context.Context, t *tracker.Tracker, ref string) (tracker.RunInfo, error) {
	run, err := answer.FindFinished(ctx, t, ref)
	return a.notePassed(run, err, "that did not finish")
}

// notePassed is noteSameName, and adds why newer runs were passed over.
func (a *app) notePassed(run tracker.RunInfo, err error, lack string) (tracker.RunInfo, error) {
	if err != nil || run.Passed == 0 {
		return a.noteSameName(run, err)
	}
	name, newer := visible.Line(run.Name), quantity.Count(run.Passed, "newer run")
	fmt.Fprintf(a.stderr, "note: this is run %s (%s), not the newest: it passes over %s %s\n", tracker.ShortID(run.ID),
		name, newer, lack)
	return run, err
}

func (a *app) noteSameName(run tracker.RunInfo, err error) (tracker.RunInfo, error) {
	if err == nil && run.SameName > 0 {
		fmt.Fprintf(a.stderr, "note: %s is the name of %d runs; this is the newest, %s\n",
			visible.Line(run.Name), run.SameName+1, tracker.ShortID(run.ID))
	}
	return run, err
}

// closeAnd closes c and keeps the first error.
func closeAnd(err error, c interface{ Close() error }) error {
	if closeErr := c.Close(); err == nil {
		return closeErr
	}
	return err
}

// environment describes this program, this machine and the command line.
func (a *app) environment(ctx context.Context) experiments.Environment {
	e := experiments.ReadEnvironment(ctx)
	e.EntryPoint = a.entryPoint
	return e
}

// withDatabase is withTracker for commands that need SQL, which a tracking server does not have.
func (a *app) withDatabase(ctx context.Context, do func(*postgres.Store) error) error {
	return a.withTracker(ctx, func(t *tracker.Tracker) error {
		s, err := postgres.Of(t)
		if err != nil {
			return usageError{err}
		}
		return do(s)
	})
}

// withTracker opens the tracker for one command.
func (a *app) withTracker(ctx context.Context, do func(*tracker.Tracker) error) (err error) {
	at, err := a.address()
	if err != nil {
		return err
	}
	t, err := a.openTracker(ctx, at, 0)
	if err != nil {
		return err
	}
	defer func() { err = closeAnd(err, t) }()
	return do(t)
}
