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

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/wire"
)

func TestInterruptByMessage(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, k *kernelUnderTest, c *client) {
		for i := range 50 {
			code := []string{"loop", "wait"}[i%2]
			id := c.send("shell", "execute_request", map[string]any{"code": code})
			<-k.fake.marks
			interrupt := c.send("control", "interrupt_request", map[string]any{})
			if m := c.reply(c.control, "control", interrupt); m.Header.MsgType != "interrupt_reply" ||
				string(m.Content) != `{"status":"ok"}` {
				t.Fatalf("%s %s", m.Header.MsgType, m.Content)
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

// While a cell runs, control requests and queries are answered, and the last status is busy.
func TestBesideARunningCell(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	id := c.send("shell", "execute_request", map[string]any{"code": "loop"})
	<-k.fake.marks
	for _, request := range []string{"kernel_info_request", "complete_request", "inspect_request",
		"is_complete_request", "history_request", "comm_info_request"} {
		ask := c.send("shell", request, map[string]any{"code": "x"})
		if m := c.reply(c.shell, "shell", ask); m.Header.MsgType == "" {
			t.Errorf("%s: %s", request, m.Content)
		}
		for {
			if m := c.receive(c.iopub, "iopub"); m.Parent.MsgID == ask && fields(t, m)["execution_state"] == "idle" {
				break
			}
		}
		if m := c.receive(c.iopub, "iopub"); m.Parent.MsgID != id || fields(t, m)["execution_state"] != "busy" {
			t.Errorf("after %s came %s %s", request, m.Header.MsgType, m.Content)
		}
	}
	c.send("control", "interrupt_request", map[string]any{})
	if m := c.reply(c.shell, "shell", id); fields(t, m)["status"] != "error" {
		t.Errorf("%s", m.Content)
	}
}

// A query that the engine answers slowly does not hold up the cells behind it.
func TestSlowQuery(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
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
			k := startKernel(t, "tcp", options{})
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
			// a restarted kernel uses the same ports
			l, err := net.Listen("tcp", strings.TrimPrefix(c.address(k.conn.ShellPort), "tcp://"))
			expect.NoError(t, err)
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
		expect.NoError(t, (wire.Connection{Transport: "tcp", IP: "127.0.0.1", Key: "k"}).Write(file))
		err := serve(ctx, file, newFake(), options{noSignals: true, parentPID: -1, ready: func(c wire.Connection) {
			dialRaw(t, c, c.ShellPort) // stays in the handshake
			cancel()
		}})
		expect.NoError(t, err)
	}
	waitFor(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}

// lame does not start.
type lame struct{ *fake }

func (lame) Start(IO) error { return errors.New("no interpreter") }

func TestEngineThatDoesNotStart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.json")
	expect.NoError(t, (wire.Connection{Transport: "tcp", IP: "127.0.0.1"}).Write(file))
	err := serve(t.Context(), file, lame{newFake()}, options{noSignals: true, parentPID: -1})
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
	t.Parallel()
	k := startKernel(t, "ipc", options{}) // only for its connect
	file := filepath.Join(t.TempDir(), "c.json")
	expect.NoError(t, (wire.Connection{Transport: "tcp", IP: "127.0.0.1", Key: k.conn.Key}).Write(file))
	g := &goroutines{fake: newFake(), ids: map[string]bool{}}
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ready := make(chan wire.Connection, 1)
	go func() {
		done <- serve(ctx, file, g, options{noSignals: true, parentPID: -1,
			ready: func(c wire.Connection) { ready <- c }})
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
	t.Parallel()
	dir := t.TempDir()
	for name, test := range map[string]struct{ content, want string }{
		"no JSON":   {"hello", "not what Jupyter writes"},
		"transport": {`{"transport":"pigeon"}`, `"pigeon"`},
		"scheme":    {`{"signature_scheme":"md4","key":"k"}`, "md4"},
		"ipc":       {`{"transport":"ipc"}`, "path"},
		"port":      {`{"ip":"127.0.0.1","shell_port":70000}`, "shell_port is 70000"},
		"type":      {`{"ip":5}`, "not what Jupyter writes"},
		"open":      {`{"ip":"0.0.0.0"}`, "key is empty"},
		"open, all": {`{"ip":"*"}`, "Set a key, or ip 127.0.0.1"},
		"open, v6":  {`{"ip":"::","key":""}`, "key is empty"},
	} {
		file := filepath.Join(dir, "c.json")
		expect.NoError(t, os.WriteFile(file, []byte(test.content), 0o600))
		err := serve(t.Context(), file, newFake(), options{})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := serve(t.Context(), filepath.Join(dir, "none.json"), newFake(), options{}); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	defer taken.Close()
	file := filepath.Join(dir, "taken.json")
	expect.NoError(t, (wire.Connection{IP: "127.0.0.1", IOPubPort: taken.Addr().(*net.TCPAddr).Port}).Write(file))
	if err := serve(t.Context(), file, newFake(), options{}); err == nil ||
		!strings.Contains(err.Error(), "iopub_port") {
		t.Errorf("taken port: %v", err)
	}
}

// Ports that are 0 are chosen, and the file says which they are; it stays private.
func TestChosenPorts(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"tcp", "ipc"} {
		k := startKernel(t, transport, options{})
		c, err := wire.ReadConnection(k.file)
		expect.NoError(t, err)
		if c != k.conn {
			t.Errorf("file %+v, kernel %+v", c, k.conn)
		}
		seen := map[int]bool{0: true}
		for i, port := range []int{c.ShellPort, c.ControlPort, c.StdinPort, c.IOPubPort, c.HBPort} {
			if seen[port] {
				t.Errorf("%s: port %d is %d", transport, i, port)
			}
			seen[port] = true
		}
		if info, err := os.Stat(k.file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info.Mode(), err)
		}
	}
}

// BenchmarkRoundTrip is a cell's way from the client to the engine and back.
func BenchmarkRoundTrip(b *testing.B) {
	k := startKernel(b, "tcp", options{})
	c := k.connect(b)
	b.ResetTimer()
	begin := time.Now()
	for b.Loop() {
		c.run("value 1")
	}
	b.ReportMetric(float64(time.Since(begin).Microseconds())/float64(b.N), "µs/cell")
}
