package kernel

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/wire"
)

// again runs the test binary as a kernel, as Jupyter does with the same connection file after a death.
func (k *kernelUnderTest) again(t *testing.T) (*exec.Cmd, *client) {
	t.Helper()
	cmd := exec.Command(os.Args[0], k.file)
	cmd.Env = append(os.Environ(), asKernel+"=1", "JPY_PARENT_PID=")
	expect.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	return cmd, k.ready(t)
}

// TestDeathIsTold: a kernel that is started again after it died says why and what is lost, in the first cell that shows
// something, and once. One that ended as it should leaves no record.
func TestDeathIsTold(t *testing.T) {
	t.Parallel()
	kill := func(_ *client, p *os.Process) { _ = p.Kill() } // Wait reports it
	const lost = ".\nLost: b, α. Run the cells that declare them again.\n"
	for name, c := range map[string]struct {
		last string
		end  func(*client, *os.Process)
		want string
	}{
		"killed in a cell": {"print in\nwait", kill,
			"it was killed, from outside or for lack of memory; cell [3] was running" + lost},
		"killed between cells": {"print in", func(c *client, p *os.Process) {
			c.run("")
			kill(c, p)
		},
			"it was killed, from outside or for lack of memory; cell [4] had ended" + lost},
		"a panic": {"print in\ndie", func(*client, *os.Process) {},
			"panic: at once, in github.com/spherelab/spherelab/kernel.(*fake).line.gowrap1; cell [3] was running" + lost},
		"an end": {"print in", func(c *client, _ *os.Process) {
			c.send("control", "shutdown_request", map[string]any{"restart": true})
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "connection.json")
			at := wire.Connection{Transport: "ipc", IP: filepath.Join(shortDir(t), "k"), Key: "secret"}
			expect.NoError(t, at.Write(file))
			k := &kernelUnderTest{file: file}
			cmd, cl := k.again(t)
			for range 2 {
				if o := cl.run("value 1"); o.stderr != "" {
					t.Errorf("the first process says %q", o.stderr)
				}
			}
			id := cl.send("shell", "execute_request", map[string]any{"code": c.last})
			for cl.next(id).Header.MsgType != "stream" {
			}
			c.end(cl, cmd.Process)
			_ = cmd.Wait() // it died
			if _, err := os.Stat(recordPath(file)); (err == nil) != (c.want != "") {
				t.Errorf("the record: %v", err)
			}
			_, cl = k.again(t)
			want := c.want
			if want != "" {
				want = "the kernel died and was started again: " + want
			}
			if o := cl.runWith(map[string]any{"code": "", "silent": true}); o.stderr != "" {
				t.Errorf("a silent cell says %q", o.stderr)
			}
			if o := cl.run("value 1"); o.stderr != want {
				t.Errorf("%q, want %q", o.stderr, want)
			}
			if o := cl.run("value 1"); o.stderr != "" {
				t.Errorf("it says again %q", o.stderr)
			}
		})
	}
}

// TestCause: the message names the compiled function at fault, and neither the runtime's nor that of another goroutine.
func TestCause(t *testing.T) {
	const stack = `
goroutine 34 [running]:
internal/runtime/maps.fatal({0x1, 0x2})
	/go/src/runtime/panic.go:1181 +0x18
runtime.mapassign_faststr(0x0)
	/go/src/runtime/map.go:1
net/http.(*Server).ListenAndServe(0xc000012345, {0x1, 0x2})
	/go/src/net/http/x.go:900
created by main.main in goroutine 1

goroutine 1 [running]:
net/url.Values.Get(...)
`
	const serve = "net/http.(*Server).ListenAndServe"
	for text, want := range map[string]string{
		stack: "fatal error: concurrent use of a map, in " + serve,
		strings.Replace(stack, "net/http.(*Server)", "reflect.Value", 1): "fatal error: concurrent use of a map",
		strings.Replace(stack, "runtime/maps", "sync", 1):                "fatal error: unlock of something that is not locked, in " + serve,
		"\nruntime stack:\nruntime.throw({0x1?, 0x2?})\nruntime.newstack()\n\t/a/b.go:1 +0x1 fp=0x1\n\n" +
			"goroutine 1 gp=0x1 m=1 [running]:\nmain.rec(0x2?)\n": "fatal error: stack overflow, in main.rec",
		"\ngoroutine 1 [running]:\nruntime.throw({0x1, 0x2})\n": "fatal error of Go's runtime",
		"":                           "it was killed, from outside or for lack of memory",
		"\n\nruntime: out of memory": "runtime: out of memory",
	} {
		if got := cause(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := epitaph([]byte("panic: early\n\n")); got != "the kernel died and was started again: panic: early.\n" {
		t.Errorf("without the first line %q", got)
	}
	var head strings.Builder
	for range 50 {
		head.WriteString(`"a",`)
	}
	got := epitaph([]byte(`{"cell":2,"names":[` + head.String() + `"z"]}`))
	if !strings.Contains(got, "a, a, and 11 more. ") {
		t.Error(got)
	}
}
