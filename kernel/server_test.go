package kernel

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel/display"
)

func TestInterruptByMessage(t *testing.T) {
	transports(t, func(t *testing.T, k *kernelUnderTest, c *client) {
		for i := range 50 {
			code := []string{"loop", "wait"}[i%2]
			id := c.send("shell", "execute_request", map[string]any{"code": code})
			<-k.fake.marks
			interrupt := c.send("control", "interrupt_request", map[string]any{})
			if m := c.reply(c.control, "control", interrupt); m.header.MsgType != "interrupt_reply" || string(m.content) != `{"status":"ok"}` {
				t.Fatalf("%s %s", m.header.MsgType, m.content)
			}
			if o := c.finish(id); o.reply["status"] != "error" || o.reply["ename"] != "Interrupted" {
				t.Fatalf("%v", o.reply)
			}
			if o := c.run("value 1"); o.reply["status"] != "ok" {
				t.Fatalf("after the interrupt: %v", o.reply)
			}
		}
		// Without a cell an interrupt does nothing, also to the next cell.
		c.reply(c.control, "control", c.send("control", "interrupt_request", map[string]any{}))
		if o := c.run("value 1"); o.reply["status"] != "ok" {
			t.Errorf("%v", o.reply)
		}
	})
}

// While a cell runs, control and questions are answered, and the status that comes last is busy.
func TestBesideARunningCell(t *testing.T) {
	k := startKernel(t, "ipc", Options{})
	c := k.connect(t)
	id := c.send("shell", "execute_request", map[string]any{"code": "loop"})
	<-k.fake.marks
	for _, request := range []string{"kernel_info_request", "complete_request", "inspect_request", "is_complete_request", "history_request", "comm_info_request"} {
		ask := c.send("shell", request, map[string]any{"code": "x"})
		if m := c.reply(c.shell, "shell", ask); m.header.MsgType == "" {
			t.Errorf("%s: %s", request, m.content)
		}
		for {
			if m := c.receive(c.iopub, "iopub"); m.parent.MsgID == ask && fields(t, m)["execution_state"] == "idle" {
				break
			}
		}
		if m := c.receive(c.iopub, "iopub"); m.parent.MsgID != id || fields(t, m)["execution_state"] != "busy" {
			t.Errorf("after %s came %s %s", request, m.header.MsgType, m.content)
		}
	}
	c.send("control", "interrupt_request", map[string]any{})
	if m := c.reply(c.shell, "shell", id); fields(t, m)["status"] != "error" {
		t.Errorf("%s", m.content)
	}
}

// A question that the engine answers slowly does not hold up the cells behind it.
func TestSlowQuestion(t *testing.T) {
	k := startKernel(t, "ipc", Options{})
	k.fake.slow = make(chan struct{})
	c := k.connect(t)
	ask := c.send("shell", "complete_request", map[string]any{"code": "x"})
	if o := c.run("value 1"); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
	close(k.fake.slow)
	c.reply(c.shell, "shell", ask)
}

func TestShutdown(t *testing.T) {
	for _, test := range []struct {
		name, channel, running string
		restart                bool
	}{
		{"idle", "control", "", false},
		{"restart", "control", "", true},
		{"shell", "shell", "", false},
		{"running", "control", "wait", false},
		{"running on shell", "shell", "loop", true},
		{"deaf", "control", "deaf", false}, // does not stop: the kernel ends without it
	} {
		t.Run(test.name, func(t *testing.T) {
			k := startKernel(t, "tcp", Options{})
			c := k.connect(t)
			if test.running != "" {
				c.send("shell", "execute_request", map[string]any{"code": test.running})
				<-k.fake.marks
				defer close(k.fake.release)
			}
			id := c.send(test.channel, "shutdown_request", map[string]any{"restart": test.restart})
			from := c.shell
			if test.channel == "control" {
				from = c.control
			}
			if r := fields(t, c.reply(from, test.channel, id)); r["status"] != "ok" || r["restart"] != test.restart {
				t.Errorf("%v", r)
			}
			if o := c.outputs(id); o.types() != "shutdown_reply" {
				t.Errorf("published %q", o.types())
			}
			if err := k.wait(t); err != nil {
				t.Error(err)
			}
			l, err := net.Listen("tcp", strings.TrimPrefix(c.address(k.conn.ShellPort), "tcp://")) // a restarted kernel uses the same ports
			if err != nil {
				t.Fatal(err)
			}
			l.Close()
		})
	}
}

// Nothing is left running after a kernel has ended.
func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		file := filepath.Join(t.TempDir(), "c.json")
		if err := (Connection{Transport: "tcp", IP: "127.0.0.1", Key: "k"}).write(file); err != nil {
			t.Fatal(err)
		}
		err := Serve(ctx, file, newFake(), Options{NoSignals: true, ParentPID: -1, Ready: func(c Connection) {
			dialRaw(t, c, c.ShellPort) // in the handshake for ever
			cancel()
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}

// lame does not start.
type lame struct{ *fake }

func (lame) Start(IO) error { return errors.New("no interpreter") }

func TestEngineThatDoesNotStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.json")
	if err := (Connection{Transport: "tcp", IP: "127.0.0.1"}).write(file); err != nil {
		t.Fatal(err)
	}
	err := Serve(t.Context(), file, lame{newFake()}, Options{NoSignals: true, ParentPID: -1})
	if err == nil || !strings.Contains(err.Error(), "no interpreter") {
		t.Errorf("%v", err)
	}
}

// goroutines notes where the engine is called.
type goroutines struct {
	*fake
	mu  sync.Mutex
	ids map[string]bool
}

func (g *goroutines) note() {
	b := make([]byte, 64)
	id, _, _ := strings.Cut(strings.TrimPrefix(string(b[:runtime.Stack(b, false)]), "goroutine "), " ")
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ids[id] = true
}

func (g *goroutines) Start(io IO) error { g.note(); return g.fake.Start(io) }
func (g *goroutines) Close() error      { g.note(); return g.fake.Close() }
func (g *goroutines) Execute(ctx context.Context, c Cell) (Result, error) {
	g.note()
	return Result{Data: display.Data{}}, nil
}

func TestEngineStaysOnOneGoroutine(t *testing.T) {
	k := startKernel(t, "ipc", Options{}) // only for its connect
	file := filepath.Join(t.TempDir(), "c.json")
	if err := (Connection{Transport: "tcp", IP: "127.0.0.1", Key: k.conn.Key}).write(file); err != nil {
		t.Fatal(err)
	}
	g := &goroutines{fake: newFake(), ids: map[string]bool{}}
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ready := make(chan Connection, 1)
	go func() {
		done <- Serve(ctx, file, g, Options{NoSignals: true, ParentPID: -1, Ready: func(c Connection) { ready <- c }})
	}()
	c := (&kernelUnderTest{conn: <-ready}).connect(t)
	for range 5 {
		c.run("x")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if len(g.ids) != 1 {
		t.Errorf("the engine was called on %d goroutines", len(g.ids))
	}
}

func TestConnectionFile(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct{ content, want string }{
		"no JSON":   {"hello", "not what Jupyter writes"},
		"transport": {`{"transport":"pigeon"}`, `"pigeon"`},
		"scheme":    {`{"signature_scheme":"md4","key":"k"}`, "md4"},
		"ipc":       {`{"transport":"ipc"}`, "path"},
		"port":      {`{"ip":"127.0.0.1","shell_port":70000}`, "shell_port is 70000"},
		"type":      {`{"ip":5}`, "not what Jupyter writes"},
		"open":      {`{"ip":"0.0.0.0"}`, "key is empty"},
		"open, all": {`{"ip":"*"}`, "Give a key, or ip 127.0.0.1"},
		"open, v6":  {`{"ip":"::","key":""}`, "key is empty"},
	} {
		file := filepath.Join(dir, "c.json")
		if err := os.WriteFile(file, []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Serve(t.Context(), file, newFake(), Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Serve(t.Context(), filepath.Join(dir, "none.json"), newFake(), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(dir, "taken.json")
	if err := (Connection{IP: "127.0.0.1", IOPubPort: taken.Addr().(*net.TCPAddr).Port}).write(file); err != nil {
		t.Fatal(err)
	}
	if err := Serve(t.Context(), file, newFake(), Options{}); err == nil || !strings.Contains(err.Error(), "iopub_port") {
		t.Errorf("taken port: %v", err)
	}
}

// Without an address the sockets are for this machine alone; without a key, too.
func TestConnectionStaysOnThisMachine(t *testing.T) {
	for _, c := range []Connection{{}, {Key: "k"}, {Transport: "tcp"}} {
		if err := c.check(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		port := 0
		l, err := c.listen(&port)
		if err != nil {
			t.Fatal(err)
		}
		if at := l.Addr().(*net.TCPAddr); !at.IP.IsLoopback() {
			t.Errorf("%+v listens on %s", c, at)
		}
		l.Close()
	}
	for _, c := range []Connection{{IP: "127.0.0.1"}, {IP: "127.3.2.1"}, {IP: "::1"}, {IP: "localhost"}, {IP: "*", Key: "k"}, {IP: "192.0.2.1", Key: "k"}, {Transport: "ipc", IP: "/x"}} {
		if err := c.check(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Ports that are 0 are chosen, and the file says which they are; it stays private.
func TestChosenPorts(t *testing.T) {
	for _, transport := range []string{"tcp", "ipc"} {
		k := startKernel(t, transport, Options{})
		c, err := ReadConnection(k.file)
		if err != nil {
			t.Fatal(err)
		}
		if c != k.conn {
			t.Errorf("file %+v, kernel %+v", c, k.conn)
		}
		seen := map[int]bool{0: true}
		for name, port := range c.ports() {
			if seen[*port] {
				t.Errorf("%s: %s is %d", transport, name, *port)
			}
			seen[*port] = true
		}
		if info, err := os.Stat(k.file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info.Mode(), err)
		}
	}
}

// A unix socket that a killed kernel left behind is replaced; one that is in use is not.
func TestLeftBehindUnixSocket(t *testing.T) {
	dir := shortDir(t)
	c := Connection{Transport: "ipc", IP: filepath.Join(dir, "k")}
	port := 7
	l, err := net.Listen("unix", c.ipcPath(port))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.listen(&port); err == nil {
		t.Error("a socket in use was replaced")
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	l, err = c.listen(&port)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// BenchmarkRoundTrip is a cell's way from the client to the engine and back.
func BenchmarkRoundTrip(b *testing.B) {
	k := startKernel(b, "tcp", Options{})
	c := k.connect(b)
	b.ResetTimer()
	begin := time.Now()
	for b.Loop() {
		c.run("value 1")
	}
	b.ReportMetric(float64(time.Since(begin).Microseconds())/float64(b.N), "µs/cell")
}
