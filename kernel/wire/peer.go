package wire

import (
	"net"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

const (
	// queueLimit is how many bytes may wait for one reader before publishing waits for it.
	queueLimit = 4 << 20
	// topicLimit and topicLength bound what a peer can make the kernel keep by subscribing, which needs no key.
	topicLimit  = 64
	topicLength = 1 << 10
	// leastRate is how many bytes a second a reader has to take, on average, while publishing waits for it.
	leastRate = 256 << 10
)

// Peer is one connection to a socket.
type Peer struct {
	id    string
	conn  net.Conn
	guard *guard
	zmtp  *zmq4.Conn

	mu       sync.Mutex
	changed  *sync.Cond
	topics   map[string]int // subscriptions, counted
	queue    [][][]byte
	gone     chan struct{} // closed when closed is set
	queued   int           // bytes in queue and in the message being written
	isClosed bool
	isEnding bool // write what is queued, then end

	hold     time.Duration // see Socket
	patience time.Duration // what is left of hold while no publisher waits
	holders  int           // publishers that wait
	until    time.Time     // when patience ends for them
}

// ID is the peer's ZeroMQ identity.
func (p *Peer) ID() string { return p.id }

// Gone is closed when the connection has ended.
func (p *Peer) Gone() <-chan struct{} { return p.gone }

// subscribe adds a topic and queues the message first under the same lock, so that it comes before anything published
// for the topic. Topics over the limit are ignored.
func (p *Peer) subscribe(topic string, first [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.topics[topic] == 0 && len(p.topics) == topicLimit {
		return
	}
	p.topics[topic]++
	if first != nil {
		p.enqueue(first)
	}
}

func (p *Peer) unsubscribe(topic string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.topics[topic]--; p.topics[topic] <= 0 {
		delete(p.topics, topic)
	}
}

func (p *Peer) isSubscribed(topic string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for t := range p.topics {
		if len(topic) >= len(t) && topic[:len(t)] == t {
			return true
		}
	}
	return false
}

// waitRoom waits until the peer's queue is below the limit. The peer's own reader calls it and then takes nothing more
// from the peer. The wait ends because the writer disconnects a peer that takes nothing.
func (p *Peer) waitRoom() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.queued > queueLimit && !p.isClosed {
		p.changed.Wait()
	}
}

// beginHold announces a publisher that is going to wait for the peer in holdOn.
func (p *Peer) beginHold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holders == 0 {
		p.until = time.Now().Add(p.patience)
	}
	p.holders++
}

// holdOn waits until the peer's queue is below the limit, while wait is true. Subscribing needs no key, so any process
// can subscribe and then not read. A peer that makes publishers wait therefore uses up its patience, regains it by
// reading, and is disconnected when it has none left.
func (p *Peer) holdOn(wait func() bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.queued > queueLimit && !p.isClosed && wait() {
		left := time.Until(p.until)
		if left <= 0 {
			p.end()
			break
		}
		timer := time.AfterFunc(left, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.changed.Broadcast()
		})
		p.changed.Wait()
		timer.Stop()
	}
	if p.holders--; p.holders == 0 {
		p.patience = max(0, min(p.hold, time.Until(p.until)))
	}
	if p.queued == 0 {
		p.patience = p.hold
	}
}

// took records that the peer's connection took n bytes.
func (p *Peer) took(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	more := time.Duration(n) * time.Second / leastRate
	if p.holders == 0 {
		p.patience = min(p.hold, p.patience+more)
	} else if p.until = p.until.Add(more); time.Until(p.until) > p.hold {
		p.until = time.Now().Add(p.hold)
	}
}

// Send queues a message.
func (p *Peer) Send(frames [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enqueue(frames)
}

// enqueue is Send for a caller that holds mu.
func (p *Peer) enqueue(frames [][]byte) {
	if p.isClosed || p.isEnding {
		return
	}
	p.queue = append(p.queue, frames)
	p.queued += size(frames)
	p.changed.Broadcast()
}

// write sends what is queued until the connection ends or, after finish, the queue is empty.
func (p *Peer) write(stall time.Duration) {
	defer p.close()
	for {
		p.mu.Lock()
		for len(p.queue) == 0 && !p.isClosed && !p.isEnding {
			p.changed.Wait()
		}
		batch := p.queue
		p.queue = nil
		if p.isClosed || len(batch) == 0 {
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
func (p *Peer) finish(deadline time.Time) {
	p.mu.Lock()
	p.isEnding = true
	p.changed.Broadcast()
	p.mu.Unlock()
	stop := time.AfterFunc(time.Until(deadline), p.close)
	defer stop.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.isClosed {
		p.changed.Wait()
	}
}

func (p *Peer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

// end is close for a caller that holds mu.
func (p *Peer) end() {
	if !p.isClosed {
		p.isClosed = true
		close(p.gone)
	}
	p.queue = nil
	p.changed.Broadcast()
	p.conn.Close() // does not wait: the system sends or drops what is left
}

// size returns how many bytes of a queue a message takes.
func size(frames [][]byte) int {
	n := 0
	for _, f := range frames {
		n += len(f) + 64
	}
	return n
}
