package server

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// turn is a request's place among those that are worked on. The request gives it up while it waits for its client, so
// that slow clients do not block others.
type turn struct {
	places chan struct{}

	mu      sync.Mutex
	waiting int // calls of wait in progress
}

// wait frees the place while f runs, which waits for the client.
func (t *turn) wait(f func()) {
	if t == nil { // an answer without a place
		f()
		return
	}
	t.mu.Lock()
	if t.waiting++; t.waiting == 1 {
		<-t.places
	}
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		if t.waiting--; t.waiting == 0 {
			t.places <- struct{}{}
		}
		t.mu.Unlock()
	}()
	f()
}

// errSlow is the error for a body that arrives too slowly.
var errSlow = errors.New("the request arrives too slowly")

// slowest is the speed, in bytes per second, below which a body is no longer read.
const slowest = 1 << 10

// body is the body of a request. It must arrive in time.
type body struct {
	io.ReadCloser
	turn        *turn
	control     *http.ResponseController
	stall       time.Duration
	began       time.Time
	mustBeWhole bool // the whole body must arrive within stall; otherwise some of it, and at least at the slowest speed
	read        int64
}

func (b *body) Read(p []byte) (n int, err error) {
	deadline := time.Now().Add(b.stall)
	if b.mustBeWhole {
		deadline = b.began.Add(b.stall)
	}
	_ = b.control.SetReadDeadline(deadline) // only a test's connection has no deadlines
	b.turn.wait(func() { n, err = b.ReadCloser.Read(p) })
	b.read += int64(n)
	if took := time.Since(b.began); err == nil && took > b.stall && float64(b.read) < slowest*took.Seconds() {
		err = errSlow
	}
	switch {
	case err == io.EOF: // no deadline: the server keeps watching for the client to leave
		_ = b.control.SetReadDeadline(time.Time{})
	case err != nil: // the rest of the body is not read either
		_ = b.control.SetReadDeadline(time.Now())
	}
	return n, err
}
