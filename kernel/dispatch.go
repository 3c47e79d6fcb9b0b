package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// request is a message that was received, with the way back.
type request struct {
	*message
	socket *socket // shell or control
	peer   string  // identity of the sender's connection

	// Guarded by state.mu.
	aborted     bool // a cell before it failed; it is not to be run
	interrupted bool // an interrupt came when no cell ran and this one was the next
}

// lane is a queue of requests that are served one after the other.
type lane struct {
	mu    sync.Mutex
	queue []*request
	some  chan struct{}
}

func newLane() *lane { return &lane{some: make(chan struct{}, 1)} }

func (l *lane) put(r *request) {
	l.mu.Lock()
	l.queue = append(l.queue, r)
	l.mu.Unlock()
	notify(l.some)
}

// next waits for a request. It returns nil when ctx ends.
func (l *lane) next(ctx context.Context) *request {
	for {
		if ctx.Err() != nil {
			return nil
		}
		l.mu.Lock()
		if len(l.queue) > 0 {
			r := l.queue[0]
			l.queue[0] = nil
			l.queue = l.queue[1:]
			l.mu.Unlock()
			return r
		}
		l.mu.Unlock()
		select {
		case <-l.some:
		case <-ctx.Done():
		}
	}
}

// receive decodes what came in on a socket; what is badly signed or malformed is counted and ignored.
func (s *server) receive(channel string, frames [][]byte) (*message, bool) {
	m, err := s.encoder.decode(frames)
	if err == nil && !s.seen.first(m.signature) {
		err = errReplayed
	}
	switch {
	case err == nil:
		return m, true
	case errors.Is(err, errSignature):
		if s.counters.badSignature.Add(1) == 1 {
			s.log.Warn("ignored a message with a bad signature; further ones are only counted", "channel", channel)
		}
	case errors.Is(err, errReplayed):
		if s.counters.replayed.Add(1) == 1 {
			s.log.Warn("ignored a message that had been received before; further ones are only counted", "channel", channel)
		}
	default:
		if s.counters.malformed.Add(1) == 1 {
			s.log.Warn("ignored a malformed message; further ones are only counted", "channel", channel, "error", err)
		}
	}
	return nil, false
}

// onShell sorts the requests of the shell channel into lanes: cells are evaluated one after the other; everything else is answered beside them, so that a cell
// that trains for an hour does not take completion and documentation away.
func (s *server) onShell(p *peer, frames [][]byte) {
	m, ok := s.receive("shell", frames)
	if !ok {
		return
	}
	r := &request{message: m, socket: s.shell, peer: p.id}
	switch m.header.MsgType {
	case "execute_request":
		s.state.queue(r)
		s.cells.put(r)
	case "shutdown_request": // deprecated on shell; it does not wait for cells
		s.controls.put(r)
	default:
		s.queries.put(r)
	}
}

func (s *server) onControl(p *peer, frames [][]byte) {
	if m, ok := s.receive("control", frames); ok {
		s.controls.put(&request{message: m, socket: s.control, peer: p.id})
	}
}

// serveQueries answers the requests of the shell channel that are no cells, in order. Each waits a moment for a cell that came just before it: completion sent
// right behind a cell should know what the cell defines.
func (s *server) serveQueries(ctx context.Context) {
	for {
		r := s.queries.next(ctx)
		if r == nil {
			return
		}
		if r.header.MsgType != "kernel_info_request" {
			select {
			case <-s.started:
			case <-ctx.Done():
				return
			}
			s.state.waitIdle(ctx, queryPatience)
		}
		s.turn <- struct{}{}
		s.serve(r, s.query)
		<-s.turn
	}
}

// awaitTurn lets a query that is being answered finish, so that its idle status does not come after the busy status of the cell that is about to run; clients
// that send one request after the other rely on it. A query that takes long is not waited for.
func (s *server) awaitTurn() {
	timer := time.NewTimer(queryPatience)
	defer timer.Stop()
	select {
	case s.turn <- struct{}{}:
		<-s.turn
	case <-timer.C:
	}
}

func (s *server) serveControls(ctx context.Context) {
	for {
		r := s.controls.next(ctx)
		if r == nil {
			return
		}
		s.serve(r, s.manage)
	}
}

// serve handles one request that is no cell, between its busy and its idle status.
func (s *server) serve(r *request, handle func(*request)) {
	s.status(r, "busy")
	func() {
		defer func() {
			if v := recover(); v != nil {
				s.log.Error("panic while serving a request", "request", r.header.MsgType, "panic", v)
				s.fail(r, "InternalError", fmt.Sprint(v))
			}
		}()
		handle(r)
	}()
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.status(r, "idle")
	if c := s.state.running; c != nil {
		s.status(c.request, "busy") // front ends show the status that came last, whatever its parent
	}
}

// manage handles the control channel.
func (s *server) manage(r *request) {
	switch r.header.MsgType {
	case "interrupt_request":
		s.interrupt()
		s.reply(r, "interrupt_reply", map[string]any{"status": "ok"})
	case "shutdown_request":
		s.onShutdown(r)
	default:
		s.query(r)
	}
}

// fail answers a request with an error. Requests without a reply, like comm messages, are only logged.
func (s *server) fail(r *request, name, value string) {
	kind, ok := strings.CutSuffix(r.header.MsgType, "_request")
	if !ok {
		s.log.Warn("a message could not be handled", "type", r.header.MsgType, "error", name+": "+value)
		return
	}
	s.reply(r, kind+"_reply", map[string]any{"status": "error", "ename": name, "evalue": value, "traceback": []string{}})
}

// reply answers a request on the channel on which it came.
func (s *server) reply(r *request, msgType string, content any) {
	frames, _, err := s.encoder.encode(outgoing{msgType: msgType, parent: r.rawHeader, content: content})
	if err != nil {
		s.log.Error("reply", "type", msgType, "error", err)
		frames, _, _ = s.encoder.encode(outgoing{msgType: msgType, parent: r.rawHeader, content: map[string]any{
			"status": "error", "ename": "InternalError", "evalue": err.Error(), "traceback": []string{}}})
	}
	r.socket.send(r.peer, append(append([][]byte{}, r.identities...), frames...))
}

// publish sends a message to all subscribers. Output waits for readers that are behind; status and errors do not, so that control is served whatever happens.
func (s *server) publish(o outgoing, wait bool) error {
	frames, _, err := s.encoder.encode(o)
	if err != nil {
		return err
	}
	var waits func() bool
	if wait {
		waits = s.out.waits
	}
	s.iopub.publish(o.msgType, append([][]byte{[]byte(o.msgType)}, frames...), waits)
	return nil
}

// status publishes what the kernel does. r may be nil: at the start.
func (s *server) status(r *request, state string) {
	_ = s.publish(outgoing{msgType: "status", parent: r.parentHeader(), content: map[string]any{"execution_state": state}}, false) // cannot fail
}

// parentHeader is the parent header of what r causes.
func (r *request) parentHeader() json.RawMessage {
	if r == nil {
		return nil
	}
	return r.rawHeader
}

// state is what runs and what waits to run.
type state struct {
	mu      sync.Mutex
	running *running
	waiting []*request    // cells that have not begun
	pending int           // cells that run or wait
	arrived time.Time     // when the last of them came
	idle    chan struct{} // closed when pending is 0
	failed  time.Time     // when a cell with stop_on_error failed
	session string        // of that cell
}

// running is the cell that runs.
type running struct {
	*request
	allowStdin  bool
	cancel      context.CancelCauseFunc
	interrupted bool
	evaluated   bool // its code has ended; an interrupt is too late for it
}

func newState() *state {
	idle := make(chan struct{})
	close(idle)
	return &state{idle: idle}
}

// queue notes that a cell waits. A cell that was sent before its client could know of a failure, but arrives after it, counts as having been queued.
func (st *state) queue(r *request) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.pending == 0 {
		st.idle = make(chan struct{})
	}
	st.pending++
	st.arrived = time.Now()
	st.waiting = append(st.waiting, r)
	if r.header.Session == st.session && time.Since(st.failed) < abortWindow {
		sent, err := time.Parse(time.RFC3339Nano, r.header.Date)
		r.aborted = err == nil && sent.Add(time.Millisecond).Before(st.failed) // browsers' dates are cut to milliseconds
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

// begun notes that a cell waits no more. The caller holds mu.
func (st *state) begun(r *request) {
	if i := slices.Index(st.waiting, r); i >= 0 { // the first
		st.waiting = slices.Delete(st.waiting, i, i+1)
	}
}

// interruptNext makes an interrupt that finds no code running hit the cell that is about to run: whoever interrupts a queue of cells does not know where it is.
// Without such a cell the interrupt is for nobody. The caller holds mu.
func (st *state) interruptNext() {
	for _, r := range st.waiting {
		if !r.aborted {
			r.interrupted = true
			return
		}
	}
}

// done notes that a cell has been dealt with.
func (st *state) done() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.pending--; st.pending == 0 {
		close(st.idle)
	}
}
