package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// endOfInput is what front ends send for Ctrl-D.
const endOfInput = "\x04"

// input is the question that waits for an answer on the stdin channel.
type input struct {
	turn chan struct{} // held by the one who asks; others wait

	mu     sync.Mutex
	peer   string    // who is asked; "" nobody
	ids    [2]string // of the input_request and of the cell: clients differ in which they make the parent of the answer
	answer chan string
}

func newInput() *input { return &input{turn: make(chan struct{}, 1)} }

// ReadLine asks the client that sent the running cell.
func (s engineIO) ReadLine(ctx context.Context, prompt string, password bool) (string, error) {
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
		return "", fmt.Errorf("%w: no cell runs that somebody could be asked for", ErrNoStdin)
	case !c.allowStdin:
		return "", fmt.Errorf("%w: the cell was sent with allow_stdin false", ErrNoStdin)
	}

	// A client's channels have the same identity. They connect one after the other, so its stdin may need a moment.
	find, cancel := context.WithTimeout(ctx, stdinPatience)
	p, err := s.stdin.find(find, c.peer)
	cancel()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("%w: its stdin channel is not connected", ErrNoStdin)
	}

	s.out.flush(true) // what was printed before the question
	frames, id, err := s.encoder.encode(outgoing{msgType: "input_request", parent: c.rawHeader, content: map[string]any{"prompt": prompt, "password": password}})
	if err != nil {
		return "", err
	}
	answer := s.input.expect(c.peer, id, c.header.MsgID)
	defer s.input.forget()
	p.send(append(append([][]byte{}, c.identities...), frames...))
	select {
	case line := <-answer:
		if line == endOfInput {
			return "", io.EOF
		}
		return line, nil
	case <-p.gone:
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

// onStdin takes an input_reply. One that nobody waits for, for example after an interrupt, is dropped.
func (s *server) onStdin(p *peer, frames [][]byte) {
	m, ok := s.receive("stdin", frames)
	if !ok || m.header.MsgType != "input_reply" {
		return
	}
	var q struct {
		Value string `json:"value"`
	}
	if err := json.Unmarshal(m.content, &q); err != nil {
		s.counters.malformed.Add(1)
		return
	}
	i := s.input
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.answer == nil || i.peer != p.id {
		return
	}
	if parent := m.parent.MsgID; parent != "" && parent != i.ids[0] && parent != i.ids[1] { // some leave it empty
		return
	}
	select {
	case i.answer <- q.Value:
	default: // a second answer
	}
}

// stdinPatience is how long a client's stdin channel may need to connect.
const stdinPatience = 5 * time.Second
