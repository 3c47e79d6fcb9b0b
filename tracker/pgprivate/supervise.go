//go:build unix

package pgprivate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Every program that imports this package can be a supervisor. If it is started as one, main does not run.
func init() {
	text, ok := os.LookupEnv(superviseEnv)
	if !ok || len(os.Args) != 1 || os.Args[0] != supervisorName {
		return
	}
	if text == probeValue {
		os.Exit(0)
	}
	syscall.CloseOnExec(messageFD) // the server must not keep the starter's pipe open
	messages := os.NewFile(messageFD, "messages")
	tell(messages, hello)
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		fmt.Fprintln(os.Stderr, "spherelab supervisor: bad order:", err)
		os.Exit(2)
	}
	s := &supervisor{order: o, log: os.Stderr, messages: messages}
	if err := s.run(); err != nil {
		s.say("%v", err)
		tell(messages, oneLine(err.Error())) // read only until the server is ready
		os.Exit(1)
	}
	os.Exit(0)
}

// tell sends the starter a line. A killed starter does not read it.
func tell(messages io.Writer, line string) { _, _ = fmt.Fprintln(messages, line) }

// supervisor owns one server: it starts the server, and stops it when it has been unused for a while.
type supervisor struct {
	order
	log      io.Writer
	messages io.WriteCloser // to the starter
	ended    chan struct{}  // closed when the server process has ended
	pid      int
	since    int64 // where in the log the current start of the server begins
}

func (s *supervisor) say(format string, args ...any) {
	fmt.Fprintf(s.log, time.Now().UTC().Format("2006-01-02 15:04:05.000 UTC")+" [%d] supervisor: "+format+"\n",
		append([]any{os.Getpid()}, args...)...)
}

func (s *supervisor) run() error {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGPIPE)
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)

	lock, err := openLock(filepath.Join(s.Dir, "supervisor.lock"))
	if err != nil {
		return err
	}
	defer lock.Close()      // keeps the file, and so its lock, from being collected
	for try := 0; ; try++ { // a program that checks for a supervisor holds the lock for an instant
		ok, err := tryFlock(lock, unix.LOCK_EX)
		if ok {
			break
		}
		if err != nil || try == 50 {
			return cmp.Or(err, errTwoSupervisors)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := lock.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(lock, "%d\n", os.Getpid()) // for people who look
	}
	if err := s.start(); err != nil {
		return err
	}
	tell(s.messages, ready)
	_ = s.messages.Close() // so that the starter's pipe ends
	if !s.Scratch {
		go syscall.Sync() // initialise did not wait for the disk
	}
	return s.watch(terminate)
}

// start runs the server, or adopts a running one whose supervisor was killed, and waits until it accepts connections.
func (s *supervisor) start() error {
	s.ended = make(chan struct{})
	deadline := time.Now().Add(2 * time.Minute) // crash recovery may take long
	if p, ok := findRunning(s.Data); ok {
		s.say("taking over server %d", p.PID)
		s.pid = p.PID
		go func() {
			for p.alive(s.Data) {
				time.Sleep(100 * time.Millisecond)
			}
			close(s.ended)
		}()
		// A server that is ending because its supervisor was killed is replaced.
		if err := s.waitReady(deadline); !errors.Is(err, errEnded) {
			return err
		}
		s.ended = make(chan struct{})
	}
	for {
		if err := disown(s.Data); err != nil {
			return err
		}
		if err := freeSocket(s.SocketDir); err != nil {
			return err
		}
		if err := s.spawn(); err != nil {
			return err
		}
		err := s.waitReady(deadline)
		if err == nil {
			return nil
		}
		// The children of a killed server take a moment to end. Until then its memory counts as used.
		if !errors.Is(err, errEnded) || time.Now().After(deadline) ||
			!strings.Contains(logSince(s.Dir, s.since), "still in use") {
			return err
		}
		if err := os.Truncate(logPath(s.Dir), 0); err != nil {
			return err
		}
		s.ended = make(chan struct{})
		time.Sleep(50 * time.Millisecond)
	}
}

func (s *supervisor) spawn() error {
	cmd := exec.Command(filepath.Join(s.Bin, "postgres"), "-D", s.Data,
		"-c", "unix_socket_directories="+s.SocketDir, "-c", "unix_socket_permissions=0700", "-c", "listen_addresses=",
		"-p", fmt.Sprint(clusterPort))
	cmd.Dir = "/"
	cmd.Env = serverEnv()
	cmd.Stdout, cmd.Stderr = s.log, s.log
	cmd.SysProcAttr = s.Account.attributes()
	cmd.SysProcAttr.Setpgid = true
	endWithParent(cmd.SysProcAttr, syscall.SIGINT) // a fast shutdown
	if info, err := os.Stat(logPath(s.Dir)); err == nil {
		s.since = info.Size()
	}
	started, ended := make(chan error, 1), s.ended
	go func() {
		runtime.LockOSThread() // for the system a child's parent is a thread, which has to live as long as the child
		if err := cmd.Start(); err != nil {
			started <- fmt.Errorf("starting %s: %w", cmd.Path, err)
			return
		}
		started <- nil
		err := cmd.Wait()
		s.say("server %d ended: %v", cmd.Process.Pid, err)
		close(ended)
	}()
	if err := <-started; err != nil {
		return err
	}
	s.pid = cmd.Process.Pid
	return nil
}

var errEnded = errors.New("the server ended")

func (s *supervisor) waitReady(deadline time.Time) error {
	for {
		select {
		case <-s.ended:
			return fmt.Errorf("%w: %s", errEnded, logTail(s.Dir, s.since))
		case <-time.After(5 * time.Millisecond):
		}
		if p, ok := findRunning(s.Data); ok && p.PID == s.pid && p.Ready {
			return nil
		}
		if time.Now().After(deadline) {
			s.stop()
			return fmt.Errorf("the server was not ready in time: %s", logTail(s.Dir, s.since))
		}
	}
}

// watch stops the server when it has been unused for Idle, and returns when it has ended.
func (s *supervisor) watch(terminate <-chan os.Signal) error {
	users, err := openLock(filepath.Join(s.Dir, "users.lock"))
	if err != nil {
		s.stop()
		return err
	}
	for {
		free := make(chan error, 1)
		go func() { // waits, without polling, until none of our programs uses the server
			err := unix.Flock(int(users.Fd()), unix.LOCK_EX)
			for errors.Is(err, unix.EINTR) {
				err = unix.Flock(int(users.Fd()), unix.LOCK_EX)
			}
			if err == nil {
				err = unix.Flock(int(users.Fd()), unix.LOCK_UN)
			}
			free <- err
		}()
		select {
		case <-s.ended:
			return nil
		case <-terminate:
			s.say("ended by a signal")
			s.stop()
			return nil
		case err := <-free:
			if err != nil {
				s.stop()
				return fmt.Errorf("watching the users: %w", err)
			}
		}
		clients, err := newActivity(s.SocketDir)
		if err != nil {
			s.stop()
			return err
		}
		done, err := s.waitUnused(users, clients, terminate)
		clients.close()
		if done || err != nil {
			return err
		}
	}
}

// waitUnused waits until the server is unused and stops it; done is false if a program of ours uses it again.
func (s *supervisor) waitUnused(users *os.File, clients *activity, terminate <-chan os.Signal) (done bool, err error) {
	look := max(10*time.Millisecond, s.Idle/10) // 3 s is the delay with which a client's end is noticed
	failed := false
	for {
		_, err := clients.hasClient()
		if err != nil && !failed {
			s.say("%v", err)
			failed = true
		}
		wait := time.Until(s.unusedAt(users, clients))
		select {
		case <-s.ended:
			return true, nil
		case <-terminate:
			s.stop()
			return true, nil
		case <-time.After(min(look, max(0, wait)+10*time.Millisecond)):
		}
		if wait > look {
			continue
		}
		stopped, used, err := s.stopIfUnused(users, clients)
		if stopped || err != nil {
			return true, err
		}
		if used {
			return false, nil
		}
	}
}

// unusedAt returns when the server will have been unused for Idle, if nothing uses it from now on.
func (s *supervisor) unusedAt(users *os.File, clients *activity) time.Time {
	at := stayUntil(s.Dir)
	last := clients.seen
	if info, err := users.Stat(); err == nil && info.ModTime().After(last) && info.ModTime().Before(time.Now()) {
		last = info.ModTime()
	}
	if unused := last.Add(s.Idle); unused.After(at) {
		at = unused
	}
	return at
}

// stopIfUnused stops the server unless it is used, has been used since, or is about to be; used reports whether it is a
// program of ours that uses it.
func (s *supervisor) stopIfUnused(users *os.File, clients *activity) (stopped, used bool, err error) {
	start, err := openLock(filepath.Join(s.Dir, "start.lock"))
	if err != nil {
		return false, false, err
	}
	defer start.Close()
	if ok, err := tryFlock(start, unix.LOCK_EX); err != nil || !ok {
		time.Sleep(20 * time.Millisecond)
		return false, false, err
	}
	if ok, err := tryFlock(users, unix.LOCK_EX); err != nil || !ok {
		return false, true, err
	}
	defer func() { _ = unix.Flock(int(users.Fd()), unix.LOCK_UN) }()
	_, _ = clients.hasClient() // a server that no longer answers is not used
	if time.Now().Before(s.unusedAt(users, clients)) {
		return false, false, nil
	}
	clients.close()
	s.stop()
	if s.Scratch {
		s.removeAll()
	}
	return true, false, nil
}

// stop ends the server: fast shutdown first, then harder.
func (s *supervisor) stop() {
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGINT, 30 * time.Second}, {syscall.SIGQUIT, 10 * time.Second}, {syscall.SIGKILL, 5 * time.Second}} {
		if err := syscall.Kill(s.pid, step.signal); errors.Is(err, syscall.ESRCH) {
			return
		}
		select {
		case <-s.ended:
			return
		case <-time.After(step.wait):
		}
	}
}

// removeAll deletes a scratch cluster. It only touches folders that hold a cluster.
func (s *supervisor) removeAll() {
	if !exists(filepath.Join(s.Data, "PG_VERSION")) {
		return
	}
	for _, dir := range []string{s.Data, s.SocketDir, s.Dir} {
		if err := os.RemoveAll(dir); err != nil {
			s.say("removing %s: %v", dir, err)
		}
	}
	if s.Account.Kind == accountOther {
		if err := os.RemoveAll(filepath.Dir(s.Data)); err != nil {
			s.say("removing %s: %v", filepath.Dir(s.Data), err)
		}
	}
}
