package kernel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/kernel/wire"
)

// receive decodes what came in on a socket. It counts and ignores messages that are badly signed, malformed or
// repeated.
func (s *server) receive(channel string, frames [][]byte) (*wire.Message, bool) {
	m, err := s.session.Decode(frames)
	switch {
	case err == nil:
		return m, true
	case errors.Is(err, wire.ErrSignature):
		if s.counters.badSignature.Add(1) == 1 {
			s.log.Warn("ignored a message with a bad signature; further ones are only counted", "channel", channel)
		}
	case errors.Is(err, wire.ErrReplayed):
		if s.counters.replayed.Add(1) == 1 {
			s.log.Warn("ignored a copy of an earlier message; further ones are only counted", "channel", channel)
		}
	default:
		if s.counters.malformed.Add(1) == 1 {
			s.log.Warn("ignored a malformed message; further ones are only counted", "channel", channel, "error", err)
		}
	}
	return nil, false
}

// onShell puts the requests of the shell channel into queues. Cells run one after the other. Other requests are
// answered meanwhile, so that completion and documentation work while a cell trains for an hour.
func (s *server) onShell(p *wire.Peer, frames [][]byte) {
	m, ok := s.receive("shell", frames)
	if !ok {
		return
	}
	r := &request{Message: m, socket: s.shell, peer: p.ID()}
	switch m.Header.MsgType {
	case "execute_request":
		s.state.add(r)
		s.cells.put(r)
	case "shutdown_request": // deprecated on shell; it does not wait for cells
		s.controls.put(r)
	default:
		s.queries.put(r)
	}
}

func (s *server) onControl(p *wire.Peer, frames [][]byte) {
	if m, ok := s.receive("control", frames); ok {
		s.controls.put(&request{Message: m, socket: s.control, peer: p.ID()})
	}
}

// serveQueries answers the requests of the shell channel that are not cells, in order. Each waits a moment for a cell
// that came just before it: completion that is sent right after a cell should know what the cell defines.
func (s *server) serveQueries(ctx context.Context) {
	for {
		r := s.queries.next(ctx)
		if r == nil {
			return
		}
		if r.Header.MsgType != "kernel_info_request" {
			select {
			case <-s.started:
			case <-ctx.Done():
				return
			}
			s.state.waitIdle(ctx, queryPatience)
		}
		s.turn <- struct{}{}
		s.answer(r, s.query)
		<-s.turn
	}
}

// awaitTurn waits for the query that is being answered, so that its idle status does not follow the busy status of the
// cell that is about to run. Clients that send one request after the other rely on this. It does not wait for a slow
// query.
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
		s.answer(r, s.manage)
	}
}

// answer handles one request that is not a cell, between its busy and its idle status.
func (s *server) answer(r *request, handle func(*request)) {
	s.status(r, "busy")
	func() {
		defer func() {
			if v := recover(); v != nil {
				s.log.Error("panic while serving a request", "request", r.Header.MsgType, "panic", v)
				s.fail(r, "InternalError", fmt.Sprint(v))
			}
		}()
		handle(r)
	}()
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.status(r, "idle")
	if c := s.state.running; c != nil {
		s.status(c.request, "busy") // front ends show the last status, whatever its parent
	}
}

// manage handles the control channel.
func (s *server) manage(r *request) {
	switch r.Header.MsgType {
	case "interrupt_request":
		s.interrupt()
		s.reply(r, "interrupt_reply", map[string]any{"status": "ok"})
	case "shutdown_request":
		s.onShutdown(r)
	default:
		s.query(r)
	}
}

// fail answers a request with an error. For a message without a reply, like a comm message, the error is only logged.
func (s *server) fail(r *request, name, value string) {
	kind, ok := strings.CutSuffix(r.Header.MsgType, "_request")
	if !ok {
		s.log.Warn("a message could not be handled", "type", r.Header.MsgType, "error", name+": "+value)
		return
	}
	s.reply(r, kind+"_reply", failure(name, value))
}

// failure is the content of a reply that reports an error.
func failure(name, value string) map[string]any {
	return map[string]any{"status": "error", "ename": name, "evalue": value, "traceback": []string{}}
}

// reply answers a request on its own channel.
func (s *server) reply(r *request, msgType string, content any) {
	frames, _, err := s.session.Encode(msgType, r.RawHeader, content)
	if err != nil {
		s.log.Error("reply", "type", msgType, "error", err)
		frames, _, _ = s.session.Encode(msgType, r.RawHeader, failure("InternalError", err.Error()))
	}
	r.socket.Send(r.peer, slices.Concat(r.Identities, frames))
}

// publish sends a message to all subscribers. r is the request that causes it, nil for none. With wait it waits for
// slow readers. Output waits; status and errors do not, so that control requests are always served.
func (s *server) publish(msgType string, r *request, content any, wait bool) error {
	frames, _, err := s.session.Encode(msgType, r.parentHeader(), content)
	if err != nil {
		return err
	}
	var waits func() bool
	if wait {
		waits = s.out.isWaiting
	}
	s.iopub.Publish(msgType, slices.Concat([][]byte{[]byte(msgType)}, frames), waits)
	return nil
}

// status publishes the state of the kernel. r is nil at the start.
func (s *server) status(r *request, state string) {
	_ = s.publish("status", r, map[string]any{"execution_state": state}, false) // cannot fail
}
