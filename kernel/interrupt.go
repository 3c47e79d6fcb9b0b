package kernel

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// errNotBegun is how a cell ends that was interrupted before it ran.
var errNotBegun = &CellError{Name: "Interrupted", Value: "the cell was interrupted before it began"}

// interrupt ends the running cell. Between two cells it ends the next one, if that waits already; otherwise it does nothing. That a cell goes on all the same
// is for the engine to say, which knows where it is.
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
	c.interrupted = true
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
