package kernel

import (
	"context"
	"slices"
	"sync"
	"time"
)

// state is the running cell and the cells that wait.
type state struct {
	mu      sync.Mutex
	running *running
	waiting []*request    // cells that have not begun
	pending int           // cells that run or wait
	arrived time.Time     // when the last of them arrived
	idle    chan struct{} // closed when pending is 0
	failed  time.Time     // when a cell with stop_on_error failed
	session string        // of that cell
}

// running is the running cell.
type running struct {
	*request
	allowStdin    bool
	cancel        context.CancelCauseFunc
	isInterrupted bool
	isEvaluated   bool // its code has ended; an interrupt is too late for it
}

func newState() *state {
	idle := make(chan struct{})
	close(idle)
	return &state{idle: idle}
}

// add records that a cell waits. A cell that was sent before its client could know about a failure is aborted like one
// that was already waiting then.
func (st *state) add(r *request) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.pending == 0 {
		st.idle = make(chan struct{})
	}
	st.pending++
	st.arrived = time.Now()
	st.waiting = append(st.waiting, r)
	if r.Header.Session == st.session && time.Since(st.failed) < abortWindow {
		sent, err := time.Parse(time.RFC3339Nano, r.Header.Date)
		// browsers' dates are cut to milliseconds
		r.isAborted = err == nil && sent.Add(time.Millisecond).Before(st.failed)
	}
}

// waitIdle waits until no cell runs or waits, at most until the last one came d ago.
func (st *state) waitIdle(ctx context.Context, d time.Duration) {
	st.mu.Lock()
	idle, left := st.idle, d-time.Since(st.arrived)
	st.mu.Unlock()
	select {
	case <-idle:
		return
	default:
	}
	if left <= 0 {
		return
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// begun records that a cell no longer waits. The caller holds mu.
func (st *state) begun(r *request) {
	if i := slices.Index(st.waiting, r); i >= 0 { // the first
		st.waiting = slices.Delete(st.waiting, i, i+1)
	}
}

// interruptNext makes an interrupt that finds no running code hit the cell that runs next: a user who interrupts a
// series of cells does not know which one runs. Without a waiting cell it does nothing. The caller holds mu.
func (st *state) interruptNext() {
	for _, r := range st.waiting {
		if !r.isAborted {
			r.isInterrupted = true
			return
		}
	}
}

// done records that a cell was run or refused.
func (st *state) done() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.pending--; st.pending == 0 {
		close(st.idle)
	}
}
