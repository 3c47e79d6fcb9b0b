package kernel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

// waitFor waits for a condition for which there is no event.
func waitFor(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func dialRaw(t testing.TB, c Connection, port int) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", net.JoinHostPort(c.IP, strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil { // so that little is under way to who does not read
		t.Fatal(err)
	}
	return conn
}

// ended waits until the kernel closes a connection.
func ended(t testing.TB, conn net.Conn) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Fatal("the kernel did not close the connection")
	}
}

// Connections that do not speak, speak something else or announce a message of 2^62 bytes disturb nobody.
func TestOddConnections(t *testing.T) {
	k := startKernel(t, "tcp", Options{})
	for _, port := range []int{k.conn.ShellPort, k.conn.ControlPort, k.conn.StdinPort, k.conn.IOPubPort, k.conn.HBPort} {
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
		if err != nil {
			t.Fatal(err)
		}
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
	if err := z.SendCmd("PING", []byte{0, 0}); err != nil {
		t.Fatal(err)
	}
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
	transports(t, func(t *testing.T, k *kernelUnderTest, c *client) {
		id := c.send("shell", "execute_request", map[string]any{"code": "loop"})
		<-k.fake.marks // also while a cell runs
		socket := zmq4.NewReq(t.Context())
		defer socket.Close()
		if err := socket.Dial(c.address(k.conn.HBPort)); err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			want := fmt.Sprintf("ping %d", i)
			if err := socket.Send(zmq4.NewMsgString(want)); err != nil {
				t.Fatal(err)
			}
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
	k := startKernel(t, "tcp", Options{})
	c := k.connect(t)
	id := c.send("shell", "execute_request", map[string]any{"code": "deaf\nvalue 1"})
	<-k.fake.marks
	old := c.sockets["shell"]
	c.dial("shell", zmq4.NewDealer(t.Context(), zmq4.WithID(zmq4.SocketIdentity(c.encoder.session))), k.conn.ShellPort, c.shell)
	c.ask("kernel_info_request", map[string]any{})
	old.Close()
	close(k.fake.release)
	if o := c.finish(id); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
}

// Two clients get each its own answers, and both see everything on iopub.
func TestTwoClients(t *testing.T) {
	k := startKernel(t, "ipc", Options{})
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

// stuckSubscriber connects to iopub, subscribes to everything and reads nothing but the welcome.
func stuckSubscriber(t testing.TB, k *kernelUnderTest) net.Conn {
	t.Helper()
	z, conn := rawSubscriber(t, k)
	if err := z.SendMsg(zmq4.NewMsg([]byte{1})); err != nil {
		t.Fatal(err)
	}
	if m, err := z.RecvMsg(); err != nil || len(m.Frames) != 7 {
		t.Fatalf("%q %v", m.Frames, err)
	}
	return conn
}

// A subscriber that takes nothing holds up a cell that prints, but not control; when it is gone, the others get everything. That it is disconnected after some
// time is TestSilentSubscriberIsDropped's and TestStall's.
func TestStuckSubscriber(t *testing.T) {
	k := startKernel(t, "tcp", Options{Stall: time.Hour, Hold: time.Hour})
	c := k.connect(t)
	stuck := stuckSubscriber(t, k)
	const n = 64 << 20 // more than queue and socket buffers hold
	id := c.send("shell", "execute_request", map[string]any{"code": fmt.Sprint("print begin\nflood ", n, "\nmark")})
	m := c.next(id)
	for m.header.MsgType != "stream" {
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
		if m.header.MsgType == "stream" {
			stdout += len(f["text"].(string))
		}
		if f["execution_state"] == "idle" {
			break
		}
	}
	if m := c.reply(c.shell, "shell", id); fields(t, m)["status"] != "ok" || stdout != n+len("begin\n") {
		t.Errorf("%s, %d bytes", m.content, stdout)
	}
}

// A peer that takes nothing for as long as stall is disconnected; one that is slow is not.
func TestStall(t *testing.T) {
	const stall = 30 * time.Second
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		defer theirs.Close()
		g := newGuard(ours)
		g.stall = stall
		begin := time.Now()
		if _, err := g.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begin) != stall {
			t.Errorf("nobody reads: %v after %v", err, time.Since(begin))
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
		if _, err := g.Write(make([]byte, pieces*64<<10)); err != nil || time.Since(begin) != pieces*(stall-time.Second) {
			t.Errorf("a slow reader: %v after %v", err, time.Since(begin))
		}
	})
}

// Nothing is signed on the heartbeat channel. A peer that sends there and does not read must not fill the memory.
func TestHeartbeatFlood(t *testing.T) {
	k := startKernel(t, "tcp", Options{Stall: time.Hour})
	c := k.connect(t)
	conn := dialRaw(t, k.conn, k.conn.HBPort)
	z, err := zmq4.Open(conn, null.Security(), zmq4.Dealer, nil, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	const piece, most = 1 << 20, 256
	sent := 0
	for ; sent < most; sent++ {
		if err := conn.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		if err := z.SendMsg(zmq4.NewMsg(make([]byte, piece))); err != nil {
			break
		}
	}
	if sent == most {
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
	if err != nil {
		t.Fatal(err)
	}
	return z, conn
}

// Nobody needs the key to subscribe. What a peer subscribes to must not fill the memory.
func TestSubscriptionsAreBounded(t *testing.T) {
	k := startKernel(t, "tcp", Options{})
	z, conn := rawSubscriber(t, k)
	send := func(begin byte, topic string) {
		t.Helper()
		if err := z.SendMsg(zmq4.NewMsg(append([]byte{begin}, topic...))); err != nil {
			t.Fatal(err)
		}
	}
	welcomed := func(topic string) {
		t.Helper()
		if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
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

// A peer that subscribes again and again and reads no welcome is read from no further.
func TestSubscriptionFlood(t *testing.T) {
	k := startKernel(t, "tcp", Options{Stall: time.Hour})
	c := k.connect(t)
	z, conn := rawSubscriber(t, k)
	subscription := append([]byte{1}, strings.Repeat("x", topicLength)...)
	const most = 64 << 10
	sent := 0
	for ; sent < most; sent++ {
		if err := conn.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		if err := z.SendMsg(zmq4.NewMsg(subscription)); err != nil {
			break
		}
	}
	if sent == most {
		t.Errorf("the kernel took %d subscriptions from a peer that reads nothing", sent)
	}
	if o := c.run("value 1"); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
}

// A subscriber that reads nothing is disconnected, long before its stall is over, when a cell has waited for it; the others get everything.
func TestSilentSubscriberIsDropped(t *testing.T) {
	k := startKernel(t, "tcp", Options{Stall: time.Hour, Hold: 3 * time.Second})
	c := k.connect(t)
	var stuck []net.Conn
	for range 3 {
		stuck = append(stuck, stuckSubscriber(t, k))
	}
	const n = 64 << 20
	if o := c.run(fmt.Sprint("flood ", n)); o.reply["status"] != "ok" || len(o.stdout) != n {
		t.Errorf("%v, %d bytes", o.reply, len(o.stdout))
	}
	for _, conn := range stuck {
		ended(t, conn)
	}
}

// How long publishers wait for a reader, in time that does not pass.
func TestHold(t *testing.T) {
	const hold = time.Second
	behind := func(t *testing.T) *peer {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { ours.Close(); theirs.Close() })
		p := &peer{conn: ours, topics: map[string]int{"": 1}, gone: make(chan struct{}), hold: hold, patience: hold, queued: queueLimit + 1}
		p.changed = sync.NewCond(&p.mu)
		return p
	}
	always := func() bool { return true }
	read := func(p *peer, n int) { // as the writer does
		p.took(n)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.queued -= n
		p.changed.Broadcast()
	}
	waits := func(t *testing.T, what string, want time.Duration, dropped bool, peers ...*peer) {
		t.Helper()
		s := newSocket(zmq4.Pub, 0, hold, nil, nil)
		for _, p := range peers {
			s.peers[p] = struct{}{}
		}
		begin := time.Now()
		s.publish("t", [][]byte{{1}}, always)
		if d := time.Since(begin); d != want {
			t.Errorf("%s: publishing took %v, want %v", what, d, want)
		}
		for _, p := range peers {
			if p.closed != dropped {
				t.Errorf("%s: disconnected %v", what, p.closed)
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

// A cell that waits for a subscriber is interrupted at once.
func TestInterruptWhileSubscriberIsStuck(t *testing.T) {
	k := startKernel(t, "tcp", Options{Stall: time.Hour, Hold: time.Hour})
	c := k.connect(t)
	stuck := stuckSubscriber(t, k)
	id := c.send("shell", "execute_request", map[string]any{"code": "flood 1000000000"})
	for c.next(id).header.MsgType != "stream" {
	}
	c.reply(c.control, "control", c.send("control", "interrupt_request", map[string]any{}))
	if m := c.reply(c.shell, "shell", id); fields(t, m)["ename"] != "Interrupted" {
		t.Errorf("%s", m.content)
	}
	stuck.Close()
	if o := c.run("value 1"); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
}

// The guard must agree with zmq4 on where frames begin however the bytes are cut.
func TestGuardFollowsFrames(t *testing.T) {
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
		if g.body != 0 || len(g.head) != 0 || g.more || !g.ready || g.total != 302 || g.frames != 3 {
			t.Fatalf("cut %d: %+v", cut, g)
		}
		if err := g.follow([]byte{flagCommand, 0}); err != errCommand {
			t.Fatalf("cut %d: second command: %v", cut, err)
		}
	}
}
