package kernel

import (
	"context"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

// parentPoll is how often the kernel looks whether its parent lives.
const parentPoll = time.Second

// parentFromEnvironment is the process that Jupyter says started the kernel, 0 for none.
func parentFromEnvironment() int {
	pid, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	if err != nil || pid <= 0 {
		return 0
	}
	return pid
}

// watchParent ends the kernel when the process that started it is gone: nobody could ever stop it otherwise. pid may be a grandparent, when a wrapper script
// starts the kernel; then both are watched, unless pid is of another name space and cannot be seen.
func (s *server) watchParent(ctx context.Context, pid int) {
	direct := os.Getppid()
	visible := exists(pid)
	tick := time.NewTicker(parentPoll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if os.Getppid() != direct || visible && !exists(pid) {
			s.stop("the parent process is gone")
			return
		}
	}
}

// exists reports whether a process with this id exists, whoever owns it.
func exists(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
