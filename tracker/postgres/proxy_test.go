package postgres_test

import (
	"bytes"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/spherelab/spherelab/tracker/trackertest"
)

// proxy stands between a tracker and its database, so that a test can cut the connection.
type proxy struct {
	uri string

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]bool
	commit lost          // of the next COMMIT
	cutAt  int           // the connection is cut at so many messages to the database, counted from 1; 0: never
	frozen chan struct{} // nothing is passed on until it is closed; nil: it is
}

// lost is what does not arrive.
type lost int

const (
	lostNothing lost = iota
	lostMessage      // the database never gets it
	lostAnswer       // the client does not get the answer
	lostNetwork      // nor can it connect again
)

// lose lets something of the next COMMIT be lost.
func (p *proxy) lose(what lost) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commit = what
}

func newProxy(t *testing.T, uri string) *proxy {
	t.Helper()
	p := &proxy{conns: map[net.Conn]bool{}}
	p.uri = trackertest.Relay(t, uri, p.pass)
	return p
}

func (p *proxy) pass(in, out net.Conn) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.conns[in], p.conns[out] = true, true
	p.mu.Unlock()
	done := make(chan struct{}, 2)
	var muted atomic.Bool
	go func() {
		defer func() { done <- struct{}{} }()
		buffer := make([]byte, 1<<16)
		for {
			n, err := in.Read(buffer)
			if err != nil {
				return
			}
			if p.isCut() {
				return
			}
			p.thaw()
			if bytes.Contains(buffer[:n], []byte("COMMIT")) {
				p.mu.Lock()
				what := p.commit
				p.commit = lostNothing
				if what == lostNetwork {
					p.closed = true
					for c := range p.conns {
						if c != in && c != out {
							c.Close()
						}
					}
				}
				p.mu.Unlock()
				if what == lostMessage {
					return
				}
				muted.Store(what != lostNothing)
			}
			if _, err := out.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	go func() {
		defer func() { done <- struct{}{} }()
		buffer := make([]byte, 1<<16)
		for {
			n, err := out.Read(buffer)
			if err != nil || muted.Load() { // the answer is here, so the transaction has ended
				return
			}
			p.thaw()
			if _, err := in.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	<-done
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = false
}

// isCut counts a message to the database and reports whether the connection is cut at it.
func (p *proxy) isCut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cutAt == 0 {
		return false
	}
	p.cutAt--
	return p.cutAt == 0
}

// freeze lets everybody connect and passes nothing on until the returned function is called.
func (p *proxy) freeze() (thaw func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	frozen := make(chan struct{})
	p.frozen = frozen
	return sync.OnceFunc(func() { close(frozen) })
}

// thaw waits until nothing is frozen.
func (p *proxy) thaw() {
	p.mu.Lock()
	frozen := p.frozen
	p.mu.Unlock()
	if frozen != nil {
		<-frozen
	}
}
