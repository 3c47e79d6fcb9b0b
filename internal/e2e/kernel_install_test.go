package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/kernelspec"
	"github.com/spherelab/spherelab/kernel/wire"
)

func TestKernelInstallAndUninstall(t *testing.T) {
	t.Parallel()
	j := newJupyter(t)
	j.fails(exitFailed, []string{"no kernel spherelab"}, "kernel", "uninstall")
	for range 2 {
		if out := j.ok("kernel", "install"); !strings.Contains(out, "also installed as gophernotes") {
			t.Errorf("install says:\n%s", out)
		}
	}
	for _, name := range []string{"spherelab", "gophernotes"} {
		s, err := kernelspec.Read(filepath.Join(j.data, "kernels", name))
		expect.NoError(t, err)
		program, err := built()
		expect.NoError(t, err)
		if want := []string{program, "kernel", "run", "{connection_file}"}; !slices.Equal(s.Argv, want) ||
			s.InterruptMode != "message" || s.Language != "go" {
			t.Errorf("kernelspec %s: %+v, want argv %v", name, s, want)
		}
	}
	if out := j.ok("doctor"); !strings.Contains(out, "ok    kernel          spherelab in "+j.data) {
		t.Errorf("doctor does not find the kernel:\n%s", out)
	}
	if out := j.ok("kernel", "uninstall"); strings.Count(out, "removed") != 2 {
		t.Errorf("uninstall says:\n%s", out)
	}
	if entries, err := os.ReadDir(filepath.Join(j.data, "kernels")); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if out := j.ok("doctor"); !strings.Contains(out, "not installed; `spherelab kernel install`") {
		t.Errorf("doctor still finds a kernel:\n%s", out)
	}
}

func TestKernelInstallPlaces(t *testing.T) {
	t.Parallel()
	j := newJupyter(t)
	prefix := t.TempDir()
	j.ok("kernel", "install", "--prefix", prefix, "--name", "go-bare", "--display-name", "Bare", "--no-prelude")
	s, err := kernelspec.Read(filepath.Join(prefix, "share", "jupyter", "kernels", "go-bare"))
	if err != nil || s.DisplayName != "Bare" || !slices.Contains(s.Argv, "--no-prelude") {
		t.Errorf("%+v, %v", s, err)
	}
	j.env = append(j.env, "VIRTUAL_ENV="+prefix)
	j.ok("kernel", "install", "--sys-prefix", "--name", "in-env")
	if _, err := kernelspec.Read(filepath.Join(prefix, "share", "jupyter", "kernels", "in-env")); err != nil {
		t.Error(err)
	}
	j.fails(exitUsage, []string{"Bad Name"}, "kernel", "install", "--name", "Bad Name")
	j.fails(exitUsage, []string{"--user and --prefix"}, "kernel", "install", "--user", "--prefix", prefix)
	j.fails(exitUsage, []string{"--prefix must be a folder"}, "kernel", "install", "--prefix", "")
	j.fails(exitUsage, []string{"--display-name"}, "kernel", "install", "--display-name", "")
	file := filepath.Join(t.TempDir(), "file")
	expect.NoError(t, os.WriteFile(file, nil, 0o644))
	j.fails(exitFailed, []string{file, "not a directory"}, "kernel", "install", "--prefix", file)

	// Install and uninstall leave another program's gophernotes alone.
	theirs := filepath.Join(j.data, "kernels", "gophernotes")
	expect.NoError(t, os.MkdirAll(theirs, 0o755))
	const content = `{"argv": ["gophernotes", "{connection_file}"], "display_name": "Go", "language": "go"}`
	expect.NoError(t, os.WriteFile(filepath.Join(theirs, "kernel.json"), []byte(content), 0o644))
	if out := j.ok("kernel", "install"); !strings.Contains(out, "is unchanged") {
		t.Errorf("install says:\n%s", out)
	}
	j.fails(exitFailed, []string{"not changed"}, "kernel", "install", "--name", "gophernotes")
	j.ok("kernel", "uninstall")
	if have, err := os.ReadFile(filepath.Join(theirs, "kernel.json")); err != nil || string(have) != content {
		t.Errorf("another program's kernel was changed: %s, %v", have, err)
	}

	// Nor is a kernel of any other name hidden, wherever Jupyter finds it.
	elsewhere := t.TempDir()
	python := filepath.Join(elsewhere, "kernels", "python3")
	expect.NoError(t, os.MkdirAll(python, 0o755))
	expect.NoError(t, os.WriteFile(filepath.Join(python, "kernel.json"),
		[]byte(`{"argv": ["python3"], "display_name": "Python 3"}`), 0o644))
	j.env = append(j.env, "JUPYTER_PATH="+elsewhere)
	for _, place := range [][]string{nil, {"--prefix", prefix}} {
		j.fails(exitFailed, []string{python, "Python 3", "not changed", "choose another --name"},
			append([]string{"kernel", "install", "--name", "python3"}, place...)...)
	}
	for _, dir := range []string{j.data, filepath.Join(prefix, "share", "jupyter")} {
		if _, err := kernelspec.Read(filepath.Join(dir, "kernels", "python3")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("python3 was written into %s: %v", dir, err)
		}
	}
	j.fails(exitFailed, []string{"nowhere.json"}, "kernel", "run", "nowhere.json")
}

// TestKernelReplacedWhileItRuns: an install after an update replaces the program that a kernel runs from, and the
// kernel continues.
func TestKernelReplacedWhileItRuns(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	path, err := built()
	expect.NoError(t, err)
	dir := t.TempDir()
	kept, err := kernelspec.Keep(path, dir)
	expect.NoError(t, err)
	file := filepath.Join(t.TempDir(), "connection.json")
	expect.NoError(t, os.WriteFile(file, []byte(`{"transport": "tcp", "ip": "127.0.0.1", "key": "secret"}`),
		0o600))
	cmd := p.command("kernel", "run", file)
	cmd.Path = kept
	expect.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	connection, err := wire.ReadConnection(file)
	for end := time.Now().Add(time.Minute); err != nil || connection.HBPort == 0; connection,
		err = wire.ReadConnection(file) {
		if time.Now().After(end) {
			t.Fatalf("the kernel does not say its ports: %v", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	heartbeat := zmq4.NewReq(t.Context(), zmq4.WithDialerMaxRetries(-1))
	defer heartbeat.Close()
	expect.NoError(t, heartbeat.Dial(fmt.Sprintf("tcp://127.0.0.1:%d", connection.HBPort)))
	beat := func(text string) {
		t.Helper()
		expect.NoError(t, heartbeat.Send(zmq4.NewMsgString(text)))
		if reply, err := heartbeat.Recv(); err != nil || string(reply.Bytes()) != text {
			t.Fatalf("heartbeat: %q, %v", reply.Bytes(), err)
		}
	}
	beat("before")

	// The next version of the program.
	content, err := os.ReadFile(path)
	expect.NoError(t, err)
	next := filepath.Join(t.TempDir(), filepath.Base(path))
	expect.NoError(t, os.WriteFile(next, append(content, 0), 0o755))
	if again, err := kernelspec.Keep(next, dir); err != nil || again != kept {
		t.Fatalf("%s: %v", again, err)
	}
	if now, err := os.ReadFile(kept); err != nil || len(now) != len(content)+1 {
		t.Errorf("the program was not replaced: %d bytes, %v", len(now), err)
	}
	if out, err := exec.Command(kept, "version").CombinedOutput(); err != nil {
		t.Errorf("the new program does not run: %v\n%s", err, out)
	}
	beat("after")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind next to the program: %v, %v", entries, err)
	}
}
