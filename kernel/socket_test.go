package kernel

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/wire"
)

// ZMTP 3.0, and what package wire allows.
const (
	flagMore       = 1
	flagLong       = 2
	flagCommand    = 4
	greetingLength = 64
	messageLimit   = 256 << 20
	topicLimit     = 64
	topicLength    = 1 << 10
)

// waitFor waits for a condition for which there is no event.
func waitFor(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func dialRaw(t testing.TB, c wire.Connection, port int) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", net.JoinHostPort(c.IP, strconv.Itoa(port)))
	expect.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	// so that little is under way to who does not read
	expect.NoError(t, conn.(*net.TCPConn).SetReadBuffer(64<<10))
	return conn
}

// ended waits until the kernel closes a connection.
func ended(t testing.TB, conn net.Conn) {
	t.Helper()
	expect.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Fatal("the kernel did not close the connection")
	}
}

// Connections that stay silent, use another protocol or announce a message of 2^62 bytes disturb no other client.
func TestOddConnections(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "tcp", options{})
	for _, port := range []int{k.conn.ShellPort, k.conn.ControlPort, k.conn.StdinPort, k.conn.IOPubPort,
		k.conn.HBPort} {
		for range 20 {
			dialRaw(t, k.conn, port) // silent
		}
		web := dialRaw(t, k.conn, port)
		fmt.Fprintf(web, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n%s", strings.Repeat("x", 100))
		ended(t, web)
	}
	handshake := func(kind zmq4.SocketType, port int) (*zmq4.Conn, net.Conn) {
		conn := dialRaw(t, k.conn, port)
		z, err := zmq4.Open(conn, null.Security(), kind, zmq4.SocketIdentity("me"), false, nil)
		expect.NoError(t, err)
		return z, conn
	}
	_, huge := handshake(zmq4.Dealer, k.conn.ShellPort)
	huge.Write(binary.BigEndian.AppendUint64([]byte{flagLong}, 1<<62))
	ended(t, huge)

	_, endless := handshake(zmq4.Dealer, k.conn.ShellPort)
	go func() {
		frames := []byte(strings.Repeat(string([]byte{flagMore, 0}), 1<<15))
		for {
			if _, err := endless.Write(frames); err != nil {
				return
			}
		}
	}()
	ended(t, endless)

	z, ping := handshake(zmq4.Dealer, k.conn.ControlPort)
	expect.NoError(t, z.SendCmd("PING", []byte{0, 0}))
	ended(t, ping)

	// A socket type that zmq4 does not know makes it panic; a known but wrong one is refused.
	for _, kind := range []string{"NONSENSE", "PULL", ""} {
		conn := dialRaw(t, k.conn, k.conn.ShellPort)
		greeting := make([]byte, greetingLength)
		greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
		copy(greeting[12:], "NULL")
		ready := append([]byte("\x05READY\x0bSocket-Type"), 0, 0, 0, byte(len(kind)))
		ready = append(ready, kind...)
		conn.Write(greeting)
		conn.Write(append([]byte{flagCommand, byte(len(ready))}, ready...))
		ended(t, conn)
	}

	c := k.connect(t)
	if o := c.run("value 1"); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, k *kernelUnderTest, c *client) {
		id := c.send("shell", "execute_request", map[string]any{"code": "loop"})
		<-k.fake.marks // also while a cell runs
		socket := zmq4.NewReq(t.Context())
		defer socket.Close()
		expect.NoError(t, socket.Dial(c.address(k.conn.HBPort)))
		for i := range 10 {
			want := fmt.Sprintf("ping %d", i)
			expect.NoError(t, socket.Send(zmq4.NewMsgString(want)))
			m, err := socket.Recv()
			if err != nil || string(m.Bytes()) != want {
				t.Fatalf("%q came back as %q (%v)", want, m.Bytes(), err)
			}
		}
		c.send("control", "interrupt_request", map[string]any{})
		c.finish(id)
	})
}

// A client that reconnects under its identity gets the answers; it is how ZeroMQ clients survive a lost connection.
func TestReconnect(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "tcp", options{})
	c := k.connect(t)
	id := c.send("shell", "execute_request", map[string]any{"code": "deaf\nvalue 1"})
	<-k.fake.marks
	old := c.sockets["shell"]
	c.dial("shell", zmq4.NewDealer(t.Context(), zmq4.WithID(zmq4.SocketIdentity(c.session.ID))), k.conn.ShellPort,
		c.shell)
	c.ask("kernel_info_request", map[string]any{})
	old.Close()
	close(k.fake.release)
	if o := c.finish(id); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
}

// Two clients get each its own answers, and both see everything on iopub.
func TestTwoClients(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	a, b := k.connect(t), k.connect(t)
	ida := a.send("shell", "execute_request", map[string]any{"code": "print a"})
	idb := b.send("shell", "execute_request", map[string]any{"code": "print b"})
	if o := a.finish(ida); o.stdout != "a\n" {
		t.Errorf("%q", o.stdout)
	}
	if o := b.finish(idb); o.stdout != "b\n" {
		t.Errorf("%q", o.stdout)
	}
	if o := a.outputs(idb); o.stdout != "b\n" {
		t.Errorf("%q", o.stdout)
	}
	if len(a.shell) != 0 || len(b.shell) != 0 {
		t.Error("an answer went to the wrong client")
	}
}

// stuckSubscriber connects to iopub, subscribes to everything and reads only the welcome.
func stuckSubscriber(t testing.TB, k *kernelUnderTest) net.Conn {
	t.Helper()
	z, conn := rawSubscriber(t, k)
	expect.NoError(t, z.SendMsg(zmq4.NewMsg([]byte{1})))
	if m, err := z.RecvMsg(); err != nil || len(m.Frames) != 7 {
		t.Fatalf("%q %v", m.Frames, err)
	}
	return conn
}

// A subscriber that takes nothing holds up a cell that prints, but not control; when it is gone, the others get
// everything. That it is disconnected after some time is TestSilentSubscriberIsDropped's and TestStall's.
func TestStuckSubscriber(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "tcp", options{stall: time.Hour, hold: time.Hour})
	c := k.connect(t)
	stuck := stuckSubscriber(t, k)
	n := expect.Fewer(64, 32) << 20 // more than queue and socket buffers hold
	id := c.send("shell", "execute_request", map[string]any{"code": fmt.Sprint("print begin\nflood ", n, "\nmark")})
	m := c.next(id)
	for m.Header.MsgType != "stream" {
		m = c.next(id)
	}
	stdout := len(fields(t, m)["text"].(string))
	for range 100 {
		c.reply(c.control, "control", c.send("control", "kernel_info_request", map[string]any{}))
	}
	select {
	case <-k.fake.marks:
		t.Error("the cell did not wait for the subscriber")
	default:
	}
	stuck.Close()
	for {
		m = c.next(id)
		f := fields(t, m)
		if m.Header.MsgType == "stream" {
			stdout += len(f["text"].(string))
		}
		if f["execution_state"] == "idle" {
			break
		}
	}
	if m := c.reply(c.shell, "shell", id); fields(t, m)["status"] != "ok" || stdout != n+len("begin\n") {
		t.Errorf("%s, %d bytes", m.Content, stdout)
	}
}

// Nothing is signed on the heartbeat channel. A peer that sends there and does not read must not fill the memory.
func TestHeartbeatFlood(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "tcp", options{stall: time.Hour})
	c := k.connect(t)
	conn := dialRaw(t, k.conn, k.conn.HBPort)
	z, err := zmq4.Open(conn, null.Security(), zmq4.Dealer, nil, false, nil)
	expect.NoError(t, err)
	const piece, maximum = 1 << 20, 256
	sent := 0
	for ; sent < maximum; sent++ {
		expect.NoError(t, conn.SetWriteDeadline(time.Now().Add(time.Second)))
		if err := z.SendMsg(zmq4.NewMsg(make([]byte, piece))); err != nil {
			break
		}
	}
	if sent == maximum {
		t.Errorf("the kernel took %d MB from a peer that reads nothing", sent)
	}
	if o := c.run("value 1"); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
}

// rawSubscriber connects to iopub and subscribes to nothing yet.
func rawSubscriber(t testing.TB, k *kernelUnderTest) (*zmq4.Conn, net.Conn) {
	t.Helper()
	conn := dialRaw(t, k.conn, k.conn.IOPubPort)
	z, err := zmq4.Open(conn, null.Security(), zmq4.Sub, nil, false, nil)
	expect.NoError(t, err)
	return z, conn
}

// Subscribing needs no key. A peer's subscriptions must not fill the memory.
func TestSubscriptionsAreBounded(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "tcp", options{})
	z, conn := rawSubscriber(t, k)
	send := func(begin byte, topic string) {
		t.Helper()
		expect.NoError(t, z.SendMsg(zmq4.NewMsg(append([]byte{begin}, topic...))))
	}
	welcomed := func(topic string) {
		t.Helper()
		expect.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
		if m, err := z.RecvMsg(); err != nil || string(m.Frames[0]) != topic {
			t.Fatalf("%.100q, %v; want the welcome of %.100q", m.Frames, err, topic)
		}
	}
	name := func(i int) string { return fmt.Sprintf("topic %d", i) }
	longest := strings.Repeat("x", topicLength)
	send(0, "never begun")
	send(1, longest+"y")
	send(1, longest)
	welcomed(longest)
	for range 3 { // again and again: counted
		send(1, name(1))
		welcomed(name(1))
	}
	for i := 2; i < 2*topicLimit; i++ {
		send(1, name(i))
	}
	for i := 2; i < topicLimit; i++ {
		welcomed(name(i))
	}
	send(0, name(1))
	send(1, "no room")
	send(0, name(1))
	send(0, name(1)) // the last of three
	send(1, "room")
	welcomed("room")
}

// The kernel stops reading from a peer that subscribes again and again and does not read the welcomes.
func TestSubscriptionFlood(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "tcp", options{stall: time.Hour})
	c := k.connect(t)
	z, conn := rawSubscriber(t, k)
	subscription := append([]byte{1}, strings.Repeat("x", topicLength)...)
	const maximum = 64 << 10
	sent := 0
	for ; sent < maximum; sent++ {
		expect.NoError(t, conn.SetWriteDeadline(time.Now().Add(time.Second)))
		if err := z.SendMsg(zmq4.NewMsg(subscription)); err != nil {
			break
		}
	}
	if sent == maximum {
		t.Errorf("the kernel took %d subscriptions from a peer that reads nothing", sent)
	}
	if o := c.run("value 1"); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
}

// A subscriber that reads nothing is disconnected when a cell has waited for it, long before its stall is over. The
// others get everything.
func TestSilentSubscriberIsDropped(t *testing.T) {
	t.Parallel()
	// The hold is so long that the client, which reads, is not dropped on a busy machine.
	k := startKernel(t, "tcp", options{stall: time.Hour, hold: 10 * time.Second})
	c := k.connect(t)
	var stuck []net.Conn
	for range 3 {
		stuck = append(stuck, stuckSubscriber(t, k))
	}
	n := expect.Fewer(64, 32) << 20
	if o := c.run(fmt.Sprint("flood ", n)); o.reply["status"] != "ok" || len(o.stdout) != n {
		t.Errorf("%v, %d bytes", o.reply, len(o.stdout))
	}
	for _, conn := range stuck {
		ended(t, conn)
	}
}

// A cell that waits for a subscriber is interrupted at once.
func TestInterruptWhileSubscriberIsStuck(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "tcp", options{stall: time.Hour, hold: time.Hour})
	c := k.connect(t)
	stuck := stuckSubscriber(t, k)
	id := c.send("shell", "execute_request", map[string]any{"code": "flood 1000000000"})
	for c.next(id).Header.MsgType != "stream" {
	}
	c.reply(c.control, "control", c.send("control", "interrupt_request", map[string]any{}))
	if m := c.reply(c.shell, "shell", id); fields(t, m)["ename"] != "Interrupted" {
		t.Errorf("%s", m.Content)
	}
	stuck.Close()
	if o := c.run("value 1"); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
}
