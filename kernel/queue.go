package kernel

import (
	"context"
	"sync"

	"github.com/spherelab/spherelab/kernel/wire"
)

// request is a received message with the way back.
type request struct {
	*wire.Message
	socket *wire.Socket // shell or control
	peer   string       // identity of the sender's connection

	// Guarded by state.mu.
	isAborted     bool // an earlier cell failed, so it must not run
	isInterrupted bool // an interrupt came while no cell ran and this was the next one
}

// parentHeader is the parent header of what r causes; r may be nil.
func (r *request) parentHeader() []byte {
	if r == nil {
		return nil
	}
	return r.RawHeader
}

// queue holds requests that are served one after the other.
type queue struct {
	mu       sync.Mutex
	requests []*request
	some     chan struct{}
}

func newQueue() *queue { return &queue{some: make(chan struct{}, 1)} }

func (q *queue) put(r *request) {
	q.mu.Lock()
	q.requests = append(q.requests, r)
	q.mu.Unlock()
	notify(q.some)
}

// next waits for a request. It returns nil when ctx ends.
func (q *queue) next(ctx context.Context) *request {
	for {
		if ctx.Err() != nil {
			return nil
		}
		q.mu.Lock()
		if len(q.requests) > 0 {
			r := q.requests[0]
			q.requests[0] = nil
			q.requests = q.requests[1:]
			q.mu.Unlock()
			return r
		}
		q.mu.Unlock()
		select {
		case <-q.some:
		case <-ctx.Done():
		}
	}
}

// notify makes a receive from c succeed, now or later.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
