package kernel

import (
	"errors"
	"io"
	"os"
)

// Capture is never made on Windows, whose pipes cannot be asked whether they hold output.
type Capture struct{ File *os.File }

// NewCapture returns an error that says what to use instead.
func NewCapture(io.Writer) (*Capture, error) {
	return nil, errors.New("the kernel does not work on Windows, where it cannot capture what cells print; run it under WSL")
}

// Pending returns false.
func Pending(_, _ *Capture) bool { return false }

// Sync does nothing.
func (c *Capture) Sync() {}

// Closed returns false.
func (c *Capture) Closed() bool { return false }

// Close does nothing.
func (c *Capture) Close() {}
