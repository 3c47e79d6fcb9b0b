package kernel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

// zmq4's own ROUTER and PUB sockets are not used, only its connections (greeting, handshake, framing). Its sockets run the handshake inside the accept loop, so
// that one silent connection locks everybody out; write to all peers under one lock, so that one stalled reader stops every channel; queue publications
// without limit or drop them; and lose what is queued at Close. A kernel can afford none of these.

const handshakeTimeout = 10 * time.Second

// socket is one bound ZeroMQ socket: a listener and the peers that are connected to it.
type socket struct {
	kind      zmq4.SocketType
	listener  net.Listener
	stall     time.Duration
	hold      time.Duration                  // how long publishing waits for a reader that takes nothing
	onMessage func(p *peer, frames [][]byte) // called by the peer's reader, so in order for each peer
	onTopic   func(topic string) [][]byte    // for Pub: what a new subscriber is told before anything else; nil: nothing

	mu      sync.Mutex
	opening map[net.Conn]struct{} // in the handshake
	peers   map[*peer]struct{}
	byID    map[string]*peer
	joined  chan struct{} // closed, and replaced, when a peer joins
	closed  bool
	workers sync.WaitGroup
}

// newSocket makes a socket. stall is how long a reader may take nothing before it is disconnected; hold is the same while publishing waits for it.
func newSocket(kind zmq4.SocketType, stall, hold time.Duration, onMessage func(*peer, [][]byte), onTopic func(string) [][]byte) *socket {
	return &socket{
		kind: kind, stall: stall, hold: hold, onMessage: onMessage, onTopic: onTopic,
		opening: map[net.Conn]struct{}{}, peers: map[*peer]struct{}{}, byID: map[string]*peer{}, joined: make(chan struct{}),
	}
}

// listen starts to accept connections on l.
func (s *socket) listen(l net.Listener) {
	s.listener = l
	s.workers.Add(1)
	go s.accept()
}

func (s *socket) accept() {
	defer s.workers.Done()
	for {
		conn, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no descriptor left, or the peer was gone again: neither is a reason to stop, nor to spin
			time.Sleep(20 * time.Millisecond)
			continue
		}
		s.workers.Add(1)
		go s.serve(conn)
	}
}

// serve runs one connection until it ends.
func (s *socket) serve(conn net.Conn) {
	defer s.workers.Done()
	defer conn.Close()
	if !s.open(conn) {
		return
	}
	p, _ := s.handshake(conn)
	if !s.add(conn, p) {
		return // closing; or a port scanner, a peer that does not speak ZMTP, one of a wrong type: nothing to answer it
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.write(s.stall)
	}()
	for {
		m, err := p.zmtp.RecvMsg()
		if err != nil {
			break
		}
		if m.Type != zmq4.UsrMsg {
			continue
		}
		if s.kind == zmq4.Pub {
			s.subscribe(p, m.Frames)
		} else if s.onMessage != nil {
			s.onMessage(p, m.Frames)
		}
	}
	s.remove(p)
	p.close()
	<-done
}

// handshake greets the peer. zmq4 panics on a peer that names an unknown socket type.
func (s *socket) handshake(conn net.Conn) (p *peer, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("kernel: handshake: %v", v)
		}
	}()
	if err := conn.SetDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return nil, err
	}
	g := newGuard(conn)
	zmtp, err := zmq4.Open(g, null.Security(), s.kind, nil, true, nil)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	g.buffered = true
	id := zmtp.Peer.Meta["Identity"]
	if id == "" {
		id = "\x00" + newID() // as libzmq does: an own identity never starts with a zero byte
	}
	p = &peer{id: id, conn: conn, guard: g, zmtp: zmtp, topics: map[string]int{}, gone: make(chan struct{}), hold: s.hold, patience: s.hold}
	p.changed = sync.NewCond(&p.mu)
	g.wrote = p.took
	return p, nil
}

// open notes a connection before its handshake, so that close ends it.
func (s *socket) open(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.opening[conn] = struct{}{}
	}
	return !s.closed
}

// add makes a peer of a connection; p is nil if the handshake failed.
func (s *socket) add(conn net.Conn, p *peer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.opening, conn)
	if s.closed || p == nil {
		return false
	}
	s.peers[p] = struct{}{}
	s.byID[p.id] = p // a client that reconnects takes over its identity
	close(s.joined)
	s.joined = make(chan struct{})
	return true
}

func (s *socket) remove(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.peers, p)
	if s.byID[p.id] == p {
		delete(s.byID, p.id)
	}
}

// subscribe takes a peer's subscription message: one byte, 1 to begin and 0 to end, and the topic. What is no such message, or too much, is ignored.
func (s *socket) subscribe(p *peer, frames [][]byte) {
	if len(frames) != 1 || len(frames[0]) == 0 || len(frames[0]) > 1+topicLength || frames[0][0] > 1 {
		return
	}
	topic := string(frames[0][1:])
	if frames[0][0] == 0 {
		p.unsubscribe(topic)
		return
	}
	var first [][]byte
	if s.onTopic != nil {
		first = s.onTopic(topic)
		p.waitRoom()
	}
	p.subscribe(topic, first)
}

// find returns the peer with an identity. It waits for it until ctx ends: a client's channels connect one after the other.
func (s *socket) find(ctx context.Context, id string) (*peer, error) {
	for {
		s.mu.Lock()
		p, joined := s.byID[id], s.joined
		s.mu.Unlock()
		if p != nil {
			return p, nil
		}
		select {
		case <-joined:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// send queues a message for the peer with an identity. False: there is no such peer (any more).
func (s *socket) send(id string, frames [][]byte) bool {
	s.mu.Lock()
	p := s.byID[id]
	s.mu.Unlock()
	if p == nil {
		return false
	}
	p.send(frames)
	return true
}

// publish queues a message for every peer that subscribed to its topic. It first waits for readers that are behind, as long as wait says so (nil: not at all).
func (s *socket) publish(topic string, frames [][]byte, wait func() bool) {
	s.mu.Lock()
	peers := make([]*peer, 0, len(s.peers))
	for p := range s.peers {
		peers = append(peers, p)
	}
	s.mu.Unlock()
	peers = slices.DeleteFunc(peers, func(p *peer) bool { return !p.wants(topic) })
	if wait != nil {
		for _, p := range peers { // of all at once: many that are behind hold the publisher up no longer than one
			p.beginHold()
		}
		for _, p := range peers {
			p.holdOn(wait)
		}
	}
	for _, p := range peers {
		p.send(frames)
	}
}

// close stops accepting, gives the peers up to linger to take what is queued for them, and disconnects them.
func (s *socket) close(linger time.Duration) {
	s.mu.Lock()
	s.closed = true
	peers := make([]*peer, 0, len(s.peers))
	for p := range s.peers {
		peers = append(peers, p)
	}
	for conn := range s.opening {
		conn.Close()
	}
	s.mu.Unlock()
	s.listener.Close()
	deadline := time.Now().Add(linger)
	for _, p := range peers {
		p.finish(deadline)
	}
	s.workers.Wait()
}

// wake lets publishers that wait ask again whether they should.
func (s *socket) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.peers {
		p.mu.Lock()
		p.changed.Broadcast()
		p.mu.Unlock()
	}
}
