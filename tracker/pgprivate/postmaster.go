//go:build unix

package pgprivate

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clusterPort is the number in the socket's file name. The server does not listen on a TCP port.
const clusterPort = 5432

// postmaster is what a server writes about itself into postmaster.pid.
type postmaster struct {
	PID       int
	SocketDir string
	Ready     bool
}

// readPostmaster reads data/postmaster.pid. A dead server leaves its file, so the caller has to check alive.
func readPostmaster(data string) (postmaster, error) {
	b, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return postmaster{}, err
	}
	lines := strings.Split(string(b), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil {
		return postmaster{}, errors.New("postmaster.pid has no process id")
	}
	p := postmaster{PID: pid}
	if len(lines) > 4 {
		p.SocketDir = strings.TrimSpace(lines[4])
	}
	if len(lines) > 7 {
		p.Ready = strings.TrimSpace(lines[7]) == "ready"
	}
	return p, nil
}

// alive reports whether p is a running server on data, and not another process that got its number later.
func (p postmaster) alive(data string) bool {
	if p.PID <= 1 {
		return false
	}
	if err := syscall.Kill(p.PID, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	if runtime.GOOS == "linux" {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/stat")
		if err != nil {
			return false
		}
		if i := strings.LastIndexByte(string(status), ')'); i >= 0 && strings.HasPrefix(string(status)[i+1:], " Z") {
			return false // a zombie: it ended, but its parent has not noticed yet
		}
		// a server's working directory is its data directory
		cwd, err := os.Readlink("/proc/" + strconv.Itoa(p.PID) + "/cwd")
		if err != nil {
			return errors.Is(err, os.ErrPermission)
		}
		here, err1 := os.Stat(data)
		there, err2 := os.Stat("/proc/" + strconv.Itoa(p.PID) + "/cwd")
		return cwd == data || (err1 == nil && err2 == nil && os.SameFile(here, there))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ps", "-o", "command=", "-p", strconv.Itoa(p.PID)).Output()
	return err == nil && strings.Contains(string(out), "postgres")
}

// findRunning returns the live server of data, if there is one.
func findRunning(data string) (postmaster, bool) {
	p, err := readPostmaster(data)
	if err != nil || !p.alive(data) {
		return postmaster{}, false
	}
	return p, true
}

// disown changes the file that a dead server left, so that PostgreSQL starts. Another process may have the file's
// process id by now, and PostgreSQL would take it for a living server. PostgreSQL ignores a file that names its own
// parent, so the caller, which is about to start the server, writes its own process id. The file is not removed,
// because by the rest of it PostgreSQL finds children of the dead server that still use its memory.
func disown(data string) error {
	path := filepath.Join(data, "postmaster.pid")
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, rest, ok := strings.Cut(string(b), "\n")
	if !ok {
		return os.Remove(path) // torn by a crash
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"+rest), info.Mode().Perm())
}

// freeSocket removes the lock of the socket that a dead server left. PostgreSQL does not replace the lock if it is
// empty, as after a kill between its creation and its first line, or if it names the process id of another process.
// Only this cluster uses the folder, and the caller has checked that its server is dead.
func freeSocket(dir string) error {
	err := os.Remove(filepath.Join(dir, ".s.PGSQL."+strconv.Itoa(clusterPort)+".lock"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
