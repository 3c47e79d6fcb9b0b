package kernel

import (
	"bytes"
	"context"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// batchSize is how much text is sent at once without waiting for the batch's time to be over.
	batchSize = 64 << 10
	// outboxLimit is how much text may wait to be sent. A writer that is faster waits.
	outboxLimit = 1 << 20
	// ordered is the max number of waiting segments whose order is kept. Each is a message, of which a front end
	// handles a few thousand a second. Beyond that, each stream is ordered by itself.
	ordered = 2000
	// mixed is how many of the last segments then take further text of their stream and request.
	mixed = 4
)

// segment is text of one stream that belongs to one request.
type segment struct {
	stream string // "stdout" or "stderr"
	parent *request
	text   []byte
}

// outbox collects what is written to stdout and stderr and sends it in batches, in the order of writing.
type outbox struct {
	every time.Duration // how long text may wait for more
	send  func(s segment)

	mu       sync.Mutex
	room     *sync.Cond
	waiting  []segment
	size     int
	parent   *request // the running request or the last one; output belongs to it
	before   *request // the parent before a silent request
	isSilent bool     // the running request is silent
	isMuted  bool     // nothing is shown now
	isEnded  bool     // the running cell was interrupted or the kernel ends: writers no longer wait for room
	some     chan struct{}
	plenty   chan struct{}

	sending sync.Mutex // held while text is taken and sent
}

func newOutbox(every time.Duration, send func(segment)) *outbox {
	o := &outbox{every: every, send: send, some: make(chan struct{}, 1), plenty: make(chan struct{}, 1)}
	o.room = sync.NewCond(&o.mu)
	return o
}

// run sends batches until ctx ends.
func (o *outbox) run(ctx context.Context) {
	for {
		select {
		case <-o.some:
		case <-ctx.Done():
			return
		}
		timer := time.NewTimer(o.every)
		select {
		case <-timer.C:
		case <-o.plenty:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return
		}
		o.flush(false)
	}
}

// begin makes r the request that output belongs to.
func (o *outbox) begin(r *request, silent bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.before, o.parent, o.isSilent, o.isMuted, o.isEnded = o.parent, r, silent, silent, false
}

// end ends the running request. What goroutines print later still belongs to it. After a silent request, of which front
// ends show nothing, it belongs to the request before.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.isSilent {
		o.parent = o.before
	}
	o.before, o.isSilent, o.isMuted = nil, false, false
}

// mute drops output until the request ends. It is for the parts of a request that show nothing.
func (o *outbox) mute() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.isMuted = true
}

// owner is the request that output belongs to.
type owner struct {
	shown  *request // in whose place front ends show it
	during *request // the request that may mute it; the same one unless it is silent
}

// bind returns the owner of what the running request writes, now and after its end.
func (o *outbox) bind() owner {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.isSilent {
		return owner{o.before, o.parent}
	}
	return owner{o.parent, o.parent}
}

// destination is the request that the output of an owner belongs to, nil for the running request, and whether it is
// shown now. o.mu is held.
func (o *outbox) destination(of *owner) (r *request, shown bool) {
	if of == nil {
		return o.parent, !o.isMuted
	}
	return of.shown, !(o.isMuted && o.parent == of.during)
}

// place is destination for a message of its own.
func (o *outbox) place(of *owner) (r *request, shown bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.destination(of)
}

// release ends the wait of writers for room; their text is refused.
func (o *outbox) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.isEnded = true
	o.room.Broadcast()
}

func (o *outbox) isWaiting() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.isEnded
}

// writer is one of the two streams as an io.Writer.
type writer struct {
	o      *outbox
	stream string
	of     *owner // nil: the request that runs when something is written
}

func (w writer) Write(p []byte) (int, error) { return w.o.write(w.stream, w.of, p) }

func (o *outbox) write(stream string, of *owner, p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	written := 0
	for written < len(p) {
		parent, shown := o.destination(of)
		for o.size >= outboxLimit && !o.isEnded && shown {
			o.room.Wait()
			parent, shown = o.destination(of)
		}
		if !shown {
			return len(p), nil
		}
		if o.size >= outboxLimit {
			return written, ErrInterrupted
		}
		piece := p[written:min(len(p), written+outboxLimit-o.size)]
		s := o.segment(stream, parent)
		s.text = append(s.text, piece...)
		o.size += len(piece)
		written += len(piece)
		notify(o.some)
		if o.size >= batchSize {
			notify(o.plenty)
		}
	}
	return written, nil
}

// segment is the one that takes the next text of a stream and request. o.mu is held.
func (o *outbox) segment(stream string, parent *request) *segment {
	n := len(o.waiting)
	first := n - 1
	if n >= ordered {
		first = n - mixed
	}
	for i := n - 1; i >= max(first, 0); i-- {
		if s := &o.waiting[i]; s.stream == stream && s.parent == parent {
			return s
		}
	}
	o.waiting = append(o.waiting, segment{stream: stream, parent: parent})
	return &o.waiting[n]
}

// flush sends the waiting text and returns when it is sent. Unless all is set, the first bytes of an unfinished
// character wait for the rest.
func (o *outbox) flush(all bool) {
	o.sending.Lock()
	defer o.sending.Unlock()
	o.mu.Lock()
	segments := o.waiting
	o.waiting, o.size = nil, 0
	select { // drop an outdated size signal
	case <-o.plenty:
	default:
	}
	if n := len(segments); n > 0 && !all {
		last := &segments[n-1]
		if cut := incomplete(last.text); cut > 0 {
			whole := len(last.text) - cut
			rest := *last
			rest.text = bytes.Clone(last.text[whole:])
			last.text = last.text[:whole]
			o.waiting, o.size = []segment{rest}, cut
		}
	}
	o.room.Broadcast()
	o.mu.Unlock()
	for _, s := range segments {
		if len(s.text) > 0 {
			o.send(s)
		}
	}
}

// incomplete counts the bytes at the end of text that begin a character without ending it.
func incomplete(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
