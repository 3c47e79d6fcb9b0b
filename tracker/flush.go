package tracker

import (
	"context"
	"fmt"
	"time"
)

const (
	flushBytes   = 512 << 10        // bytes of a spool in one transaction: about 10,000 points
	compactBytes = 1 << 20          // a spool of this size is emptied once all of it is stored
	flushTimeout = 60 * time.Second // of one transaction; a network that drops packets must not block the writer
)

// flushInBackground writes the spool every FlushEvery and a heartbeat every HeartbeatEvery until ctx ends. At a
// heartbeat it also reads whether the run shall stop.
func (r *Run) flushInBackground(ctx context.Context) {
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
		if err == nil && time.Since(heartbeat) >= r.t.o.HeartbeatEvery {
			if err = r.t.backend.Beat(ctx, r.id, r.spool.by); err == nil {
				heartbeat = time.Now()
				r.lookForStop(ctx)
			}
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			if away {
				r.t.say("run %s: %s is back; all records are stored", r.name, r.t.identity().Kind)
			}
			away, pause = false, r.t.o.FlushEvery
		case !Transient(err):
			if ErrorCode(err) == CodeFenced {
				r.t.say("run %s: %s", r.name, Plain(err))
			} else {
				r.t.say("run %s: %s refuses its records; they stay in %s: %s", r.name, r.t.identity().Kind, r.spool.path, Plain(err))
			}
			r.failMu.Lock()
			r.failed = err
			r.failMu.Unlock()
			return
		default:
			if !away {
				r.t.say("run %s: %s; records wait in %s (%s)", r.name, trouble(err), r.spool.path, Plain(err))
			}
			away, pause = true, min(2*pause, 10*time.Second)
		}
	}
}

// flush stores everything in the spool so far.
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
		part.Fresh = true
		err := r.t.flushPart(ctx, r.id, r.spool, part)
		if err == nil {
			r.flushed = part.next
		}
		if ahead == nil {
			return err
		}
		part = <-ahead // also after an error, so that nothing still reads the spool
		if err != nil {
			return err
		}
	}
}

// checkClaim returns an error with CodeFenced if another worker has taken over the run.
func (r *Run) checkClaim(ctx context.Context) error {
	if r.spool.by.Job == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	return r.t.backend.Check(ctx, r.spool.by)
}

// spoolPart is a part of a spool as it is stored in one transaction.
type spoolPart struct {
	Batch
	next    int64 // where it ends
	damaged int   // records
	err     error
}

// part reads a part, starting at offset.
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
	return t.backend.Write(ctx, run, s.by, part.Batch)
}
