//go:build unix

package pgprivate

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	_ "github.com/lib/pq" // the driver
)

// activity follows the connections to a server, whoever made them: psql, MLflow, Python. It keeps one connection of its
// own, to the database postgres, which it does not count.
type activity struct {
	db       *sql.DB
	sessions int64     // number of ended sessions at the last check, -1 before the first
	seen     time.Time // when a client was last connected
}

func newActivity(socketDir string) (*activity, error) {
	// A frozen server does not answer the driver, whose wait for the greeting ignores the context.
	db, err := sql.Open("postgres", address(socketDir, User, "postgres")+"&connect_timeout=10")
	if err != nil {
		return nil, fmt.Errorf("watching the connections: %w", err)
	}
	db.SetMaxOpenConns(1)
	return &activity{db: db, sessions: -1}, nil
}

// hasClient reports whether a client is connected. On PostgreSQL 14 and newer, whose statistics count sessions, a
// session that began and ended since the last check updates seen.
func (a *activity) hasClient() (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var clients, sessions int64
	err := a.db.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()),
		(SELECT coalesce(sum((to_jsonb(d) ->> 'sessions')::bigint), 0) FROM pg_stat_database d
			WHERE datname <> current_database())`).Scan(&clients, &sessions)
	if err != nil {
		return false, fmt.Errorf("watching the connections: %w", err)
	}
	if clients > 0 || a.sessions >= 0 && sessions != a.sessions {
		a.seen = time.Now()
	}
	a.sessions = sessions
	return clients > 0, nil
}

func (a *activity) close() { _ = a.db.Close() }

// stayFile is empty. Its modification time is when the server may stop at the earliest.
const stayFile = "stay"

// maxStay bounds the effect of a wrong clock.
const maxStay = 24 * time.Hour

// Stay keeps the server running for at least d, also after Close, so that people have time to connect with another
// program. It never shortens an earlier Stay.
func (c *Cluster) Stay(d time.Duration) error {
	path := filepath.Join(c.o.Dir, stayFile)
	until := time.Now().Add(min(d, maxStay))
	if stayUntil(c.o.Dir).After(until) {
		return nil
	}
	f, err := openLock(path)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Chtimes(path, until, until)
}

// stayUntil returns the time until which the server of dir has to run. It is in the past if Stay was not called.
func stayUntil(dir string) time.Time {
	info, err := os.Stat(filepath.Join(dir, stayFile))
	if err != nil || info.ModTime().After(time.Now().Add(maxStay)) {
		return time.Time{}
	}
	return info.ModTime()
}
