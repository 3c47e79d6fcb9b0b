package kernel

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/wire"
)

// A recorded message is not obeyed a second time, on any channel, and with anything added to its signed parts.
func TestReplay(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, k *kernelUnderTest, c *client) {
		frames, id, err := c.session.Encode("execute_request", nil, map[string]any{"code": "print once"})
		expect.NoError(t, err)
		c.sendFrames("shell", frames)
		if o := c.finish(id); o.stdout != "once\n" {
			t.Errorf("%q", o.stdout)
		}
		thief := k.connectAs(t, newIdentity(), "another key")
		for i := range 30 {
			from := []*client{c, thief}[i%2]
			copied := append([][]byte{}, frames...)
			if i%3 == 0 {
				copied = append(copied, []byte("a buffer"))
			}
			from.sendFrames([]string{"shell", "control", "stdin"}[i%3], copied)
		}
		waitFor(t, "all copies to be counted", func() bool { return k.counters.replayed.Load() == 30 })
		if o := c.run("print twice"); o.stdout != "twice\n" || o.reply["execution_count"] != 2.0 {
			t.Errorf("%q %v", o.stdout, o.reply)
		}
		if n := k.counters.badSignature.Load() + k.counters.malformed.Load(); n != 0 {
			t.Errorf("%d messages were counted as something else", n)
		}
	})
}

// TestSoakBadMessages sends the program 1,000 bad messages of all kinds on all channels while it works. It ignores and
// counts them, and logs their number when it ends.
func TestSoakBadMessages(t *testing.T) {
	t.Parallel()
	b := startReal(t)
	c := b.connect(t)
	c.ok(preparation)
	forger := b.connectAs(t, newIdentity(), "another key")
	recorded, id, err := c.session.Encode("execute_request", nil, map[string]any{"code": "junk++"})
	expect.NoError(t, err)
	c.sendFrames("shell", recorded)
	c.finish(id)
	encode := func(code string) [][]byte {
		frames, _, err := c.session.Encode("execute_request", nil, map[string]any{"code": code})
		expect.NoError(t, err)
		return frames
	}
	random := rand.New(rand.NewPCG(5, 6))
	var badlySigned, malformed, replayed int
	for i := range 1000 {
		channel := []string{"shell", "control", "stdin"}[i%3]
		switch random.IntN(8) {
		case 0: // right in everything but the key
			forger.send(channel, []string{"execute_request", "shutdown_request", "interrupt_request",
				"input_reply"}[random.IntN(4)], map[string]any{"code": "junk++"})
			badlySigned++
		case 1: // no signature at all
			frames := encode("junk++")
			frames[1] = nil
			c.sendFrames(channel, frames)
			badlySigned++
		case 2: // one bit changed
			frames := encode("junk++")
			part := frames[1+random.IntN(5)]
			part[random.IntN(len(part))] ^= 1 << random.IntN(7)
			c.sendFrames(channel, frames)
			badlySigned++
		case 3: // cut off behind some frame
			c.sendFrames(channel, encode("junk++")[:1+random.IntN(5)])
			malformed++
		case 4: // any number of any frames
			var frames [][]byte
			for range 1 + random.IntN(8) {
				frames = append(frames, randomBytes(random))
			}
			c.sendFrames(channel, frames)
			malformed++
		case 5: // signed, but no JSON
			parts := [][]byte{[]byte(`{"msg_id":"x","msg_type":"execute_request"}`), []byte("{}"), []byte("{}"),
				append([]byte{0xff}, randomBytes(random)...)}
			c.sendFrames(channel, c.session.Seal(parts[0], parts[1], parts[2], parts[3]))
			malformed++
		case 6: // recorded and sent again
			c.sendFrames(channel, recorded)
			replayed++
		case 7: // the delimiter late, behind thousands of identities
			frames := make([][]byte, 5000)
			for j := range frames {
				frames[j] = []byte{byte(j)}
			}
			c.sendFrames(channel, append(frames, []byte("<IDS|MSG>")))
			malformed++
		}
		if i%100 == 99 {
			c.stillAsLeft(i/100 + 1)
		}
	}
	oddConnections(t, b.conn)
	c.ask("kernel_info_request", map[string]any{})
	c.reply(c.control, "control", c.send("control", "kernel_info_request", map[string]any{}))
	c.begin("var answer string\nfmt.Scanln(&answer)\nfmt.Println(answer)")
	asked := c.receive(c.stdin, "stdin") // behind all that is bad on stdin
	c.sendWith("stdin", "input_reply", asked.RawHeader, map[string]any{"value": "fine"})
	if got := c.ok("junk"); got != "1" {
		t.Errorf("junk is %s: a bad message was obeyed", got)
	}
	c.stillAsLeft(11)
	shutDown(t, b, c)
	want := fmt.Sprintf("badly_signed=%d malformed=%d replayed=%d", badlySigned, malformed, replayed)
	if !strings.Contains(b.stderr.String(), want) {
		t.Errorf("the kernel did not count %s:\n%s", want, b.stderr)
	}
}

// oddConnections connects to every port of a kernel and then breaks the protocol: silence, another protocol, an
// announced length of 2^62 bytes, a message that is cut off, unexpected commands, malformed subscriptions.
func oddConnections(t *testing.T, k wire.Connection) {
	t.Helper()
	for _, port := range []int{k.ShellPort, k.ControlPort, k.StdinPort, k.IOPubPort, k.HBPort} {
		dial := func() net.Conn {
			network, address := k.Addr(port)
			conn, err := net.Dial(network, address)
			expect.NoError(t, err)
			t.Cleanup(func() { conn.Close() })
			return conn
		}
		greet := func() (net.Conn, *zmq4.Conn) {
			conn := dial()
			kind := zmq4.Dealer
			if port == k.IOPubPort {
				kind = zmq4.Sub
			}
			z, err := zmq4.Open(conn, null.Security(), kind, zmq4.SocketIdentity(newIdentity()), false, nil)
			expect.NoError(t, err)
			return conn, z
		}
		dial() // silent
		web := dial()
		fmt.Fprintf(web, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n%s", strings.Repeat("x", 100))
		ended(t, web)
		for _, raw := range [][]byte{
			binary.BigEndian.AppendUint64([]byte{flagLong}, 1<<62),
			binary.BigEndian.AppendUint64([]byte{flagLong}, messageLimit+1),
			{flagCommand, 5, 4, 'P', 'I', 'N', 'G'},
			{flagCommand | flagLong, 0, 0, 0, 0, 0, 0, 0, 1, 'x'},
		} {
			conn, _ := greet()
			if _, err := conn.Write(raw); err != nil {
				t.Fatal(err)
			}
			ended(t, conn)
		}
		cut, _ := greet()
		if _, err := cut.Write([]byte{flagMore, 200, 'x'}); err != nil {
			t.Fatal(err)
		}
		cut.Close()
		reset, _ := greet()
		// announced and never sent
		if _, err := reset.Write(binary.BigEndian.AppendUint64([]byte{flagLong}, messageLimit)); err != nil {
			t.Fatal(err)
		}
		reset.Close()
		if port == k.IOPubPort {
			_, z := greet()
			for _, m := range []string{"", "\x02topic", "\x00never subscribed", "\x01",
				"\x01" + strings.Repeat("long", 10000), "no subscription"} {
				expect.NoError(t, z.SendMsg(zmq4.NewMsgString(m)))
			}
		}
	}
}

// A kernel whose parent was killed ends even while a cell computes, prints or waits.
func TestParentDeathUnderLoad(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"train(1 << 30)", "for { }", "for { fmt.Println(junk) }",
		"%%sql\nselect pg_sleep(1000)", "$sleep 1000"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			b := startUnderShell(t)
			c := b.connect(t)
			c.ok(preparation)
			c.begin(code)
			b.signal(t, syscall.SIGKILL)
			<-b.exited
			waitFor(t, "the kernel to end", func() bool { return !lives(b.pid) })
		})
	}
}

// Under load the heartbeat continues. A restart works, which is a shutdown and a new process on the same connection
// file.
func TestHeartbeatAndRestartUnderLoad(t *testing.T) {
	t.Parallel()
	b := startReal(t)
	for _, code := range []string{"train(1 << 30)", "for { }", "for { fmt.Println(junk) }", "select { }"} {
		c := b.connect(t)
		c.ok(preparation)
		id := c.begin(code)
		heart := zmq4.NewReq(t.Context())
		expect.NoError(t, heart.Dial(c.address(b.conn.HBPort)))
		for i := range 100 {
			want := fmt.Sprint("beat ", i)
			expect.NoError(t, heart.Send(zmq4.NewMsgString(want)))
			if m, err := heart.Recv(); err != nil || string(m.Bytes()) != want {
				t.Fatalf("%q came back as %q (%v)", want, m.Bytes(), err)
			}
		}
		heart.Close()
		if len(c.shell) != 0 {
			t.Errorf("%s: the cell ended by itself", code)
		}
		ask := c.send("control", "shutdown_request", map[string]any{"restart": true})
		if r := fields(t, c.reply(c.control, "control", ask)); r["status"] != "ok" || r["restart"] != true {
			t.Errorf("%v", r)
		}
		if m := c.reply(c.shell, "shell", id); fields(t, m)["ename"] != "Interrupted" {
			t.Errorf("%s: the running cell ended with %s", code, m.Content)
		}
		if err := b.ended(t); err != nil {
			t.Errorf("%s: exit code %d", code, exitCode(err))
		}
		before := b.conn
		b = runReal(t, b.file, b.cmd.Env)
		if b.conn != before {
			t.Errorf("the restarted kernel is at %+v, before at %+v", b.conn, before)
		}
	}
	c := b.connect(t)
	if o := c.run("1+1"); o.value(t) != "2" || o.reply["execution_count"] != 1.0 {
		t.Errorf("after restarts: %v", o.reply)
	}
	b.signal(t, syscall.SIGTERM)
	if err := b.ended(t); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}
