package tracker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker/pgprivate"
)

// Database is the name of our database in a private cluster.
const Database = "spherelab"

// Options says where things are. Only DataDir is required.
type Options struct {
	DataDir        string        // holds artifacts/, spool/ and, without a database of one's own, postgres/
	CacheDir       string        // for downloaded PostgreSQL programs; "": DataDir/cache
	ReaderURL      string        // a SELECT-only login for SQL on a server where we may not make one
	FlushEvery     time.Duration // how often the spool is written to the database; 0: 1 s
	HeartbeatEvery time.Duration // 0: 10 s
	StaleAfter     time.Duration // a run without a sign of life for so long is dead; 0: 2 minutes
	RetryFor       time.Duration // how long StartRun and other calls wait for a database that is away; 0: 15 s
	Idle           time.Duration // how long the private server stays after its last user; 0: 30 s
	Scratch        bool          // tests: a private cluster that does not force writes to the disk and is removed after use
	Say            func(string)  // receives one-line notices for people (slow steps, replayed spools, database away); may be nil
}

// Tracker is a connection to a tracking database.
type Tracker struct {
	o        Options
	db       *sqlx.DB
	cluster  *pgprivate.Cluster // nil if the server is not ours
	uri      string             // "" with a private cluster
	instance string             // the database's identity, from spherelab.instance
	user     string

	readerMu sync.Mutex
	reader   *sqlx.DB

	runsMu sync.Mutex
	runs   map[string]*Run // open runs
}

// Open connects to the database of uri (postgres://...), or, with an empty uri, to the private cluster in o.DataDir,
// which it starts if necessary. It brings the schema up to date and replays what earlier, killed programs left in their
// spools.
func Open(ctx context.Context, uri string, o Options) (*Tracker, error) {
	if o.DataDir == "" {
		return nil, fail(CodeInvalid, nil, "the tracker needs a data directory")
	}
	dir, err := filepath.Abs(o.DataDir)
	if err != nil {
		return nil, fail(CodeInvalid, err, "data directory %q: %v", o.DataDir, err)
	}
	o.DataDir = dir
	if err := os.MkdirAll(filepath.Join(dir, "spool"), 0o700); err != nil {
		return nil, fail(CodeInternal, err, "%s", unwritable(dir, err))
	}
	setDefault(&o.CacheDir, filepath.Join(dir, "cache"))
	setDefault(&o.FlushEvery, time.Second)
	setDefault(&o.HeartbeatEvery, 10*time.Second)
	setDefault(&o.StaleAfter, 2*time.Minute)
	setDefault(&o.RetryFor, 15*time.Second)
	if o.Say == nil {
		o.Say = func(string) {}
	}
	t := &Tracker{o: o, uri: uri, user: osUser(), runs: map[string]*Run{}}
	conn := &connector{url: func() string { return uri }}
	if uri == "" {
		t.cluster, err = pgprivate.Open(ctx, pgprivate.Options{Dir: ClusterDir(dir), CacheDir: o.CacheDir, Idle: o.Idle,
			Scratch: o.Scratch, Say: o.Say})
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR) {
			return nil, fail(CodeUnavailable, err, "starting the private database: %s", unwritable(ClusterDir(dir), err))
		}
		if err != nil {
			return nil, describe(err, "starting the private database")
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
	if err := t.db.PingContext(ctx); err != nil {
		t.Close()
		return nil, describe(err, "connecting to "+t.where())
	}
	if err := t.migrate(ctx); err != nil {
		t.Close()
		return nil, err
	}
	if _, err := t.ReplaySpools(ctx); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// unwritable says that a folder of the data directory cannot be made or written, and the remedy.
func unwritable(dir string, err error) string {
	remedy := "set SPHERELAB_HOME or give --data-dir"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		remedy = "free space on its disk, or " + remedy
	}
	return fmt.Sprintf("the data directory cannot be written: %s: %s; %s", dir, plain(err), remedy)
}

// ClusterDir is the private cluster's folder in a data directory.
func ClusterDir(dataDir string) string { return filepath.Join(dataDir, "postgres") }

func setDefault[T comparable](p *T, v T) {
	var zero T
	if *p == zero {
		*p = v
	}
}

// Close writes what the open runs have spooled, as far as the database takes it within a few seconds, and gives up the
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
	return errors.Join(errs...)
}

// URL is the database's address, with the password if it has one: usable by psql and by
// `mlflow server --backend-store-uri`.
func (t *Tracker) URL() string {
	if t.cluster != nil {
		return t.cluster.URL(Database)
	}
	if rest, ok := cutScheme(t.uri, "postgres"); ok {
		return "postgresql" + rest // SQLAlchemy knows only this spelling
	}
	return t.uri
}

func cutScheme(uri, scheme string) (string, bool) {
	if len(uri) > len(scheme) && uri[:len(scheme)] == scheme && uri[len(scheme)] == ':' {
		return uri[len(scheme):], true
	}
	return uri, false
}

// Private is the private cluster, or nil if the tracker uses another server.
func (t *Tracker) Private() *pgprivate.Cluster { return t.cluster }

// where names the database for people, without a password.
func (t *Tracker) where() string {
	if t.cluster != nil {
		return "the private database in " + ClusterDir(t.o.DataDir)
	}
	u, err := url.Parse(t.uri)
	if err != nil {
		return "the database"
	}
	return "the database " + redact(u.Redacted())
}

// createDatabase makes our database in a fresh private cluster.
func (t *Tracker) createDatabase(ctx context.Context) error {
	db := openDB(&connector{cluster: t.cluster, url: func() string { return t.cluster.URL("postgres") }})
	defer db.Close()
	var there bool
	err := db.GetContext(ctx, &there, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, Database)
	if err == nil && !there {
		_, err = db.ExecContext(ctx, `CREATE DATABASE `+pq.QuoteIdentifier(Database))
		// Another program may have been faster: "duplicate database", or the catalog's own unique index.
		if s := stateOf(err); s == "42P04" || s == "23505" {
			err = nil
		}
	}
	return describe(err, "creating the database")
}

// stateOf returns the SQLSTATE of a server's error, else "".
func stateOf(err error) string {
	var e *pq.Error
	if errors.As(err, &e) {
		return string(e.Code)
	}
	return ""
}

// retry repeats f while the database is away, for at most RetryFor.
func (t *Tracker) retry(ctx context.Context, doing string, f func(context.Context) error) error {
	deadline := time.Now().Add(t.o.RetryFor)
	told := false
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := f(ctx)
		if err == nil {
			return nil
		}
		var e *Error
		if errors.As(err, &e) || !transient(err) || ctx.Err() != nil || time.Now().Add(pause).After(deadline) {
			return describe(err, doing)
		}
		if !told {
			t.o.Say(fmt.Sprintf("%s: the database is away, trying again (%s)", doing, plain(err)))
			told = true
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
		_ = tx.Rollback() // the first error is the one to tell
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
