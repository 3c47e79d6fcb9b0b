package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/lib/pq"
)

// A server may accept a connection and stay silent: it is stopped, or a proxy in front of it has lost it. Then the
// network never ends a wait for its answer, so this package uses these deadlines.
const (
	connectSeconds = 10               // for a server's greeting, unless the address has another limit
	silentAfter    = 5 * time.Second  // until people read that the program waits for the server
	cancelWithin   = 5 * time.Second  // for the end of a canceled query; then the connection is closed
	unheardFor     = 30 * time.Second // until a machine that acknowledges nothing counts as gone
)

// wires makes the connection of one driver.Conn, and the connections by which the driver asks the server to cancel its
// queries.
type wires struct {
	silent func() // is called when a wait for the server lasts silentAfter; may be nil

	mu     sync.Mutex
	wire   *wire // the connection, or the latest attempt at it
	isOpen bool  // the server has greeted; connections that are dialed from now on cancel queries
}

// connect opens the connection. The driver checks ctx only while it dials, so this ends the wait for a greeting.
func (w *wires) connect(ctx context.Context, c *pq.Connector) (driver.Conn, error) {
	c.Dialer(w)
	unwatch := context.AfterFunc(ctx, w.abandon)
	conn, err := c.Connect(ctx)
	if !unwatch() {
		if err == nil {
			_ = conn.Close() // abandoned
		}
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, unansweredError(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isOpen = true
	return conn, nil
}

func (w *wires) abandon() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wire != nil {
		_ = w.wire.Conn.Close() // its reads and writes end
	}
}

func (w *wires) Dial(network, address string) (net.Conn, error) {
	return w.DialContext(context.Background(), network, address)
}

func (w *wires) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return w.DialContext(ctx, network, address)
}

func (w *wires) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	canceled, opened := w.wire, w.isOpen
	w.mu.Unlock()
	if opened {
		canceled.cancel()
		limited, cancel := context.WithTimeout(ctx, cancelWithin)
		defer cancel()
		conn, err := (&net.Dialer{}).DialContext(limited, network, address)
		if err != nil {
			return nil, err
		}
		return &cancelWire{conn, time.Now().Add(cancelWithin)}, nil
	}
	defer w.notice()()
	d := net.Dialer{Control: limitUnheard, KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: unheardFor / 3, Interval: unheardFor / 6, Count: 4,
	}}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wire = &wire{Conn: conn, of: w}
	return w.wire, nil
}

// notice reports a wait to people. The wait lasts until the returned function is called.
func (w *wires) notice() (end func()) {
	if w.silent == nil {
		return func() {}
	}
	timer := time.AfterFunc(silentAfter, w.silent)
	return func() { timer.Stop() }
}

// wire is a connection to a server.
type wire struct {
	net.Conn
	of *wires

	mu         sync.Mutex
	isCanceled bool // and not written to since then
}

func (c *wire) Read(p []byte) (int, error) {
	defer c.of.notice()()
	return c.Conn.Read(p)
}

// cancel limits the wait for the server's next answer.
func (c *wire) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isCanceled = true
	_ = c.Conn.SetReadDeadline(time.Now().Add(cancelWithin)) // fails only if it is closed
}

// Write begins another exchange, to which the deadline of an earlier cancellation does not apply.
func (c *wire) Write(p []byte) (int, error) {
	c.mu.Lock()
	if c.isCanceled {
		c.isCanceled = false
		_ = c.Conn.SetReadDeadline(time.Time{}) // fails only if it is closed
	}
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// cancelWire is a connection that asks a server to cancel. The driver's deadline, which is for connecting, may only
// shorten its own.
type cancelWire struct {
	net.Conn
	until time.Time
}

func (c *cancelWire) SetDeadline(t time.Time) error {
	if t.IsZero() || t.After(c.until) {
		t = c.until
	}
	return c.Conn.SetDeadline(t)
}

// unansweredError explains to people that a server accepted a connection and stayed silent.
func unansweredError(err error) error {
	if netErr, ok := errors.AsType[*net.OpError](err); ok && netErr.Op == "read" && netErr.Timeout() {
		return fmt.Errorf("it accepts connections and does not answer: %w", err)
	}
	return err
}
