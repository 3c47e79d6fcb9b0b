package wire

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A peer that takes nothing for as long as stall is disconnected; one that is slow is not.
func TestStall(t *testing.T) {
	t.Parallel()
	const stall = 30 * time.Second
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		defer theirs.Close()
		g := newGuard(ours)
		g.stall = stall
		begin := time.Now()
		if _, err := g.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begin) != stall {
			t.Errorf("without a reader: %v after %v", err, time.Since(begin))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		defer theirs.Close()
		g := newGuard(ours)
		g.stall = stall
		const pieces = 16
		go func() {
			piece := make([]byte, 64<<10)
			for range pieces {
				time.Sleep(stall - time.Second)
				if _, err := io.ReadFull(theirs, piece); err != nil {
					t.Error(err)
				}
			}
		}()
		begin := time.Now()
		if _, err := g.Write(make([]byte, pieces*64<<10)); err != nil ||
			time.Since(begin) != pieces*(stall-time.Second) {
			t.Errorf("a slow reader: %v after %v", err, time.Since(begin))
		}
	})
}

// How long publishers wait for a reader, in time that does not pass.
func TestHold(t *testing.T) {
	t.Parallel()
	const hold = time.Second
	behind := func(t *testing.T) *Peer {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { ours.Close(); theirs.Close() })
		p := &Peer{conn: ours, topics: map[string]int{"": 1}, gone: make(chan struct{}), hold: hold, patience: hold,
			queued: queueLimit + 1}
		p.changed = sync.NewCond(&p.mu)
		return p
	}
	always := func() bool { return true }
	read := func(p *Peer, n int) { // as the writer does
		p.took(n)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.queued -= n
		p.changed.Broadcast()
	}
	waits := func(t *testing.T, what string, want time.Duration, dropped bool, peers ...*Peer) {
		t.Helper()
		s := NewPub(0, hold, nil)
		for _, p := range peers {
			s.peers[p] = struct{}{}
		}
		begin := time.Now()
		s.Publish("t", [][]byte{{1}}, always)
		if d := time.Since(begin); d != want {
			t.Errorf("%s: publishing took %v, want %v", what, d, want)
		}
		for _, p := range peers {
			if p.isClosed != dropped {
				t.Errorf("%s: disconnected %v", what, p.isClosed)
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		waits(t, "silent", hold, true, behind(t))
		waits(t, "many silent", hold, true, behind(t), behind(t), behind(t))

		again := behind(t)
		for range 4 { // it makes room each time, late and little
			again.queued = queueLimit + 1
			time.AfterFunc(hold/5, func() { read(again, 1) })
			waits(t, "trickling", hold/5, false, again)
		}
		again.queued = queueLimit + 1
		time.AfterFunc(hold*4/5, func() { read(again, 1) })
		waits(t, "trickling on", hold/5+4*(time.Second/leastRate), true, again)

		slow := behind(t)
		slow.queued += leastRate * 60
		go func() {
			for range 61 {
				time.Sleep(hold - time.Millisecond)
				read(slow, leastRate)
			}
		}()
		waits(t, "slow", 61*(hold-time.Millisecond), false, slow)
		read(slow, slow.queued-1)
		time.AfterFunc(hold-time.Millisecond, func() { read(slow, leastRate) })
		slow.queued = queueLimit + 1
		waits(t, "after it caught up", hold-time.Millisecond, false, slow)
	})
}

// The guard must agree with zmq4 on where frames begin however the bytes are cut.
func TestGuardFollowsFrames(t *testing.T) {
	t.Parallel()
	var stream []byte
	stream = append(stream, make([]byte, greetingLength)...)
	stream = append(stream, flagCommand, 3, 'a', 'b', 'c')
	stream = append(stream, flagMore, 0)
	stream = append(stream, flagMore|flagLong)
	stream = binary.BigEndian.AppendUint64(stream, 300)
	stream = append(stream, make([]byte, 300)...)
	stream = append(stream, 0, 2, 'x', 'y')
	for cut := 1; cut < 80; cut++ {
		g := &guard{greeting: greetingLength}
		for p := stream; len(p) > 0; {
			n := min(cut, len(p))
			if err := g.follow(p[:n]); err != nil {
				t.Fatalf("cut %d: %v", cut, err)
			}
			p = p[n:]
		}
		if g.body != 0 || len(g.head) != 0 || g.hasMore || !g.isReady || g.total != 302 || g.frames != 3 {
			t.Fatalf("cut %d: %+v", cut, g)
		}
		if err := g.follow([]byte{flagCommand, 0}); err != errCommand {
			t.Fatalf("cut %d: second command: %v", cut, err)
		}
	}
}
