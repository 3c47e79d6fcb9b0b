//go:build unix

package pgprivate

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// User is the role that owns the cluster and all of its databases.
const User = "spherelab"

// Options are which cluster to use and when it stops.
type Options struct {
	Dir      string        // the cluster's folder; created if missing
	CacheDir string        // where downloaded server programs are kept; "": never download
	Idle     time.Duration // how long the server runs after its last user, a program or a connection; 0: 30 s
	// Scratch is for tests: writes are not forced to the disk, and Dir is removed when the server stops.
	Scratch bool
	Say     func(string) // receives a line before something slow is done; may be nil
}

// Cluster is a private server that this program uses. The server runs at least until Close.
type Cluster struct {
	o       Options
	account account
	data    string

	program     string        // program to start as the supervisor; "": this program
	helloWithin time.Duration // 0: the constant

	mu        sync.Mutex
	users     *os.File // shared lock; nil after Close
	socketDir string
	install   Install
}

// Open starts the server of o.Dir or joins the running one. The server runs at least until Close or the end of this
// program.
func Open(ctx context.Context, o Options) (*Cluster, error) {
	if o.Idle == 0 {
		o.Idle = 30 * time.Second
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, withRemedy(dir, fmt.Errorf("creating the database's folder: %w", err))
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // one path per cluster, whichever link leads to it
	}
	o.Dir = dir
	c := &Cluster{o: o}
	if c.account, c.data, err = chooseAccount(dir); err != nil {
		return nil, err
	}
	if err := c.Ensure(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Ensure starts the server again if it does not run. It is cheap if the server runs.
func (c *Cluster) Ensure(ctx context.Context) error { return withRemedy(c.o.Dir, c.ensure(ctx)) }

func (c *Cluster) ensure(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	start, err := c.lockStart(ctx)
	if err != nil {
		return err
	}
	defer start.Close()
	if c.users == nil {
		if c.users, err = openLock(filepath.Join(c.o.Dir, "users.lock")); err != nil {
			return err
		}
		// Only the holder of start.lock takes this lock exclusively, so it is free.
		if err := unix.Flock(int(c.users.Fd()), unix.LOCK_SH); err != nil {
			return fmt.Errorf("locking users.lock: %w", err)
		}
	}
	touch(c.users)
	if isSupervised(c.o.Dir) && c.join() {
		return nil
	}
	if err := c.prepare(ctx); err != nil {
		return err
	}
	return c.launch(ctx)
}

// lockStart takes start.lock. It waits for a limited time, so that a frozen program does not block all others forever.
func (c *Cluster) lockStart(ctx context.Context) (*os.File, error) {
	path := filepath.Join(c.o.Dir, "start.lock")
	notice := time.AfterFunc(3*time.Second, func() {
		c.o.Say("waiting for another program that is starting or stopping the private database")
	})
	defer notice.Stop()
	limited, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	start, err := lockFile(limited, path)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("another program has held %s for %v; end it (fuser -v %[1]s shows it)", path, startWithin)
	}
	return start, err
}

// prepare finds the server's programs, and initialises the data directory if there is none.
func (c *Cluster) prepare(ctx context.Context) error {
	major := 0
	if b, err := os.ReadFile(filepath.Join(c.data, "PG_VERSION")); err == nil {
		major = firstNumber(string(b))
	}
	cache := c.o.CacheDir
	if c.account.Kind == accountOther && cache != "" {
		cache = "/var/lib/spherelab-programs" // the other account cannot enter root's folders
	}
	in, err := findOrFetch(ctx, major, cache, c.o.Say)
	if err != nil {
		return err
	}
	c.install = in
	if major != 0 {
		return nil
	}
	c.o.Say("creating a private PostgreSQL " + in.Version + " cluster in " + c.o.Dir)
	return initialise(ctx, in, c.account, c.data, c.o.Scratch)
}

// URL returns the connection URL of one of the cluster's databases, as libpq, lib/pq and SQLAlchemy read it.
func (c *Cluster) URL(database string) string { return c.URLFor(User, database) }

// URLFor is URL for another role. There is no password: the socket's folder is the only protection.
func (c *Cluster) URLFor(role, database string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return address(c.socketDir, role, database)
}

func address(socketDir, role, database string) string {
	q := url.Values{"host": {socketDir}, "port": {strconv.Itoa(clusterPort)}, "sslmode": {"disable"}}
	return "postgresql://" + url.PathEscape(role) + "@/" + url.PathEscape(database) + "?" +
		strings.ReplaceAll(q.Encode(), "+", "%20") // libpq does not read + as a space
}

// Close ends this program's use of the server. The supervisor stops the server when it has been unused for Idle: when
// no program of ours had it open and no other program was connected.
func (c *Cluster) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users == nil {
		return nil
	}
	touch(c.users)
	err := c.users.Close()
	c.users = nil
	return err
}
