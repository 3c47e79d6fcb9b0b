package tracker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker/bucket"
	"github.com/spherelab/spherelab/tracker/pgprivate"
	"github.com/spherelab/spherelab/tracker/rest"
)

// Database is the name of the database in a private cluster.
const Database = "spherelab"

// Options says where things are. Only DataDir is required.
type Options struct {
	DataDir string // holds artifacts/, spool/ and, with a private cluster, postgres/
	// ArtifactDir is where new runs keep their artifacts, for machines that share them: a folder, or
	// s3://BUCKET/PREFIX. "": DataDir/artifacts
	ArtifactDir    string
	Bucket         bucket.Login  // for artifacts in a bucket
	CacheDir       string        // for downloaded PostgreSQL programs; "": DataDir/cache
	ReaderURL      string        // a SELECT-only login for SQL queries, for a server where none can be created
	FlushEvery     time.Duration // how often the spool is written to the database; 0: 1 s
	HeartbeatEvery time.Duration // 0: 10 s
	StaleAfter     time.Duration // a run without a heartbeat for this long is dead; 0: 2 minutes
	Login          rest.Login    // for a tracking server
	RetryFor       time.Duration // how long Open, StartRun and other calls wait for a lost database; 0: 15 s
	Idle           time.Duration // how long the private server stays after the last program or connection; 0: 30 s
	Scratch        bool          // for tests: a private cluster that skips fsync and is removed after use
	// receives notices of one line (slow steps, replayed spools, lost database); may be nil
	Say func(string)
}

// Tracker is a connection to a tracking database.
type Tracker struct {
	o        Options
	db       *sqlx.DB
	cluster  *pgprivate.Cluster // nil if the server is not the private one
	uri      string             // "" with a private cluster
	instance string             // the database's identity, from spherelab.instance
	remote   *remote            // nil with a database
	inBucket bool               // new runs have their artifacts in a bucket
	place    bucket.Place       // of new runs' artifacts there
	storage  *bucket.Lazy
	user     string

	readerMu sync.Mutex
	reader   *sqlx.DB

	curves curveMemory

	runsMu sync.Mutex
	runs   map[string]*Run // open runs
}

// Open connects to the database of uri (postgres://...), to the tracking server of uri (http://... or https://...: that
// of this project or MLflow's own) or, if uri is empty, to the private cluster in o.DataDir, which it starts if
// necessary. It brings the schema up to date and stores what killed programs left in their spools.
func Open(ctx context.Context, uri string, o Options) (*Tracker, error) {
	if o.DataDir == "" {
		return nil, errorf(CodeInvalid, nil, "the tracker needs a data directory")
	}
	dir, err := filepath.Abs(o.DataDir)
	if err != nil {
		return nil, errorf(CodeInvalid, err, "data directory %q: %v", o.DataDir, err)
	}
	o.DataDir = dir
	if err := os.MkdirAll(filepath.Join(dir, "spool"), 0o700); err != nil {
		return nil, unwritable(CodeInternal, "", dir, err)
	}
	o.CacheDir = cmp.Or(o.CacheDir, filepath.Join(dir, "cache"))
	o.FlushEvery = cmp.Or(o.FlushEvery, time.Second)
	o.HeartbeatEvery = cmp.Or(o.HeartbeatEvery, 10*time.Second)
	o.StaleAfter = cmp.Or(o.StaleAfter, 2*time.Minute)
	o.RetryFor = cmp.Or(o.RetryFor, 15*time.Second)
	if o.Say == nil {
		o.Say = func(string) {}
	}
	t := &Tracker{o: o, uri: uri, user: osUser(), runs: map[string]*Run{}, storage: &bucket.Lazy{Login: o.Bucket}}
	if err := t.choosePlace(); err != nil {
		return nil, err
	}
	if isServer(uri) {
		if err := t.openServer(ctx); err != nil {
			t.Close()
			return nil, err
		}
		return t, nil
	}
	conn := &connector{url: func() string { return uri }, silent: t.saySilent}
	if uri == "" {
		t.cluster, err = pgprivate.Open(ctx, pgprivate.Options{Dir: ClusterDir(dir), CacheDir: o.CacheDir, Idle: o.Idle,
			Scratch: o.Scratch, Say: o.Say})
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR) {
			return nil, unwritable(CodeUnavailable, "starting the private database: ", ClusterDir(dir), err)
		}
		if err != nil {
			return nil, wrap(err, "starting the private database")
		}
		conn.cluster = t.cluster
		conn.url = func() string { return t.cluster.URL(Database) }
		if err := t.createDatabase(ctx); err != nil {
			t.Close()
			return nil, err
		}
	} else if err := checkURL("the tracker's address", uri); err != nil {
		return nil, err
	}
	t.db = openDB(conn)
	if err := t.retry(ctx, "connecting to "+t.where(), t.db.PingContext); err != nil {
		t.Close()
		return nil, err
	}
	if err := t.migrate(ctx); err != nil {
		t.Close()
		return nil, err
	}
	if _, err := t.ReplaySpools(ctx); err != nil {
		t.Close()
		return nil, err
	}
	if err := t.Summarise(ctx); err != nil {
		t.say("%s; questions in SQL take longer", plain(err))
	}
	return t, nil
}

// unwritable says that a folder of the data directory cannot be created or written.
func unwritable(code Code, doing, dir string, err error) *Error {
	remedy := ""
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		remedy = "; free space on its disk"
	}
	return errorf(code, err, "%sthe data directory cannot be written: %s: %s%s", doing, dir, plain(err), remedy).
		with(hint.Hint{Action: hint.NameHome})
}

// ClusterDir is the private cluster's folder in a data directory.
func ClusterDir(dataDir string) string { return filepath.Join(dataDir, "postgres") }

// Close stores what the open runs have spooled, as far as the database accepts it within a few seconds, and closes the
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
	t.readerMu.Lock()
	if t.reader != nil {
		errs = append(errs, t.reader.Close())
		t.reader = nil
	}
	t.readerMu.Unlock()
	if t.db != nil {
		errs = append(errs, t.db.Close())
	}
	if t.cluster != nil {
		errs = append(errs, t.cluster.Close())
	}
	if t.remote != nil {
		t.remote.c.Close()
	}
	return errors.Join(errs...)
}

// URL is the database's address with the owner's login, and its password if it has one: usable by psql and by `mlflow
// server --backend-store-uri`.
func (t *Tracker) URL() string {
	if t.cluster != nil {
		return t.cluster.URL(Database)
	}
	return sqlAlchemyURL(t.uri)
}

// sqlAlchemyURL writes the scheme as SQLAlchemy knows it.
func sqlAlchemyURL(uri string) string {
	if rest, ok := strings.CutPrefix(uri, "postgres:"); ok {
		return "postgresql:" + rest
	}
	return uri
}

// Stay keeps a private server running for at least d, also after Close, so that people can connect with another
// program. Other servers run anyway.
func (t *Tracker) Stay(d time.Duration) error {
	if t.cluster == nil {
		return nil
	}
	return wrap(t.cluster.Stay(d), "keeping the private database running")
}

// kind is what runs are logged to.
func (t *Tracker) kind() string {
	if t.remote != nil {
		return "the tracking server"
	}
	return "the database"
}

// where names the database for people, without a password.
func (t *Tracker) where() string {
	if t.cluster != nil {
		return "the private database in " + ClusterDir(t.o.DataDir)
	}
	u, err := url.Parse(t.uri)
	if t.remote != nil {
		return "the tracking server " + t.remote.c.Address()
	}
	if err != nil {
		return "the database"
	}
	return "the database " + redact(u.Redacted())
}

// saySilent says that the database is waited for.
func (t *Tracker) saySilent() {
	t.say("waiting for %s, which has not answered for %v", t.where(), silentAfter)
}

// say passes a notice of one line on to Options.Say.
func (t *Tracker) say(format string, args ...any) { t.o.Say(fmt.Sprintf(format, args...)) }

// createDatabase creates the database in a fresh private cluster.
func (t *Tracker) createDatabase(ctx context.Context) error {
	db := openDB(&connector{cluster: t.cluster, url: func() string { return t.cluster.URL("postgres") },
		silent: t.saySilent})
	defer db.Close()
	return t.retry(ctx, "creating the database", func(ctx context.Context) error {
		var there bool
		err := db.GetContext(ctx, &there, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, Database)
		if err == nil && !there {
			_, err = db.ExecContext(ctx, `CREATE DATABASE `+pq.QuoteIdentifier(Database))
			// Another program may have been faster: "duplicate database", or the catalog's own unique index.
			if s := stateOf(err); s == "42P04" || s == uniqueViolation {
				err = nil
			}
		}
		return err
	})
}

// retry repeats f while the database cannot be reached, for at most RetryFor.
func (t *Tracker) retry(ctx context.Context, doing string, f func(context.Context) error) error {
	return wrap(t.repeat(ctx, doing, f), doing)
}

// repeat is retry with the error as f returned it.
func (t *Tracker) repeat(ctx context.Context, doing string, f func(context.Context) error) error {
	deadline := time.Now().Add(t.o.RetryFor)
	said := false
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := f(ctx)
		if err == nil {
			return nil
		}
		if !transient(err) || ctx.Err() != nil || time.Now().Add(pause).After(deadline) {
			return err
		}
		if !said {
			t.say("%s: %s, trying again (%s)", doing, trouble(err), plain(err))
			said = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// inTx runs f in a transaction.
func (t *Tracker) inTx(ctx context.Context, f func(*sqlx.Tx) error) error {
	tx, err := t.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback() // the first error counts
		return err
	}
	return tx.Commit()
}

// osUser is the name under which runs are stored.
func osUser() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	return strconv.Itoa(os.Getuid())
}
