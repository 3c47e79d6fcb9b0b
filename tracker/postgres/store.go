package postgres

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/bucket"
	"github.com/spherelab/spherelab/tracker/pgprivate"
)

// Database is the name of the database in a private cluster.
const Database = "spherelab"

// Store is a tracker on a PostgreSQL database. It also has what needs SQL.
type Store struct {
	*tracker.Tracker
	o        tracker.Options
	db       *sqlx.DB
	cluster  *pgprivate.Cluster // nil if the server is not the private one
	uri      string             // "" with a private cluster
	instance string             // the database's identity, from spherelab.instance
	inBucket bool               // new runs have their artifacts in a bucket
	place    bucket.Place       // of new runs' artifacts there
	storage  *bucket.Lazy
	user     string

	readerMu sync.Mutex
	reader   *sqlx.DB

	curves curveMemory
}

// Open connects to the database of uri (postgres://...) or, if uri is empty, to the private cluster in o.DataDir,
// which it starts if necessary. It brings the schema up to date and stores what killed programs left in their spools.
func Open(ctx context.Context, uri string, o tracker.Options) (*Store, error) {
	o, err := o.Prepare()
	if err != nil {
		return nil, err
	}
	t := &Store{o: o, uri: uri, user: tracker.User(), storage: &bucket.Lazy{Login: bucket.Login(o.Bucket)}}
	if err := t.choosePlace(); err != nil {
		return nil, err
	}
	if err := t.connect(ctx); err != nil {
		t.disconnect()
		return nil, err
	}
	t.Tracker = tracker.New(database{t}, o)
	if _, err := t.ReplaySpools(ctx); err != nil {
		t.Close()
		return nil, err
	}
	if err := t.Summarise(ctx); err != nil {
		t.say("%s; questions in SQL take longer", DriverText(err))
	}
	return t, nil
}

// Of returns the database that a tracker is on. The error has CodeUnsupported if it is on something else.
func Of(t *tracker.Tracker) (*Store, error) {
	if b, ok := t.Backend().(database); ok {
		return b.t, nil
	}
	return nil, tracker.Errorf(tracker.CodeUnsupported, nil, "%s takes and gives runs, but this needs its database",
		t.Backend().Identity().Where).With(hint.Hint{Action: hint.NameTracker})
}

// connect opens the database and brings its schema up to date.
func (t *Store) connect(ctx context.Context) (err error) {
	conn := &connector{url: func() string { return t.uri }, silent: t.saySilent}
	if t.uri == "" {
		t.cluster, err = pgprivate.Open(ctx, pgprivate.Options{Dir: ClusterDir(t.o.DataDir), CacheDir: t.o.CacheDir,
			Idle: t.o.Idle, Scratch: t.o.Scratch, Say: t.o.Say})
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR) {
			return tracker.Unwritable(tracker.CodeUnavailable, "starting the private database: ", ClusterDir(t.o.DataDir), err)
		}
		if err != nil {
			return Wrap(err, "starting the private database")
		}
		conn.cluster = t.cluster
		conn.url = func() string { return t.cluster.URL(Database) }
		if err := t.createDatabase(ctx); err != nil {
			return err
		}
	} else if err := checkURL("the tracker's address", t.uri); err != nil {
		return err
	}
	t.db = openDB(conn)
	if err := t.retry(ctx, "connecting to "+t.where(), t.db.PingContext); err != nil {
		return err
	}
	return t.migrate(ctx)
}

// disconnect ends all connections.
func (t *Store) disconnect() error {
	var errs []error
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

// ClusterDir is the private cluster's folder in a data directory.
func ClusterDir(dataDir string) string { return filepath.Join(dataDir, "postgres") }

// URL returns the database's address with the owner's login, and its password if it has one. psql and `mlflow server
// --backend-store-uri` can use it.
func (t *Store) URL() string {
	if t.cluster != nil {
		return t.cluster.URL(Database)
	}
	return sqlAlchemyURL(t.uri)
}

// sqlAlchemyURL returns the address with the scheme that SQLAlchemy knows.
func sqlAlchemyURL(uri string) string {
	if rest, ok := strings.CutPrefix(uri, "postgres:"); ok {
		return "postgresql:" + rest
	}
	return uri
}

// Stay keeps a private server running for at least d, also after Close, so that people can connect with another
// program. Other servers run anyway.
func (t *Store) Stay(d time.Duration) error {
	if t.cluster == nil {
		return nil
	}
	return Wrap(t.cluster.Stay(d), "keeping the private database running")
}

// where names the database for people, without a password.
func (t *Store) where() string {
	if t.cluster != nil {
		return "the private database in " + ClusterDir(t.o.DataDir)
	}
	u, err := url.Parse(t.uri)
	if err != nil {
		return "the database"
	}
	return "the database " + tracker.Redact(u.Redacted())
}

// say passes a notice of one line on to Options.Say.
func (t *Store) say(format string, args ...any) { t.o.Notice(format, args...) }

// saySilent reports that the program waits for the database.
func (t *Store) saySilent() {
	t.say("waiting for %s, which has not answered for %v", t.where(), silentAfter)
}

// createDatabase creates the database in a fresh private cluster.
func (t *Store) createDatabase(ctx context.Context) error {
	db := openDB(&connector{cluster: t.cluster, url: func() string { return t.cluster.URL("postgres") },
		silent: t.saySilent})
	defer db.Close()
	return t.retry(ctx, "creating the database", func(ctx context.Context) error {
		var there bool
		err := db.GetContext(ctx, &there, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, Database)
		if err == nil && !there {
			_, err = db.ExecContext(ctx, `CREATE DATABASE `+pq.QuoteIdentifier(Database))
			// Another program may have been faster: "duplicate database", or the unique index of the catalog itself.
			if s := stateOf(err); s == "42P04" || s == uniqueViolation {
				err = nil
			}
		}
		return err
	})
}

// retry repeats f while the database cannot be reached, for at most RetryFor.
func (t *Store) retry(ctx context.Context, doing string, f func(context.Context) error) error {
	return t.o.Retry(ctx, doing, func(ctx context.Context) error { return fault(stopped(ctx, f(ctx))) })
}

// Repeat is retry with the error as f returned it, or that of an interrupt.
func (t *Store) Repeat(ctx context.Context, doing string, f func(context.Context) error) error {
	return t.o.Repeat(ctx, doing, func(ctx context.Context) error { return fault(stopped(ctx, f(ctx))) })
}

// stopped returns the error of ctx for an error that is only an interrupt: it rolls a transaction back, cancels a
// statement or closes a connection, which would look like a fault of the database. After a deadline the fault counts.
func stopped(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.Canceled) &&
		(errors.Is(err, sql.ErrTxDone) || stateOf(err) == queryCanceled || isUnreachable(err)) {
		return ctx.Err()
	}
	return err
}

// Wrap turns an error of the database into an Error that names the action.
func Wrap(err error, doing string) error { return tracker.Wrap(fault(err), doing) }

// idleTimeout is how long a transaction may be idle. Then the server ends it. A program that is frozen inside it, by a
// signal or with its machine, would block the rows that it has changed, such as the row of a sweep's group, for all
// others.
const idleTimeout = 10 * time.Second

// InTx runs f in a transaction. The server ends the transaction if f is idle for longer than idleTimeout.
func (t *Store) InTx(ctx context.Context, f func(*sqlx.Tx) error) error {
	tx, err := t.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `SELECT set_config('idle_in_transaction_session_timeout', $1, true)`,
		strconv.FormatInt(idleTimeout.Milliseconds(), 10))
	if err == nil {
		err = f(tx)
	}
	if err != nil {
		_ = tx.Rollback() // the first error counts
		return err
	}
	return tx.Commit()
}

// database is the part of a Store that its tracker uses.
type database struct{ t *Store }

// DB returns the database's pool of connections, with the owner's rights, for package tracker/server, which serves
// MLflow's tables unchanged. Its statements take values as parameters only.
func (t *Store) DB() *sqlx.DB { return t.db }

// Instance returns the database's identity, which spools name. Adopt takes over the identity of a restored backup.
func (t *Store) Instance() string { return t.instance }

// Adopt sets Instance after spherelab.instance was replaced.
func (t *Store) Adopt(instance string) { t.instance = instance }

// DataDir returns the folder of spools.
func (t *Store) DataDir() string { return t.o.DataDir }

// choosePlace decides where new runs keep their artifacts.
func (t *Store) choosePlace() error {
	if !strings.Contains(t.o.ArtifactDir, "://") {
		return nil
	}
	at, err := bucket.Parse(t.o.ArtifactDir)
	if err != nil {
		return tracker.Errorf(tracker.CodeInvalid, err, "the place of artifacts: %v; it is a folder, or s3://BUCKET/PREFIX", err)
	}
	t.inBucket, t.place = true, at
	return nil
}
