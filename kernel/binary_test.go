package kernel

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/sourcetree"
	"github.com/spherelab/spherelab/kernel/wire"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// The tests that use this file run the program itself, with its interpreter, its prelude and a database, and talk to it
// over its sockets.

// full multiplies a count that is a tenth by default; SPHERELAB_SOAK=1 asks for all.
func full(tenth int) int {
	if os.Getenv("SPHERELAB_SOAK") == "1" {
		return 10 * tenth
	}
	return tenth
}

var buildDir = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "spherelab-kernel-") })

// program is the built program. SPHERELAB_TEST_PROGRAM names one that is there already, for example one with the race
// detector.
var program = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("SPHERELAB_TEST_PROGRAM"); path != "" {
		return path, nil
	}
	dir, err := buildDir()
	if err != nil {
		return "", err
	}
	return sourcetree.Build("..", dir)
})

// realKernel is a kernel in a process of its own.
type realKernel struct {
	*kernelUnderTest
	env    []string
	cmd    *exec.Cmd
	pid    int // of the kernel
	stderr *trackertest.Output
	exited chan struct{}
	err    error // of Wait; read after exited is closed
}

// startReal runs the program as a kernel with a database of the tests' server and empty folders.
func startReal(t testing.TB) *realKernel {
	t.Helper()
	b := prepareReal(t)
	return runReal(t, b.file, b.env)
}

// prepareReal is a kernel that has not been started.
func prepareReal(t testing.TB) *realKernel {
	t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SPHERELAB_HOME=" + t.TempDir(),
		"DATABASE_URL=" + trackertest.Database(t),
		"JPY_PARENT_PID=" + strconv.Itoa(os.Getpid())}
	file := filepath.Join(t.TempDir(), "connection.json")
	expect.NoError(t, (wire.Connection{Transport: "ipc", IP: filepath.Join(shortDir(t), "k"),
		Key: "secret"}).Write(file))
	return &realKernel{kernelUnderTest: &kernelUnderTest{file: file}, env: env, stderr: &trackertest.Output{},
		exited: make(chan struct{})}
}

// startUnderShell runs the program as startReal does, but as the child of a shell: that one's is the process of the
// result.
func startUnderShell(t testing.TB) *realKernel {
	t.Helper()
	b := prepareReal(t)
	path, err := program()
	expect.NoError(t, err)
	// The shell waits for its input, so that it can be killed while the kernel lives.
	b.cmd = exec.Command("/bin/sh", "-c", `JPY_PARENT_PID=$$ "$0" kernel run "$1" >/dev/null 2>&1 & echo $!; read line`,
		path, b.file)
	b.cmd.Env = b.env
	if _, err := b.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := b.cmd.StdoutPipe()
	expect.NoError(t, err)
	b.start(t)
	if _, err := fmt.Fscan(out, &b.pid); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(b.pid, syscall.SIGKILL) }) // it should have ended
	return b
}

// runReal starts a kernel on a connection file that may have served another one.
func runReal(t testing.TB, file string, env []string) *realKernel {
	t.Helper()
	path, err := program()
	expect.NoError(t, err)
	b := &realKernel{kernelUnderTest: &kernelUnderTest{file: file}, env: env, stderr: &trackertest.Output{},
		exited: make(chan struct{})}
	b.cmd = exec.Command(path, "kernel", "run", file)
	b.start(t)
	b.pid = b.cmd.Process.Pid
	return b
}

// start starts the process and waits until the kernel listens.
func (b *realKernel) start(t testing.TB) {
	t.Helper()
	b.cmd.Dir = t.TempDir()
	b.cmd.Env = b.env
	b.cmd.Stderr = b.stderr
	expect.NoError(t, b.cmd.Start())
	go func() {
		b.err = b.cmd.Wait()
		close(b.exited)
	}()
	t.Cleanup(func() {
		if t.Failed() { // a kernel that hangs says where
			_ = b.cmd.Process.Signal(syscall.SIGQUIT)
			select {
			case <-b.exited:
			case <-time.After(10 * time.Second):
			}
		}
		_ = b.cmd.Process.Kill() // it may have ended
		<-b.exited
		if t.Failed() {
			t.Logf("standard error of the kernel:\n%s", b.stderr)
		}
	})
	waitFor(t, "the kernel process", func() bool {
		select {
		case <-b.exited:
			t.Fatalf("the kernel ended: %v\n%s", b.err, b.stderr)
		default:
		}
		c, err := wire.ReadConnection(b.file)
		b.conn = c
		return err == nil && c.HBPort != 0 && accepts(c)
	})
}

// ended waits for the end of the process.
func (b *realKernel) ended(t testing.TB) error {
	t.Helper()
	waitFor(t, "the kernel to end", func() bool {
		select {
		case <-b.exited:
			return true
		default:
			return false
		}
	})
	return b.err
}

// mustLive fails the test if the process has ended.
func (b *realKernel) mustLive(t testing.TB) {
	t.Helper()
	select {
	case <-b.exited:
		t.Fatalf("the kernel died: %v\n%s", b.err, b.stderr)
	default:
	}
}

// resident is the memory of the process in kB.
func (b *realKernel) resident(t testing.TB) int {
	t.Helper()
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(b.cmd.Process.Pid)).Output()
	expect.NoError(t, err)
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	expect.NoError(t, err)
	return n
}

// ok runs a cell that must not fail and returns the text of its value, "" if it has none.
func (c *client) ok(code string) string {
	c.t.Helper()
	o := c.run(code)
	if o.reply["status"] != "ok" {
		c.t.Fatalf("%s\nfails: %v", code, o.reply)
	}
	return o.value(c.t)
}

// value is the text of a cell's value, "" if it has none.
func (o outcome) value(t testing.TB) string {
	for _, m := range o.iopub {
		if m.Header.MsgType == "execute_result" {
			text, _ := fields(t, m)["data"].(map[string]any)["text/plain"].(string)
			return text
		}
	}
	return ""
}

// begin sends a cell and waits until it runs. What it published until then is still to be read.
func (c *client) begin(code string) string {
	c.t.Helper()
	id := c.send("shell", "execute_request", map[string]any{"code": code})
	var read []*wire.Message
	for {
		m := c.next(id)
		read = append(read, m)
		if m.Header.MsgType == "execute_input" {
			c.held = append(read, c.held...)
			return id
		}
	}
}

// interrupt interrupts by a message and waits for its answer.
func (c *client) interrupt() {
	c.t.Helper()
	c.reply(c.control, "control", c.send("control", "interrupt_request", map[string]any{}))
}

// drop forgets messages of iopub that belong to other requests.
func (c *client) drop() { c.held = nil }

// preparation is what the cells of these tests start from: a state to keep, a graph, a model, something to train.
const preparation = `import ("fmt"; "time")
x := 0
junk := 0
keep := map[string]int{"a": 0}
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
g, err := kg.Bundled()
if err != nil { panic(err) }
m, err := sphere.New(sphere.Settings{Model: "rotate", Variant: "clean", Dimension: 16, Gamma: 6, Epsilon: 2}, g, 1)
if err != nil { panic(err) }
func train(steps int) error {
	tr, err := sphere.NewTrainer(m, g, sphere.Training{Epochs: 1, Steps: steps, Batch: 64, Negatives: 8, Seed: 1,
		Sampling: "bernoulli", Temperature: 2, LearningRate: 0.001, Beta1: 0.9, Beta2: 0.999, AdamEpsilon: 1e-8})
	if err != nil { return err }
	defer tr.Close()
	_, err = tr.Epoch(ctx)
	return err
}`

// stillAsLeft counts up the state of preparation and fails unless it is what so many cells left.
func (c *client) stillAsLeft(n int) {
	c.t.Helper()
	if got, want := c.ok("x++\nkeep[\"a\"] += 2\nx*1000000 + keep[\"a\"]"), fmt.Sprint(n*1000000+2*n); got != want {
		c.t.Fatalf("the state is %s after %d cells, want %s", got, n, want)
	}
}

// exitCode is the exit code of a process that has ended, -1 if a signal ended it.
func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// signal sends a signal to the process.
func (b *realKernel) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	expect.NoError(t, b.cmd.Process.Signal(s))
}
