package pgprivate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// superviseEnv turns a start of this program into a supervisor; its value is an order or probeValue.
const (
	superviseEnv = "SPHERELAB_PG_SUPERVISE"
	probeValue   = "probe"
)

// order is what the supervisor has to do.
type order struct {
	Dir       string
	Data      string
	SocketDir string
	Bin       string
	Account   account
	Idle      time.Duration
	Scratch   bool
}

// supervised reports whether a supervisor watches the server of dir.
func supervised(dir string) bool {
	f, err := openLock(filepath.Join(dir, "supervisor.lock"))
	if err != nil {
		return false
	}
	defer f.Close()
	free, err := tryFlock(f, unix.LOCK_EX)
	return err == nil && !free
}

// errTwoSupervisors is what a supervisor says that finds another one.
var errTwoSupervisors = errors.New("another supervisor is at work")

// launch starts a supervisor and waits until the server answers. The supervisor starts the server, or takes over one
// that lost its supervisor. The caller holds c.mu and start.lock.
func (c *Cluster) launch(ctx context.Context) error {
	for {
		// A supervisor that is there ends soon, because its server died; or it starts the server for a program that was
		// killed meanwhile.
		for supervised(c.o.Dir) {
			if c.join() {
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
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
	p, ok := running(c.data)
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
	cmd.Stderr = log
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the database's supervisor: %w", err)
	}
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(pipe).ReadString('\n')
		if err != nil && err != io.EOF {
			line = err.Error()
		}
		answer <- strings.TrimSpace(line)
		_ = cmd.Wait() // reap it whenever it ends
	}()
	select {
	case line := <-answer:
		switch line {
		case "ready":
			c.socketDir = socketDir
			return nil
		case errTwoSupervisors.Error():
			return errTwoSupervisors
		case "":
			line = "the supervisor ended without a message; does main call pgprivate.MaybeSupervise first?"
		}
		return fmt.Errorf("the private PostgreSQL server did not start: %s (its log: %s)", line, log.Name())
	case <-ctx.Done():
		return ctx.Err() // the server still starts; its supervisor stops it because it is unused
	}
}

// supervisor is the command that starts one, and the folder of its server's socket.
func (c *Cluster) supervisor() (cmd *exec.Cmd, socketDir string, err error) {
	base := c.o.Dir
	if c.account.Kind == accountOther {
		base = elsewhereDir(c.o.Dir)
	}
	if socketDir, err = chooseSocketDir(base, c.account); err != nil {
		return nil, "", err
	}
	if p, ok := running(c.data); ok && p.SocketDir != "" {
		socketDir = p.SocketDir
	}
	text, err := json.Marshal(order{Dir: c.o.Dir, Data: c.data, SocketDir: socketDir, Bin: c.install.Bin,
		Account: c.account, Idle: c.o.Idle, Scratch: c.o.Scratch})
	if err != nil {
		return nil, "", err
	}
	self, err := ownBinary()
	if err != nil {
		return nil, "", err
	}
	cmd = exec.Command(self)
	cmd.Args = []string{"spherelab-postgres-supervisor"}
	cmd.Dir = "/"
	cmd.Env = append(serverEnv(), superviseEnv+"="+string(text))
	if cover, ok := os.LookupEnv("GOCOVERDIR"); ok {
		cmd.Env = append(cmd.Env, "GOCOVERDIR="+cover)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd, socketDir, nil
}

// ownBinary is a path that starts this program again even if its file was replaced or removed, as `go run` does.
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
