package kernel

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stubborn is after how long the user is told that an interrupted cell still runs.
const stubborn = 3 * time.Second

// errNotBegun is how a cell ends that was interrupted before it ran.
var errNotBegun = &CellError{Name: "Interrupted", Value: "the cell was interrupted before it began"}

// interrupt ends the running cell. Between two cells it ends the next one, if that waits already; otherwise it does nothing.
func (s *server) interrupt() {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	c := s.state.running
	if c == nil {
		s.state.interruptNext()
		return
	}
	s.out.release() // also when only the cell's output is still being sent
	s.iopub.wake()
	if c.evaluated {
		s.state.interruptNext()
		return
	}
	c.cancel(ErrInterrupted)
	s.engine.Interrupt() // under the lock: the cell is still the running one
	if c.interrupted {
		return
	}
	c.interrupted = true
	time.AfterFunc(stubborn, func() {
		s.state.mu.Lock()
		still := s.state.running == c
		s.state.mu.Unlock()
		if still {
			_ = s.publish(outgoing{msgType: "stream", parent: c.rawHeader, content: map[string]any{"name": "stderr", "text": fmt.Sprintf(
				"The cell was interrupted %v ago and still runs: it waits in compiled code that heeds no context, for example for a channel. Restart the kernel to end it.\n",
				stubborn)}}, false)
		}
	})
}

// watchSignals makes SIGINT interrupt the running cell, as Jupyter does with interrupt_mode signal and a terminal with Ctrl-C, and SIGTERM and SIGHUP end the
// kernel in good order.
func (s *server) watchSignals(ctx context.Context) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	for {
		select {
		case sig := <-signals:
			if sig == os.Interrupt {
				s.interrupt()
			} else {
				s.stop("signal " + sig.String())
			}
		case <-ctx.Done():
			return
		}
	}
}
