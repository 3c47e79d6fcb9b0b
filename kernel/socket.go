package kernel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

// zmq4's own ROUTER and PUB sockets are not used, only its connections (greeting, handshake, framing). Its sockets run the handshake inside the accept loop, so
// that one silent connection locks everybody out; write to all peers under one lock, so that one stalled reader stops every channel; queue publications
// without limit or drop them; and lose what is queued at Close. A kernel can afford none of these.

const (
	handshakeTimeout = 10 * time.Second
	// queueLimit is how many bytes may wait for one reader before publishing waits for it.
	queueLimit = 4 << 20
)

// socket is one bound ZeroMQ socket: a listener and the peers that are connected to it.
type socket struct {
	kind      zmq4.SocketType
	listener  net.Listener
	stall     time.Duration
	onMessage func(p *peer, frames [][]byte) // called by the peer's reader, so in order for each peer
	onTopic   func(p *peer, topic string)    // for Pub: somebody subscribed

	mu      sync.Mutex
	opening map[net.Conn]struct{} // in the handshake
	peers   map[*peer]struct{}
	byID    map[string]*peer
	joined  chan struct{} // closed, and replaced, when a peer joins
	closed  bool
	workers sync.WaitGroup
}

// newSocket makes a socket. stall is how long a reader may take nothing before it is disconnected.
func newSocket(kind zmq4.SocketType, stall time.Duration, onMessage func(*peer, [][]byte), onTopic func(*peer, string)) *socket {
	return &socket{
		kind: kind, stall: stall, onMessage: onMessage, onTopic: onTopic,
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
	p = &peer{id: id, conn: conn, guard: g, zmtp: zmtp, topics: map[string]int{}, gone: make(chan struct{})}
	p.changed = sync.NewCond(&p.mu)
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

// subscribe takes a peer's subscription message: one byte, 1 to begin and 0 to end, and the topic.
func (s *socket) subscribe(p *peer, frames [][]byte) {
	if len(frames) != 1 || len(frames[0]) == 0 || frames[0][0] > 1 {
		return
	}
	topic := string(frames[0][1:])
	p.mu.Lock()
	if frames[0][0] == 1 {
		p.topics[topic]++
	} else if p.topics[topic]--; p.topics[topic] <= 0 {
		delete(p.topics, topic)
	}
	p.mu.Unlock()
	if frames[0][0] == 1 && s.onTopic != nil {
		s.onTopic(p, topic)
	}
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
	for _, p := range peers {
		if !p.wants(topic) {
			continue
		}
		if wait != nil {
			p.waitRoom(wait)
		}
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

// peer is one connection.
type peer struct {
	id    string
	conn  net.Conn
	guard *guard
	zmtp  *zmq4.Conn

	mu      sync.Mutex
	changed *sync.Cond
	topics  map[string]int // subscriptions, counted
	queue   [][][]byte
	gone    chan struct{} // closed when closed is set
	queued  int           // bytes in queue and in the message being written
	closed  bool
	ending  bool // write what is queued, then end
}

func (p *peer) wants(topic string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for t := range p.topics {
		if len(topic) >= len(t) && topic[:len(t)] == t {
			return true
		}
	}
	return false
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

// waitRoom waits until the peer's queue is below the limit. The writer sees to it that this ends: a peer that takes nothing is disconnected.
func (p *peer) waitRoom(wait func() bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.queued > queueLimit && !p.closed && wait() {
		p.changed.Wait()
	}
}

func (p *peer) send(frames [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.ending {
		return
	}
	p.queue = append(p.queue, frames)
	p.queued += size(frames)
	p.changed.Broadcast()
}

// write sends what is queued until the connection ends or, after finish, the queue is empty.
func (p *peer) write(stall time.Duration) {
	defer p.close()
	for {
		p.mu.Lock()
		for len(p.queue) == 0 && !p.closed && !p.ending {
			p.changed.Wait()
		}
		batch := p.queue
		p.queue = nil
		if p.closed || len(batch) == 0 {
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		for i, frames := range batch {
			p.guard.stall = stall
			if err := p.zmtp.SendMsg(zmq4.NewMsgFrom(frames...)); err != nil {
				return
			}
			if i == len(batch)-1 {
				if err := p.guard.Flush(); err != nil {
					return
				}
			}
			p.mu.Lock()
			p.queued -= size(frames)
			p.changed.Broadcast()
			p.mu.Unlock()
		}
	}
}

// finish lets the writer end when the queue is empty, at the latest at the deadline.
func (p *peer) finish(deadline time.Time) {
	p.mu.Lock()
	p.ending = true
	p.changed.Broadcast()
	p.mu.Unlock()
	stop := time.AfterFunc(time.Until(deadline), p.close)
	defer stop.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		p.changed.Wait()
	}
}

func (p *peer) close() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.gone)
	}
	p.queue = nil
	p.changed.Broadcast()
	p.mu.Unlock()
	p.conn.Close()
}

// size is what a message weighs in a queue.
func size(frames [][]byte) int {
	n := 0
	for _, f := range frames {
		n += len(f) + 64
	}
	return n
}
