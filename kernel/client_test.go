package kernel

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/wire"
)

// patience is how long a test waits for something that must come.
const patience = 90 * time.Second

// client is a front end over real sockets, made of zmq4's own sockets, which the kernel does not use.
type client struct {
	t       testing.TB
	conn    wire.Connection
	session *wire.Session
	check   *wire.Session // for what the kernel sends
	sockets map[string]zmq4.Socket
	shell   chan *wire.Message
	control chan *wire.Message
	stdin   chan *wire.Message
	iopub   chan *wire.Message
	held    []*wire.Message // iopub messages that were read while looking for another request's
}

// kernelUnderTest is a kernel that runs in the test's process.
type kernelUnderTest struct {
	fake     *fake
	conn     wire.Connection
	file     string
	counters *counters
	cancel   context.CancelFunc
	done     chan error
	once     sync.Once
	err      error
}

// startKernel runs a kernel; transport is "tcp" or "ipc".
func startKernel(t testing.TB, transport string, o options) *kernelUnderTest {
	t.Helper()
	dir := t.TempDir()
	conn := wire.Connection{Transport: transport, IP: "127.0.0.1", Key: "secret", SignatureScheme: "hmac-sha256"}
	if transport == "ipc" {
		conn.IP = filepath.Join(shortDir(t), "k")
	}
	k := &kernelUnderTest{fake: newFake(), file: filepath.Join(dir, "connection.json"), counters: &counters{},
		done: make(chan error, 1)}
	expect.NoError(t, conn.Write(k.file))
	ready := make(chan wire.Connection, 1)
	o.ready = func(c wire.Connection) { ready <- c }
	o.counters, o.noSignals, o.parentPID = k.counters, true, -1
	o.log = slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	go func() { k.done <- serve(ctx, k.file, k.fake, o) }()
	select {
	case k.conn = <-ready:
	case err := <-k.done:
		cancel()
		t.Fatalf("Serve: %v", err)
	case <-time.After(patience):
		t.Fatal("the kernel did not start")
	}
	t.Cleanup(func() {
		cancel()
		if err := k.wait(t); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return k
}

// wait waits for the end of the kernel.
func (k *kernelUnderTest) wait(t testing.TB) error {
	k.once.Do(func() {
		select {
		case k.err = <-k.done:
		case <-time.After(patience):
			k.err = fmt.Errorf("the kernel did not end")
		}
	})
	return k.err
}

// connect makes a client that has been welcomed on iopub.
func (k *kernelUnderTest) connect(t testing.TB) *client {
	return k.connectAs(t, newIdentity(), k.conn.Key)
}

func (k *kernelUnderTest) connectAs(t testing.TB, session, key string) *client {
	t.Helper()
	own, err := wire.NewSession(wire.Connection{Key: key})
	expect.NoError(t, err)
	own.ID = session
	kernels, err := wire.NewSession(k.conn)
	expect.NoError(t, err)
	c := &client{t: t, check: kernels, conn: k.conn, session: own, sockets: map[string]zmq4.Socket{},
		shell: make(chan *wire.Message, 10000), control: make(chan *wire.Message, 1000),
		stdin: make(chan *wire.Message, 1000), iopub: make(chan *wire.Message, 100000)}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	id := zmq4.WithID(zmq4.SocketIdentity(session))
	c.dial("shell", zmq4.NewDealer(ctx, id), c.conn.ShellPort, c.shell)
	c.dial("control", zmq4.NewDealer(ctx, id), c.conn.ControlPort, c.control)
	c.dial("stdin", zmq4.NewDealer(ctx, id), c.conn.StdinPort, c.stdin)
	sub := zmq4.NewSub(ctx)
	expect.NoError(t, sub.SetOption(zmq4.OptionSubscribe, ""))
	c.dial("iopub", sub, c.conn.IOPubPort, c.iopub)
	if m := c.receive(c.iopub, "iopub"); m.Header.MsgType != "iopub_welcome" {
		t.Fatalf("first message on iopub is %s", m.Header.MsgType)
	}
	return c
}

func (c *client) address(port int) string {
	network, address := c.conn.Addr(port)
	if network == "unix" {
		network = "ipc"
	}
	return network + "://" + address
}

// dial connects a socket and reads it into a channel.
func (c *client) dial(name string, socket zmq4.Socket, port int, to chan<- *wire.Message) {
	c.t.Helper()
	expect.NoError(c.t, socket.Dial(c.address(port)))
	c.t.Cleanup(func() { socket.Close() })
	c.sockets[name] = socket
	go func() {
		for {
			m, err := socket.Recv()
			if err != nil {
				return
			}
			decoded, err := c.check.Decode(m.Frames)
			if err != nil {
				c.t.Errorf("%s: %v in %q", name, err, m.Frames)
				return
			}
			to <- decoded
		}
	}()
}

// send sends a request and returns its id.
func (c *client) send(channel, msgType string, content any) string {
	c.t.Helper()
	return c.sendWith(channel, msgType, nil, content)
}

func (c *client) sendWith(channel, msgType string, parent json.RawMessage, content any) string {
	c.t.Helper()
	frames, id, err := c.session.Encode(msgType, parent, content)
	expect.NoError(c.t, err)
	c.sendFrames(channel, frames)
	return id
}

func (c *client) sendFrames(channel string, frames [][]byte) {
	c.t.Helper()
	expect.NoError(c.t, c.sockets[channel].Send(zmq4.NewMsgFrom(frames...)))
}

func (c *client) receive(from <-chan *wire.Message, name string) *wire.Message {
	c.t.Helper()
	select {
	case m := <-from:
		return m
	case <-time.After(patience):
		c.t.Fatalf("nothing came on %s", name)
		return nil
	}
}

// reply waits for the answer to a request.
func (c *client) reply(from <-chan *wire.Message, name, id string) *wire.Message {
	c.t.Helper()
	for {
		if m := c.receive(from, name); m.Parent.MsgID == id {
			return m
		}
	}
}

// ask sends a request on the shell channel and returns the content of its answer.
func (c *client) ask(msgType string, content any) map[string]any {
	c.t.Helper()
	id := c.send("shell", msgType, content)
	m := c.reply(c.shell, "shell", id)
	if want := strings.TrimSuffix(msgType, "_request") + "_reply"; m.Header.MsgType != want {
		c.t.Fatalf("answer to %s is %s", msgType, m.Header.MsgType)
	}
	return fields(c.t, m)
}

func fields(t testing.TB, m *wire.Message) map[string]any {
	t.Helper()
	var v map[string]any
	expect.NoError(t, json.Unmarshal(m.Content, &v))
	return v
}

// outcome is what one cell caused.
type outcome struct {
	id     string
	reply  map[string]any
	iopub  []*wire.Message // from busy to idle, status messages left out
	stdout string
	stderr string
}

func (o outcome) types() string {
	var names []string
	for _, m := range o.iopub {
		names = append(names, m.Header.MsgType)
	}
	return strings.Join(names, " ")
}

// run runs a cell to its end.
func (c *client) run(code string) outcome {
	c.t.Helper()
	return c.runWith(map[string]any{"code": code})
}

func (c *client) runWith(content map[string]any) outcome {
	c.t.Helper()
	return c.finish(c.send("shell", "execute_request", content))
}

// finish waits for a cell's reply and idle status.
func (c *client) finish(id string) outcome {
	c.t.Helper()
	o := c.outputs(id)
	o.reply = fields(c.t, c.reply(c.shell, "shell", id))
	return o
}

// outputs collects what a request publishes until its idle status.
func (c *client) outputs(id string) (o outcome) {
	c.t.Helper()
	o.id = id
	var stdout, stderr strings.Builder
	defer func() { o.stdout, o.stderr = stdout.String(), stderr.String() }()
	busy := false
	for {
		m := c.next(id)
		switch m.Header.MsgType {
		case "status":
			state := fields(c.t, m)["execution_state"]
			if !busy && state != "busy" {
				c.t.Fatalf("first status is %v", state)
			}
			busy = true
			if state == "idle" {
				return o
			}
			continue
		case "stream":
			f := fields(c.t, m)
			if f["name"] == "stdout" {
				stdout.WriteString(f["text"].(string))
			} else {
				stderr.WriteString(f["text"].(string))
			}
		}
		o.iopub = append(o.iopub, m)
	}
}

// next returns the next message on iopub with this parent; others are held back.
func (c *client) next(id string) *wire.Message {
	c.t.Helper()
	for i, m := range c.held {
		if m.Parent.MsgID == id {
			c.held = append(c.held[:i], c.held[i+1:]...)
			return m
		}
	}
	for {
		m := c.receive(c.iopub, "iopub")
		if m.Parent.MsgID == id {
			return m
		}
		c.held = append(c.held, m)
	}
}

// newIdentity is a name that no other client has.
func newIdentity() string { return rand.Text() }

// shortDir is a folder whose path fits into a unix socket address.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "k")
	expect.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
