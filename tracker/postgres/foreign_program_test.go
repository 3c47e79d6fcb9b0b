package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/sourcetree"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// foreignMain is a program of somebody else. It knows nothing of supervisors: it opens a tracker, logs, and stays until
// its input ends. A package of its own prints before main.
const foreignMain = `package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	_ "example.com/foreign/aloud"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

func main() {
	ctx := context.Background()
	t, err := postgres.Open(ctx, "", tracker.Options{DataDir: os.Args[1], Idle: 300 * time.Millisecond, Scratch: true})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	run, err := t.StartRun(ctx, tracker.RunSpec{Name: "foreign"})
	if err == nil {
		err = run.LogMetrics(1, map[string]float64{"loss": .5})
	}
	if err == nil {
		err = run.Finish(ctx, tracker.Finished)
	}
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println("logged", run.ID())
	io.Copy(io.Discard, os.Stdin)
	t.Close()
}
`

const foreignAloud = "package aloud\n\nimport \"fmt\"\n\nfunc init() { fmt.Println(\"aloud\") }\n"

// buildForeign builds foreignMain in a module of its own that replaces ours by this folder.
func buildForeign(t *testing.T, folder string) string {
	t.Helper()
	const root = "../.."
	noError(t, sourcetree.Depend(root))
	ours := must[string](t)(filepath.Abs(root))
	mod := string(must[[]byte](t)(os.ReadFile(filepath.Join(root, "go.mod"))))
	_, requirements, _ := strings.Cut(mod, "\n") // after the module's name
	source := filepath.Join(folder, "source")
	noError(t, os.MkdirAll(filepath.Join(source, "aloud"), 0o755))
	for name, text := range map[string]string{
		"go.mod": "module example.com/foreign\n" + requirements +
			"\nrequire github.com/spherelab/spherelab v0.0.0\n\nreplace github.com/spherelab/spherelab => " + ours + "\n",
		"go.sum":  string(must[[]byte](t)(os.ReadFile(filepath.Join(root, "go.sum")))),
		"main.go": foreignMain, "aloud/aloud.go": foreignAloud,
	} {
		noError(t, os.WriteFile(filepath.Join(source, name), []byte(text), 0o644))
	}
	program := filepath.Join(folder, "foreign")
	build := exec.Command("go", "build", "-mod=mod", "-o", program, ".")
	build.Dir = source
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// TestForeignProgram opens a tracker in a program whose main does nothing for it, as root where root runs the tests and
// as an ordinary user. When it has ended, or was killed, nothing of it is left.
func TestForeignProgram(t *testing.T) {
	t.Parallel()
	trackertest.Skip(t)
	if runtime.GOOS != "linux" {
		t.Skip("skipped: it looks for processes in /proc, which only Linux has")
	}
	base := must[string](t)(os.MkdirTemp("", "foreign-")) // t.TempDir's parents may be closed to other accounts
	t.Cleanup(func() { os.RemoveAll(base) })
	noError(t, os.Chmod(base, 0o755))
	program := buildForeign(t, base)
	accounts := map[string]*syscall.Credential{"own account": nil}
	if os.Getuid() == 0 {
		nobody, err := user.Lookup("nobody")
		noError(t, err)
		uid, err1 := strconv.Atoi(nobody.Uid)
		gid, err2 := strconv.Atoi(nobody.Gid)
		noError(t, errors.Join(err1, err2))
		accounts["nobody"] = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	for name, credential := range accounts {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s killed=%v", name, killed), func(t *testing.T) {
				home := must[string](t)(os.MkdirTemp(base, "home-"))
				if credential != nil {
					noError(t, os.Chown(home, int(credential.Uid), int(credential.Gid)))
				}
				runForeign(t, program, home, credential, killed)
			})
		}
	}
}

func runForeign(t *testing.T, program, home string, credential *syscall.Credential, killed bool) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, filepath.Join(home, "data"))
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	input, err1 := cmd.StdinPipe()
	output, err2 := cmd.StdoutPipe()
	noError(t, errors.Join(err1, err2, cmd.Start()))
	lines := bufio.NewScanner(output)
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
		if strings.HasPrefix(lines.Text(), "logged ") {
			break
		}
	}
	noError(t, lines.Err())
	if len(said) != 2 || said[0] != "aloud" || !strings.HasPrefix(said[1], "logged ") {
		_ = cmd.Process.Kill()
		t.Errorf("the program said %q, %v; its processes are %v", said, cmd.Wait(), processes(t, program))
	} else if killed {
		noError(t, cmd.Process.Kill())
		_ = cmd.Wait() // killed
	} else {
		input.Close()
		_, _ = io.Copy(io.Discard, output)
		noError(t, cmd.Wait())
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		left := processes(t, program)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			t.Fatalf("the processes %v of the program are left", left)
		}
	}
}

// processes lists those that run a program.
func processes(t *testing.T, program string) (pids []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	noError(t, err)
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if exe, err := os.Readlink(filepath.Join("/proc", entry.Name(), "exe")); err == nil && exe == program {
			pids = append(pids, pid)
		}
	}
	return pids
}
