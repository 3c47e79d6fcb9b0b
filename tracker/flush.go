package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jmoiron/sqlx"
)

const (
	flushBytes   = 512 << 10        // how much of a spool one transaction takes: some 10,000 points, so that a slow database gets on too
	compactBytes = 1 << 20          // a spool of this size is emptied when all of it is stored
	flushTimeout = 60 * time.Second // one transaction; a network that swallows packets must not hang the writer
)

// background writes the spool to the database now and then and keeps the heart beating, until ctx ends.
func (r *Run) background(ctx context.Context) {
	defer close(r.done)
	pause := r.t.o.FlushEvery
	away := false
	var beaten time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		err := r.flush(ctx)
		if err == nil && time.Since(beaten) >= r.t.o.HeartbeatEvery {
			if err = beat(ctx, r.t.db, r.id); err == nil {
				beaten = time.Now()
			}
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			if away {
				r.t.o.Say(fmt.Sprintf("run %s: the database is back, everything is written", r.name))
			}
			away, pause = false, r.t.o.FlushEvery
		case !transient(err):
			r.t.o.Say(fmt.Sprintf("run %s: the database refuses its records, which stay in %s: %s", r.name, r.spool.path, plain(err)))
			r.failMu.Lock()
			r.failed = err
			r.failMu.Unlock()
			return
		default:
			if !away {
				r.t.o.Say(fmt.Sprintf("run %s: the database is away, logging goes on into %s (%s)", r.name, r.spool.path, plain(err)))
			}
			away, pause = true, min(2*pause, 10*time.Second)
		}
	}
}

// flush writes everything spooled so far.
func (r *Run) flush(ctx context.Context) error {
	r.flushMu.Lock()
	defer r.flushMu.Unlock()
	r.failMu.Lock()
	failed := r.failed
	r.failMu.Unlock()
	if failed != nil {
		return failed
	}
	end := r.spool.end()
	if r.flushed == end {
		return nil
	}
	if err := r.spool.sync(); err != nil {
		return fmt.Errorf("forcing the spool to the disk: %w", err)
	}
	for r.flushed < end {
		next, err := r.t.flushPart(ctx, r.id, r.spool, r.flushed)
		if err != nil {
			return err
		}
		r.flushed = next
	}
	var err error
	r.flushed, err = r.spool.compact(r.flushed, compactBytes)
	return err
}

// flushPart writes one part of a spool from offset on and returns where it ended.
func (t *Tracker) flushPart(ctx context.Context, run string, s *spool, offset int64) (int64, error) {
	entries, next, damaged, err := s.read(offset, flushBytes)
	if err != nil {
		return offset, err
	}
	if damaged > 0 {
		t.o.Say(fmt.Sprintf("%s: %d damaged records were skipped", s.path, damaged))
	}
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	return next, t.write(ctx, run, makeBatch(entries))
}

// beat records a sign of life by the database's clock.
func beat(ctx context.Context, db sqlx.ExecerContext, run string) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	_, err = db.ExecContext(ctx, `INSERT INTO spherelab.heartbeat (run_uuid, at, host, pid) VALUES ($1, clock_timestamp(), $2, $3)
		ON CONFLICT (run_uuid) DO UPDATE SET at = excluded.at, host = excluded.host, pid = excluded.pid`, run, host, os.Getpid())
	return err
}

// isPermanent reports whether the database answered and refuses the records for good.
func isPermanent(err error) bool {
	var e *Error
	return errors.As(err, &e) || (stateOf(err) != "" && !transient(err))
}
