package kernel

import (
	"context"
	"os"
	"strconv"
	"time"
)

// parentPoll is how often the kernel checks that its parent is alive.
const parentPoll = time.Second

// parent is the process that started the kernel. A wrapper script may have started the kernel; then pid is a
// grandparent.
type parent struct {
	pid       int
	isVisible bool // false if pid is in another name space
	direct    int  // the process that really is the kernel's parent
}

// findParent returns the process that Jupyter put into the environment variable JPY_PARENT_PID, or the one with the id
// pid if that is not 0. It is nil if there is none or pid is negative.
func findParent(pid int) *parent {
	if pid == 0 {
		pid, _ = strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	}
	if pid <= 0 {
		return nil
	}
	return &parent{pid: pid, isVisible: exists(pid), direct: os.Getppid()}
}

// hasEnded reports whether the parent, or the grandparent, has ended.
func (p *parent) hasEnded() bool { return os.Getppid() != p.direct || p.isVisible && !exists(p.pid) }

// watchParent ends the kernel when the process that started it has ended, since nothing else would.
func (s *server) watchParent(ctx context.Context, p *parent) {
	tick := time.NewTicker(parentPoll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if p.hasEnded() {
			s.stop("the parent process is gone")
			return
		}
	}
}
