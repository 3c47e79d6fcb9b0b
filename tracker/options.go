package tracker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
)

// Options are how and where a tracker stores things. Only DataDir is required.
type Options struct {
	DataDir string // holds artifacts/, spool/ and, with a private cluster, postgres/
	// ArtifactDir is where new runs keep their artifacts, for machines that share them: a folder, or
	// s3://BUCKET/PREFIX. "": DataDir/artifacts
	ArtifactDir    string
	Bucket         BucketLogin   // credentials for artifacts in a bucket
	CacheDir       string        // for downloaded PostgreSQL programs; "": DataDir/cache
	ReaderURL      string        // a SELECT-only login for SQL queries, for a server where none can be created
	FlushEvery     time.Duration // how often the spool is written to the database; 0: 1 s
	HeartbeatEvery time.Duration // 0: 10 s
	StaleAfter     time.Duration // a run without a heartbeat for this long is dead; 0: 2 minutes
	Login          Login         // credentials for a tracking server
	RetryFor       time.Duration // how long Open, StartRun and other calls wait for a lost database; 0: 15 s
	Idle           time.Duration // how long the private server stays after the last program or connection; 0: 30 s
	Scratch        bool          // for tests: a private cluster that skips fsync and is removed after use
	// receives notices of one line (slow steps, replayed spools, lost database); may be nil
	Say func(string)
}

// Prepare sets the defaults of o, and makes the data directory.
func (o Options) Prepare() (Options, error) {
	if o.DataDir == "" {
		return o, Errorf(CodeInvalid, nil, "the tracker needs a data directory")
	}
	dir, err := filepath.Abs(o.DataDir)
	if err != nil {
		return o, Errorf(CodeInvalid, err, "data directory %q: %v", o.DataDir, err)
	}
	o.DataDir = dir
	if err := os.MkdirAll(filepath.Join(dir, "spool"), 0o700); err != nil {
		return o, Unwritable(CodeInternal, "", dir, err)
	}
	o.CacheDir = cmp.Or(o.CacheDir, filepath.Join(dir, "cache"))
	o.FlushEvery = cmp.Or(o.FlushEvery, time.Second)
	o.HeartbeatEvery = cmp.Or(o.HeartbeatEvery, 10*time.Second)
	o.StaleAfter = cmp.Or(o.StaleAfter, 2*time.Minute)
	o.RetryFor = cmp.Or(o.RetryFor, 15*time.Second)
	if o.Say == nil {
		o.Say = func(string) {}
	}
	return o, nil
}

// Unwritable returns the error for a folder of the data directory that cannot be created or written.
func Unwritable(code Code, doing, dir string, err error) *Error {
	remedy := ""
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		remedy = "; free space on its disk"
	}
	return Errorf(code, err, "%sthe data directory cannot be written: %s: %s%s", doing, dir, Plain(err), remedy).
		With(hint.Hint{Action: hint.NameHome})
}

// Retry repeats f while its Fault is Temporary, for at most RetryFor. Its Error says what was being done.
func (o Options) Retry(ctx context.Context, doing string, f func(context.Context) error) error {
	return Wrap(o.Repeat(ctx, doing, f), doing)
}

// Repeat is Retry, but returns f's own error.
func (o Options) Repeat(ctx context.Context, doing string, f func(context.Context) error) error {
	deadline := time.Now().Add(o.RetryFor)
	said := false
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := f(ctx)
		if err == nil {
			return nil
		}
		if !Transient(err) || ctx.Err() != nil || time.Now().Add(pause).After(deadline) {
			return err
		}
		if !said {
			o.Notice("%s: %s, trying again (%s)", doing, trouble(err), Plain(err))
			said = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Notice passes a notice of one line on to Say.
func (o Options) Notice(format string, args ...any) { o.Say(fmt.Sprintf(format, args...)) }
