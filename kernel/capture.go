//go:build unix

package kernel

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// Capture is a pipe in place of os.Stdout or os.Stderr. It passes what compiled code writes there to the front end.
// Unlike a plain writer it also gets the output of code that does not know this package, and of child processes that
// inherit the file.
type Capture struct {
	File   *os.File        // takes the output
	open   syscall.RawConn // of File
	read   *os.File
	mark   []byte        // written by Sync; never part of anybody's output
	fd     int           // of read
	isBusy atomic.Bool   // the reader may hold output that it has not passed on
	seen   chan struct{} // one message for each mark that went through
	end    chan struct{} // closed when the reader has ended
	mu     sync.Mutex    // one Sync at a time
}

// NewCapture starts a capture that passes output to dst.
func NewCapture(dst io.Writer) (*Capture, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("capture of output: %w", err)
	}
	random := make([]byte, 12)
	if _, err := rand.Read(random); err != nil {
		return nil, fmt.Errorf("capture of output: %w", err)
	}
	c := &Capture{
		File: w, read: r,
		mark: []byte("\x00\x01" + hex.EncodeToString(random) + "\x01"),
		seen: make(chan struct{}, 1),
		end:  make(chan struct{}),
	}
	raw, err := r.SyscallConn()
	if err == nil {
		c.open, err = w.SyscallConn()
	}
	if err == nil {
		err = raw.Control(func(fd uintptr) { c.fd = int(fd) })
	}
	if err != nil {
		return nil, fmt.Errorf("capture of output: %w", err)
	}
	go c.copy(raw, dst)
	return c, nil
}

// copy forwards the pipe to dst, takes marks out and reports them. The tail of a chunk that may be the start of a mark
// waits for the next chunk.
func (c *Capture) copy(raw syscall.RawConn, dst io.Writer) {
	defer close(c.end)
	defer c.read.Close()
	buffer := make([]byte, 64<<10)
	var pending []byte
	for {
		n, err := c.take(raw, buffer)
		data := buffer[:n]
		if len(pending) > 0 {
			data = append(pending, data...)
			pending = nil
		}
		for {
			i := bytes.Index(data, c.mark)
			if i < 0 {
				break
			}
			forward(dst, data[:i])
			data = data[i+len(c.mark):]
			c.seen <- struct{}{}
		}
		keep := 0
		if err == nil {
			keep = overlap(data, c.mark)
		}
		forward(dst, data[:len(data)-keep])
		if keep > 0 {
			pending = append([]byte(nil), data[len(data)-keep:]...)
		}
		if err != nil {
			return
		}
	}
}

// take waits for output and reads it. The capture is busy from before anything is taken until the next call.
func (c *Capture) take(raw syscall.RawConn, buffer []byte) (n int, err error) {
	c.isBusy.Store(false)
	waited := raw.Read(func(fd uintptr) bool {
		c.isBusy.Store(true)
		for {
			if n, err = syscall.Read(int(fd), buffer); !errors.Is(err, syscall.EINTR) {
				break
			}
		}
		if errors.Is(err, syscall.EAGAIN) {
			c.isBusy.Store(false)
			return false
		}
		return true
	})
	if n = max(n, 0); n == 0 && err == nil {
		err = io.EOF
	}
	return n, errors.Join(err, waited)
}

// Pending reports whether one of two captures has output that was not passed on. It is called before every print, so it
// makes only one system call.
func Pending(a, b *Capture) bool {
	ready := [...]unix.PollFd{{Fd: int32(a.fd), Events: unix.POLLIN}, {Fd: int32(b.fd), Events: unix.POLLIN}}
	n, err := unix.Poll(ready[:], 0) // before busy: what is gone from a pipe was taken by a busy reader
	return err == nil && n > 0 || a.isBusy.Load() || b.isBusy.Load()
}

// forward writes to the front end. The server handles a front end that has left: it drops the output, and the cell
// continues.
func forward(dst io.Writer, data []byte) {
	if len(data) > 0 {
		_, _ = dst.Write(data)
	}
}

// overlap is the length of the longest end of data that is a proper start of mark.
func overlap(data, mark []byte) int {
	for n := min(len(mark)-1, len(data)); n > 0; n-- {
		if bytes.HasPrefix(mark, data[len(data)-n:]) {
			return n
		}
	}
	return 0
}

// Sync returns when everything written before the call has been passed on. The mark is shorter than what a pipe takes
// in one piece, so it never tears.
func (c *Capture) Sync() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.File.Write(c.mark); err != nil {
		return // closed
	}
	select {
	case <-c.seen:
	case <-c.end:
	}
}

// Closed reports whether the cell closed the file, as a program may do with os.Stdout.
func (c *Capture) Closed() bool {
	return c.open.Control(func(uintptr) {}) != nil // not a system call, unlike an empty write
}

// Close ends the capture after what was written has been passed on. Child processes may still hold the pipe, so the
// reader is not waited for beyond that.
func (c *Capture) Close() {
	c.Sync()
	c.File.Close()
}
