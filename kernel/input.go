package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/spherelab/spherelab/kernel/wire"
)

// endOfInput is what front ends send for Ctrl-D.
const endOfInput = "\x04"

// input is the input_request that waits for an answer on the stdin channel.
type input struct {
	turn chan struct{} // held while a request waits for its answer

	mu     sync.Mutex
	peer   string    // identity of the client that must answer; "" for none
	ids    [2]string // of the input_request and of the cell: clients use one or the other as the answer's parent
	answer chan string
}

func newInput() *input { return &input{turn: make(chan struct{}, 1)} }

// ReadLine asks the client that sent the running cell.
func (s engineIO) ReadLine(ctx context.Context, prompt string, isPassword bool) (string, error) {
	select {
	case s.input.turn <- struct{}{}:
		defer func() { <-s.input.turn }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	s.state.mu.Lock()
	c := s.state.running
	s.state.mu.Unlock()
	switch {
	case c == nil:
		return "", fmt.Errorf("%w: no cell runs", ErrNoStdin)
	case !c.allowStdin:
		return "", fmt.Errorf("%w: the cell was sent with allow_stdin false", ErrNoStdin)
	}

	// All channels of a client have the same identity. They connect one after the other, so stdin may need a moment.
	find, cancel := context.WithTimeout(ctx, stdinPatience)
	p, err := s.stdin.Find(find, c.peer)
	cancel()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("%w: its stdin channel is not connected", ErrNoStdin)
	}

	s.out.flush(true) // what was printed before the prompt
	content := map[string]any{"prompt": prompt, "password": isPassword}
	frames, id, err := s.session.Encode("input_request", c.RawHeader, content)
	if err != nil {
		return "", err
	}
	answer := s.input.expect(c.peer, id, c.Header.MsgID)
	defer s.input.forget()
	p.Send(slices.Concat(c.Identities, frames))
	select {
	case line := <-answer:
		if line == endOfInput {
			return "", io.EOF
		}
		return line, nil
	case <-p.Gone():
		return "", fmt.Errorf("%w any more: it disconnected", ErrNoStdin)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (i *input) expect(peer, id, cell string) <-chan string {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.peer, i.ids, i.answer = peer, [2]string{id, cell}, make(chan string, 1)
	return i.answer
}

func (i *input) forget() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.peer, i.ids, i.answer = "", [2]string{}, nil
}

// onStdin handles an input_reply. It drops one that no cell waits for, for example after an interrupt.
func (s *server) onStdin(p *wire.Peer, frames [][]byte) {
	m, ok := s.receive("stdin", frames)
	if !ok || m.Header.MsgType != "input_reply" {
		return
	}
	var q struct {
		Value string `json:"value"`
	}
	if err := json.Unmarshal(m.Content, &q); err != nil {
		s.counters.malformed.Add(1)
		return
	}
	i := s.input
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.answer == nil || i.peer != p.ID() {
		return
	}
	if parent := m.Parent.MsgID; parent != "" && parent != i.ids[0] && parent != i.ids[1] { // some leave it empty
		return
	}
	select {
	case i.answer <- q.Value:
	default: // a second answer
	}
}

// stdinPatience is how long a client's stdin channel may need to connect.
const stdinPatience = 5 * time.Second
