package tracker

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jmoiron/sqlx"
)

const (
	flushBytes   = 512 << 10        // of a spool in one transaction: about 10,000 points
	compactBytes = 1 << 20          // a spool of this size is emptied when all of it is stored
	flushTimeout = 60 * time.Second // of one transaction; a network that drops packets must not block the writer
)

// background writes the spool every FlushEvery and a heartbeat every HeartbeatEvery until ctx ends.
func (r *Run) background(ctx context.Context) {
	defer close(r.done)
	pause := r.t.o.FlushEvery
	away := false
	var heartbeat time.Time // the last one
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		err := r.flush(ctx)
		if err == nil && r.t.remote == nil && time.Since(heartbeat) >= r.t.o.HeartbeatEvery {
			if err = r.t.beat(ctx, r.id, r.spool.by); err == nil {
				heartbeat = time.Now()
			}
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			if away {
				r.t.say("run %s: %s is back; all records are stored", r.name, r.t.kind())
			}
			away, pause = false, r.t.o.FlushEvery
		case !transient(err):
			if ErrorCode(err) == CodeFenced {
				r.t.say("run %s: %s", r.name, plain(err))
			} else {
				r.t.say("run %s: %s refuses its records; they stay in %s: %s", r.name, r.t.kind(), r.spool.path, plain(err))
			}
			r.failMu.Lock()
			r.failed = err
			r.failMu.Unlock()
			return
		default:
			if !away {
				r.t.say("run %s: %s; records wait in %s (%s)", r.name, trouble(err), r.spool.path, plain(err))
			}
			away, pause = true, min(2*pause, 10*time.Second)
		}
	}
}

// flush stores everything spooled so far.
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
		return r.checkClaim(ctx)
	}
	if err := r.spool.sync(); err != nil {
		return fmt.Errorf("forcing the spool to the disk: %w", err)
	}
	if err := r.flushUntil(ctx, end); err != nil {
		return err
	}
	var err error
	r.flushed, err = r.spool.compact(r.flushed, compactBytes)
	return err
}

// flushUntil stores the parts of the spool before end, in their order. While the database stores one, the next is read.
func (r *Run) flushUntil(ctx context.Context, end int64) error {
	part := r.spool.part(r.flushed)
	for {
		if part.err != nil {
			return part.err
		}
		var ahead chan spoolPart
		if part.next < end {
			ahead = make(chan spoolPart, 1)
			go func(from int64) { ahead <- r.spool.part(from) }(part.next)
		}
		part.fresh = true
		err := r.t.flushPart(ctx, r.id, r.spool, part)
		if err == nil {
			r.flushed = part.next
		}
		if ahead == nil {
			return err
		}
		part = <-ahead // also after an error, so that nothing reads the spool any more
		if err != nil {
			return err
		}
	}
}

// checkClaim is an error with CodeFenced if another worker has taken the run over.
func (r *Run) checkClaim(ctx context.Context) error {
	if r.spool.by.job == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	return r.t.inTx(ctx, func(tx *sqlx.Tx) error { return r.spool.by.check(ctx, tx) })
}

// spoolPart is a part of a spool as it is stored in one transaction.
type spoolPart struct {
	batch
	next    int64 // where it ends
	damaged int   // records
	err     error
}

// part reads a part from offset on.
func (s *spool) part(offset int64) spoolPart {
	text, next, err := s.lines(offset, flushBytes)
	if err != nil {
		return spoolPart{err: err}
	}
	b, damaged := makeBatch(text)
	return spoolPart{b, next, damaged, nil}
}

// flushPart stores a part.
func (t *Tracker) flushPart(ctx context.Context, run string, s *spool, part spoolPart) error {
	if part.damaged > 0 {
		t.say("%s: damaged records were skipped: %d", s.path, part.damaged)
	}
	return t.write(ctx, run, s.by, part.batch)
}

// beat records a heartbeat, unless another worker has taken the run over.
func (t *Tracker) beat(ctx context.Context, run string, by claim) error {
	return t.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := by.check(ctx, tx); err != nil {
			return err
		}
		return recordHeartbeat(ctx, tx, run)
	})
}

// recordHeartbeat stores that the run's program lives, by the database's clock.
func recordHeartbeat(ctx context.Context, db sqlx.ExecerContext, run string) error {
	_, err := db.ExecContext(ctx, `INSERT INTO spherelab.heartbeat (run_uuid, at, host, pid)
			VALUES ($1, clock_timestamp(), $2, $3)
		ON CONFLICT (run_uuid) DO UPDATE SET at = excluded.at, host = excluded.host, pid = excluded.pid`,
		run, hostname(), os.Getpid())
	return err
}

func hostname() string {
	host, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return host
}
