package kernel

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/wire"
)

// startProcess runs the test binary as a kernel in a process of its own, under a shell when wrapped.
func startProcess(t *testing.T, wrapped bool) (*exec.Cmd, *kernelUnderTest) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "connection.json")
	expect.NoError(t, (wire.Connection{Transport: "ipc", IP: filepath.Join(shortDir(t), "k"),
		Key: "secret"}).Write(file))
	binary, err := os.Executable()
	expect.NoError(t, err)
	cmd := exec.Command(binary, file)
	if wrapped { // the shell waits for its input, so that it can be killed while the kernel lives
		cmd = exec.Command("/bin/sh", "-c", `JPY_PARENT_PID=$$ "$0" "$1" & echo $!; read line`, binary, file)
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Env = append(os.Environ(), asKernel+"=1", "JPY_PARENT_PID="+strconv.Itoa(os.Getpid()))
	cmd.Stderr = os.Stderr
	if wrapped {
		cmd.Stderr = nil // it would keep Wait from returning while the kernel lives
	}
	t.Cleanup(func() {
		if cmd.Process != nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	k := &kernelUnderTest{file: file}
	if !wrapped {
		expect.NoError(t, cmd.Start())
	}
	return cmd, k
}

// accepts reports whether a kernel listens on the last of its sockets.
func accepts(c wire.Connection) bool {
	network, address := c.Addr(c.HBPort) // go vet panics on net.Dial(c.Addr(...))
	conn, err := net.Dial(network, address)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// ready waits until the kernel has written its ports and accepts connections.
func (k *kernelUnderTest) ready(t *testing.T) *client {
	t.Helper()
	waitFor(t, "the kernel process", func() bool {
		c, err := wire.ReadConnection(k.file)
		k.conn = c
		return err == nil && c.HBPort != 0 && accepts(c)
	})
	return k.connect(t)
}

// SIGINT interrupts the running cell and does nothing when none runs; SIGTERM shuts the kernel down.
func TestSignals(t *testing.T) {
	t.Parallel()
	cmd, k := startProcess(t, false)
	c := k.ready(t)
	expect.NoError(t, cmd.Process.Signal(os.Interrupt))
	early := 0
	for i := range 20 {
		id := c.send("shell", "execute_request", map[string]any{"code": "print running\n" +
			[]string{"loop", "wait"}[i%2]})
		m := c.next(id)
		for m.Header.MsgType != "stream" && m.Header.MsgType != "error" {
			m = c.next(id)
		}
		if m.Header.MsgType == "stream" {
			expect.NoError(t, cmd.Process.Signal(os.Interrupt))
		} else if early++; early > 1 { // under load the idle signal may arrive in a cell, once
			t.Fatalf("cell %d was interrupted before the signal", i)
		}
		if m := c.reply(c.shell, "shell", id); fields(t, m)["ename"] != "Interrupted" {
			t.Fatalf("%s", m.Content)
		}
	}
	if o := c.run("value 1"); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
	c.send("shell", "execute_request", map[string]any{"code": "wait"})
	expect.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}

// A kernel whose parent is killed ends by itself.
func TestParentDeath(t *testing.T) {
	t.Parallel()
	cmd, k := startProcess(t, true)
	out, err := cmd.StdoutPipe()
	expect.NoError(t, err)
	expect.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	expect.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	expect.NoError(t, err)
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
	c := k.ready(t)
	if o := c.run("value 1"); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
	expect.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	waitFor(t, "the kernel to end", func() bool { return !lives(pid) })
}

// lives reports whether a process exists and is not a zombie.
func lives(pid int) bool {
	if !exists(pid) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return exists(pid)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// python is the interpreter with Jupyter's packages. Without one the test is skipped, under CI it fails.
func python(t *testing.T) string {
	t.Helper()
	p := os.Getenv("SPHERELAB_PYTHON")
	if p == "" {
		const remedy = "set SPHERELAB_PYTHON to the python of a virtual environment with _tool/python/requirements.txt"
		if os.Getenv("CI") == "true" {
			t.Fatal("no Jupyter to test with: " + remedy)
		}
		t.Skip("no Jupyter to test with: " + remedy)
	}
	return p
}

// TestPython runs the scripts of testdata against kernels with the fake engine: Jupyter's own client over libzmq, its
// standard test suite and nbclient.
func TestPython(t *testing.T) {
	t.Parallel()
	interpreter := python(t)
	binary, err := os.Executable()
	expect.NoError(t, err)
	share := t.TempDir()
	spec := filepath.Join(share, "kernels", "fake")
	expect.NoError(t, os.MkdirAll(spec, 0o755))
	json := fmt.Sprintf(`{"argv": [%q, "{connection_file}"], "display_name": "Fake", "language": "fake", "interrupt_mode": "message", "env": {%q: "1"}}`, binary, asKernel)
	expect.NoError(t, os.WriteFile(filepath.Join(spec, "kernel.json"), []byte(json), 0o644))
	for _, script := range []string{"suite.py", "client.py", "notebook.py"} {
		t.Run(script, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), interpreter, filepath.Join("testdata", script))
			cmd.Env = append(os.Environ(), "JUPYTER_PATH="+share, "JUPYTER_RUNTIME_DIR="+t.TempDir(),
				"JUPYTER_DATA_DIR="+share, "PYTHONDONTWRITEBYTECODE=1")
			cmd.WaitDelay = 10 * time.Second
			out, err := cmd.CombinedOutput()
			t.Logf("%s", out)
			if err != nil {
				t.Error(err)
			}
		})
	}
}
