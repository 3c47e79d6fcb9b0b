package wire

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

// zmq4's own ROUTER and PUB sockets are not used, only its connections (greeting, handshake, framing). Its sockets run
// the handshake inside the accept loop, so one silent connection locks out everybody. They write to all peers under one
// lock, so one stalled reader stops every channel. They queue publications without limit or drop them, and they lose
// what is queued at Close. A kernel can afford none of these.

const handshakeTimeout = 10 * time.Second

// Socket is one bound ZeroMQ socket: a listener and the peers that are connected to it.
type Socket struct {
	kind      zmq4.SocketType
	listener  net.Listener
	stall     time.Duration                  // how long a reader may take nothing before it is disconnected
	hold      time.Duration                  // how long publishing waits for a reader that takes nothing
	onMessage func(p *Peer, frames [][]byte) // called by the peer's reader, so in order for each peer
	welcome   func(topic string) [][]byte    // for Pub: the first message to a new subscriber; nil: none

	mu       sync.Mutex
	opening  map[net.Conn]struct{} // in the handshake
	peers    map[*Peer]struct{}
	byID     map[string]*Peer
	joined   chan struct{} // closed, and replaced, when a peer joins
	isClosed bool
	workers  sync.WaitGroup
}

// NewRouter makes a socket that takes messages and answers them. onMessage is called in order for each peer, and at the
// same time for several. A peer that takes nothing of what is sent to it for the time stall is disconnected.
func NewRouter(stall time.Duration, onMessage func(p *Peer, frames [][]byte)) *Socket {
	s := newSocket(zmq4.Router, stall)
	s.onMessage = onMessage
	return s
}

// NewPub makes a socket that publishes. hold is how long publishing waits for a subscriber that takes nothing; then the
// subscriber is disconnected. welcome makes the message that a new subscriber gets before any other.
func NewPub(stall, hold time.Duration, welcome func(topic string) [][]byte) *Socket {
	s := newSocket(zmq4.Pub, stall)
	s.hold, s.welcome = hold, welcome
	return s
}

func newSocket(kind zmq4.SocketType, stall time.Duration) *Socket {
	return &Socket{
		kind: kind, stall: stall, joined: make(chan struct{}),
		opening: map[net.Conn]struct{}{}, peers: map[*Peer]struct{}{}, byID: map[string]*Peer{},
	}
}

// Echo is the onMessage of the heartbeat channel: it sends back what came. Nothing is signed there, so a peer that does
// not read must not fill the memory: the kernel stops reading from it.
func Echo(p *Peer, frames [][]byte) {
	p.waitRoom()
	p.Send(frames)
}

// Serve starts to accept connections on l.
func (s *Socket) Serve(l net.Listener) {
	s.listener = l
	s.workers.Add(1)
	go s.accept()
}

func (s *Socket) accept() {
	defer s.workers.Done()
	for {
		conn, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no descriptor left, or the peer has already left: wait a little and continue
			time.Sleep(20 * time.Millisecond)
			continue
		}
		s.workers.Add(1)
		go s.run(conn)
	}
}

// run handles one connection until it ends.
func (s *Socket) run(conn net.Conn) {
	defer s.workers.Done()
	defer conn.Close()
	if !s.open(conn) {
		return
	}
	p, _ := s.handshake(conn)
	if !s.add(conn, p) {
		return // the socket closes, or the peer does not speak ZMTP or has the wrong type
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
func (s *Socket) handshake(conn net.Conn) (p *Peer, err error) {
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
	g.isBuffered = true
	id := zmtp.Peer.Meta["Identity"]
	if id == "" {
		id = "\x00" + newID() // as libzmq does: an identity that a client chooses never starts with a zero byte
	}
	p = &Peer{
		id: id, conn: conn, guard: g, zmtp: zmtp,
		topics: map[string]int{}, gone: make(chan struct{}), hold: s.hold, patience: s.hold,
	}
	p.changed = sync.NewCond(&p.mu)
	g.wrote = p.took
	return p, nil
}

// open records a connection before its handshake, so that close ends it.
func (s *Socket) open(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isClosed {
		s.opening[conn] = struct{}{}
	}
	return !s.isClosed
}

// add makes a peer of a connection; p is nil if the handshake failed.
func (s *Socket) add(conn net.Conn, p *Peer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.opening, conn)
	if s.isClosed || p == nil {
		return false
	}
	s.peers[p] = struct{}{}
	s.byID[p.id] = p // a client that reconnects takes over its identity
	close(s.joined)
	s.joined = make(chan struct{})
	return true
}

func (s *Socket) remove(p *Peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.peers, p)
	if s.byID[p.id] == p {
		delete(s.byID, p.id)
	}
}

// subscribe takes a peer's subscription message: one byte, 1 to begin and 0 to end, and the topic. Anything else is
// ignored.
func (s *Socket) subscribe(p *Peer, frames [][]byte) {
	if len(frames) != 1 || len(frames[0]) == 0 || len(frames[0]) > 1+topicLength || frames[0][0] > 1 {
		return
	}
	topic := string(frames[0][1:])
	if frames[0][0] == 0 {
		p.unsubscribe(topic)
		return
	}
	var first [][]byte
	if s.welcome != nil {
		first = s.welcome(topic)
		p.waitRoom()
	}
	p.subscribe(topic, first)
}

// Find returns the peer with an identity. It waits for it until ctx ends, because the channels of a client connect one
// after the other.
func (s *Socket) Find(ctx context.Context, id string) (*Peer, error) {
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

// Send queues a message for the peer with an identity. It reports whether there is such a peer.
func (s *Socket) Send(id string, frames [][]byte) bool {
	s.mu.Lock()
	p := s.byID[id]
	s.mu.Unlock()
	if p == nil {
		return false
	}
	p.Send(frames)
	return true
}

// Publish queues a message for every peer that subscribed to its topic. It first waits for readers that are behind,
// while wait is true (nil: not at all).
func (s *Socket) Publish(topic string, frames [][]byte, wait func() bool) {
	s.mu.Lock()
	peers := make([]*Peer, 0, len(s.peers))
	for p := range s.peers {
		peers = append(peers, p)
	}
	s.mu.Unlock()
	peers = slices.DeleteFunc(peers, func(p *Peer) bool { return !p.isSubscribed(topic) })
	if wait != nil {
		for _, p := range peers { // of all together: many slow readers hold the publisher up no longer than one
			p.beginHold()
		}
		for _, p := range peers {
			p.holdOn(wait)
		}
	}
	for _, p := range peers {
		p.Send(frames)
	}
}

// Close stops accepting, gives the peers up to linger to take what is queued for them, and disconnects them.
func (s *Socket) Close(linger time.Duration) {
	s.mu.Lock()
	s.isClosed = true
	peers := make([]*Peer, 0, len(s.peers))
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

// Wake makes publishers that wait call their wait function again.
func (s *Socket) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.peers {
		p.mu.Lock()
		p.changed.Broadcast()
		p.mu.Unlock()
	}
}
