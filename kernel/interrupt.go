package kernel

import (
	"context"
	"os"
)

// errNotBegun is the error of a cell that was interrupted before it ran.
var errNotBegun = &CellError{Name: "Interrupted", Value: "the cell was interrupted before it began"}

// interrupt ends the running cell. Between two cells it ends the next one, if that is already waiting; otherwise it
// does nothing. If a cell continues nevertheless, the engine, which knows where the cell is, tells the user.
func (s *server) interrupt() {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	c := s.state.running
	if c == nil {
		s.state.interruptNext()
		return
	}
	s.out.release() // also while only the cell's output is being sent
	s.iopub.Wake()
	if c.isEvaluated {
		s.state.interruptNext()
		return
	}
	c.cancel(ErrInterrupted)
	s.engine.Interrupt() // under the lock: the cell is still the running one
	c.isInterrupted = true
}

// watchSignals makes SIGINT interrupt the running cell (Jupyter sends it with interrupt_mode signal, a terminal on
// Ctrl-C). Any other signal shuts the kernel down.
func (s *server) watchSignals(ctx context.Context, signals <-chan os.Signal) {
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
