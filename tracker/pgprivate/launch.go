//go:build unix

package pgprivate

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// This program becomes a supervisor if it is started under the name supervisorName, without arguments. superviseEnv
// then has its order or probeValue.
const (
	supervisorName = "spherelab-postgres-supervisor"
	superviseEnv   = "SPHERELAB_PG_SUPERVISE"
	probeValue     = "probe"
)

// The messages of a supervisor to its starter, in lines on the file messageFD, before it closes the file: hello, then
// ready or an error.
const (
	messageFD = 3
	hello     = "supervisor"
	ready     = "ready"
)

// Deadlines. Each is far more than a loaded machine needs.
const (
	helloWithin = 30 * time.Second // a program that was started again becomes a supervisor
	readyWithin = 4 * time.Minute  // more than a supervisor takes to start a server or to stop one that does not answer
	startWithin = 5 * time.Minute  // another program starts or stops the server
)

// order is the task of a supervisor.
type order struct {
	Dir       string
	Data      string
	SocketDir string
	Bin       string
	Account   account
	Idle      time.Duration
	Scratch   bool
}

// isSupervised reports whether a supervisor watches the server of dir.
func isSupervised(dir string) bool {
	f, err := openLock(filepath.Join(dir, "supervisor.lock"))
	if err != nil {
		return false
	}
	defer f.Close()
	free, err := tryFlock(f, unix.LOCK_EX)
	return err == nil && !free
}

// errTwoSupervisors is the message of a supervisor that finds another one.
var errTwoSupervisors = errors.New("another supervisor is at work")

// launch starts a supervisor and waits until the server answers. The supervisor starts the server, or takes over one
// that lost its supervisor. The caller holds c.mu and start.lock.
func (c *Cluster) launch(ctx context.Context) error {
	late := time.After(readyWithin)
	for {
		// An existing supervisor either ends soon, because its server died, or is starting the server for a program
		// that was killed meanwhile.
		for isSupervised(c.o.Dir) {
			if c.join() {
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-late:
				return fmt.Errorf("the private PostgreSQL server has a supervisor, but did not answer for %v (its log: %s)",
					readyWithin, logPath(c.o.Dir))
			case <-time.After(5 * time.Millisecond):
			}
		}
		if err := c.supervise(ctx); !errors.Is(err, errTwoSupervisors) {
			return err
		}
	}
}

// join uses the server if it answers.
func (c *Cluster) join() bool {
	p, ok := findRunning(c.data)
	if !ok || !p.Ready || p.SocketDir == "" {
		return false
	}
	c.socketDir = p.SocketDir
	return true
}

// supervise starts a supervisor and waits for its server.
func (c *Cluster) supervise(ctx context.Context) error {
	cmd, socketDir, err := c.supervisor()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(logPath(c.o.Dir), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	messages, err := c.startSupervisor(cmd, log)
	if err != nil {
		return fmt.Errorf("starting the database's supervisor: %w", err)
	}
	fails := func(format string, args ...any) error {
		return fmt.Errorf("the private PostgreSQL server did not start: %s (its log: %s)", fmt.Sprintf(format, args...),
			log.Name())
	}
	line, err := next(ctx, messages, c.helloWithin)
	if line != hello {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it is not a supervisor, so nothing else would end it
		if err != nil && !errors.Is(err, errLate) {
			return err
		}
		program, _ := os.Executable() // for people; cmd.Path may be a link of the system's
		return fails("%s, started again, did not become its supervisor: %v", cmp.Or(c.program, program),
			cmp.Or(err, errSilent))
	}
	switch line, err = next(ctx, messages, readyWithin); {
	case errors.Is(err, errLate):
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		return fails("its supervisor did not answer: %v", err)
	case err != nil:
		return err // the server is still starting; its supervisor will stop it because it is unused
	case line == ready:
		c.socketDir = socketDir
		return nil
	case line == errTwoSupervisors.Error():
		return errTwoSupervisors
	}
	return fails("%s", cmp.Or(line, "its supervisor ended without a message"))
}

// startSupervisor starts cmd and returns the lines of its messages. The channel is closed after the last one.
func (c *Cluster) startSupervisor(cmd *exec.Cmd, log *os.File) (<-chan string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = log, log, []*os.File{w}
	if err := cmd.Start(); err != nil {
		r.Close()
		return nil, err
	}
	lines := make(chan string, 8)
	go func() {
		defer r.Close()
		for scan := bufio.NewScanner(r); scan.Scan(); {
			lines <- strings.TrimSpace(scan.Text())
		}
		close(lines)
		_ = cmd.Wait() // reap it whenever it ends
	}()
	return lines, nil
}

var (
	errLate   = errors.New("no answer")
	errSilent = errors.New("it ended or sent something else")
)

// next returns the next line, "" if there is none.
func next(ctx context.Context, lines <-chan string, within time.Duration) (string, error) {
	within = cmp.Or(within, helloWithin)
	select {
	case line := <-lines:
		return line, nil
	case <-time.After(within):
		return "", fmt.Errorf("%w within %v", errLate, within)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// supervisor returns the command that starts a supervisor, and the folder of its server's socket.
func (c *Cluster) supervisor() (cmd *exec.Cmd, socketDir string, err error) {
	base := c.o.Dir
	if c.account.Kind == accountOther {
		base = elsewhereDir(c.o.Dir)
	}
	if socketDir, err = chooseSocketDir(base, c.account); err != nil {
		return nil, "", err
	}
	if p, ok := findRunning(c.data); ok && p.SocketDir != "" {
		socketDir = p.SocketDir
	}
	text, err := json.Marshal(order{Dir: c.o.Dir, Data: c.data, SocketDir: socketDir, Bin: c.install.Bin,
		Account: c.account, Idle: c.o.Idle, Scratch: c.o.Scratch})
	if err != nil {
		return nil, "", err
	}
	self := c.program
	if self == "" {
		if self, err = ownBinary(); err != nil {
			return nil, "", err
		}
	}
	cmd = exec.Command(self)
	cmd.Args = []string{supervisorName}
	cmd.Dir = "/"
	cmd.Env = append(serverEnv(), superviseEnv+"="+string(text))
	if cover, ok := os.LookupEnv("GOCOVERDIR"); ok {
		cmd.Env = append(cmd.Env, "GOCOVERDIR="+cover)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd, socketDir, nil
}

// ownBinary returns a path that starts this program again, even if its file was replaced or removed, as by `go run`.
func ownBinary() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// lastLines returns the last n non-empty lines of s in one line.
func lastLines(s string, n int) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' })
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return oneLine(strings.Join(lines, " "))
}
