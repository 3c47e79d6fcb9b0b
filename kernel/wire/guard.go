package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"net"
	"time"
)

const (
	// messageLimit and frameLimit bound the bytes and the frames of one message. zmq4 allocates whatever length a frame
	// announces and collects frames without limit: without these bounds nine bytes from any process that reaches the
	// port would end the process.
	messageLimit = 256 << 20
	frameLimit   = 1 << 14

	greetingLength = 64
	flagMore       = 1
	flagLong       = 2
	flagCommand    = 4
)

var (
	errTooLarge = errors.New("kernel: message too large")
	errCommand  = errors.New("kernel: unexpected ZMTP command")
)

// guard is a connection that follows the arriving frames (ZMTP 3.0: greeting, then flags, length and body) and fails on
// unacceptable ones. It also buffers, because zmq4 reads and writes a few bytes at a time.
type guard struct {
	net.Conn
	in         *bufio.Reader
	out        *bufio.Writer
	isBuffered bool          // false during the handshake: everything is sent at once
	stall      time.Duration // how long one write may take; 0: no limit
	wrote      func(n int)   // when set: called with the number of bytes that the connection took

	greeting int    // bytes of the greeting still to come
	head     []byte // flags and length of the current frame, as far as they arrived
	body     uint64 // bytes of the current frame still to come
	total    uint64 // bytes of the current message so far
	frames   int    // frames of the current message so far
	hasMore  bool   // another frame of the message follows
	isReady  bool   // READY has arrived, the end of the handshake and the only command allowed
}

func newGuard(conn net.Conn) *guard {
	g := &guard{Conn: conn, in: bufio.NewReaderSize(conn, 32<<10), greeting: greetingLength}
	g.out = bufio.NewWriterSize(stalling{g}, 64<<10)
	return g
}

// Read never returns bytes together with an error, since io.ReadFull would ignore the error.
func (g *guard) Read(p []byte) (int, error) {
	n, err := g.in.Read(p)
	if err != nil && n > 0 {
		err = nil // the next call returns it again
	}
	if ferr := g.follow(p[:n]); ferr != nil {
		return 0, ferr
	}
	return n, err
}

// follow advances over bytes that arrived.
func (g *guard) follow(p []byte) error {
	for len(p) > 0 {
		switch {
		case g.greeting > 0:
			n := min(g.greeting, len(p))
			g.greeting -= n
			p = p[n:]
		case g.body > 0:
			n := min(g.body, uint64(len(p)))
			g.body -= n
			p = p[n:]
		default:
			g.head = append(g.head, p[0])
			p = p[1:]
			if err := g.frame(); err != nil {
				return err
			}
		}
	}
	return nil
}

// frame takes flags and length of a frame once they are complete.
func (g *guard) frame() error {
	flags := g.head[0]
	var length uint64
	switch {
	case flags&flagLong == 0 && len(g.head) == 2:
		length = uint64(g.head[1])
	case flags&flagLong != 0 && len(g.head) == 9:
		length = binary.BigEndian.Uint64(g.head[1:])
	default:
		return nil // not complete yet
	}
	g.head = g.head[:0]
	if flags&flagCommand != 0 {
		// zmq4 would answer PING from the reading goroutine, into the middle of a message that another one writes. ZMTP
		// 3.0, which it announces, has no PING.
		if g.isReady {
			return errCommand
		}
		g.isReady = true
	}
	if !g.hasMore {
		g.total, g.frames = 0, 0
	}
	if length > messageLimit {
		return errTooLarge
	}
	g.total += length
	g.frames++
	if g.total > messageLimit || g.frames > frameLimit {
		return errTooLarge
	}
	g.hasMore = flags&flagMore != 0
	g.body = length
	return nil
}

func (g *guard) Write(p []byte) (int, error) {
	n, err := g.out.Write(p)
	if err == nil && !g.isBuffered {
		err = g.out.Flush()
	}
	return n, err
}

// Flush sends what Write buffered.
func (g *guard) Flush() error { return g.out.Flush() }

// stalling writes to the guard's connection under its deadline.
type stalling struct{ g *guard }

func (s stalling) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) { // in pieces, so that the deadline is for progress and not for the whole
		piece := p[written:min(written+64<<10, len(p))]
		if s.g.stall > 0 {
			if err := s.g.Conn.SetWriteDeadline(time.Now().Add(s.g.stall)); err != nil {
				return written, err
			}
		}
		n, err := s.g.Conn.Write(piece)
		written += n
		if s.g.wrote != nil {
			s.g.wrote(n)
		}
		if err != nil {
			return written, err
		}
	}
	return written, nil
}
