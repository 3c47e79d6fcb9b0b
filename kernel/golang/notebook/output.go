package notebook

import (
	"io"
	"os"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// output is where a cell and its goroutines print. What interpreted code prints is passed on at once, in the order of
// both streams. Compiled code and child processes write to the captured files. If some of their output waits, it is
// passed on first, so that it comes before what is printed later. The order between the two files is known only if the
// reader has read one before the other was written.
type output struct {
	io       kernel.IO // of the cell
	captured [2]*kernel.Capture
	writers  [2]io.Writer
}

var _ run.Output = (*output)(nil)

// output is that of the cell that runs now.
func (e *Engine) output() *output {
	o := &output{io: e.io.Bind(), captured: [2]*kernel.Capture{e.stdout, e.stderr}}
	for i, w := range []io.Writer{o.io.Stdout(), o.io.Stderr()} {
		o.writers[i] = &stream{o, o.captured[i], w}
	}
	return o
}

// Stream implements run.Output.
func (o *output) Stream(f *os.File) io.Writer {
	for i, c := range o.captured {
		if f == c.File {
			return o.writers[i]
		}
	}
	return nil
}

// drain passes on what was written to the captured files.
func (o *output) drain() {
	if kernel.Pending(o.captured[0], o.captured[1]) {
		o.captured[0].Sync()
		o.captured[1].Sync()
	}
}

// stream is standard output or error of one cell.
type stream struct {
	*output
	captured *kernel.Capture
	to       io.Writer
}

func (s *stream) Write(p []byte) (int, error) {
	if s.captured.Closed() {
		return s.captured.File.Write(p) // the error of a closed file
	}
	s.drain()
	return s.to.Write(p)
}

// here returns the output of the cell that the calling goroutine belongs to, otherwise that of the running cell.
func (e *Engine) here() kernel.IO {
	if o, ok := run.OutputHere().(*output); ok {
		return o.io
	}
	return e.io
}

// logs is where package log writes, on whatever goroutine.
type logs struct{ file *os.File }

func (l logs) Write(p []byte) (int, error) {
	if o := run.OutputHere(); o != nil {
		if w := o.Stream(l.file); w != nil {
			return w.Write(p)
		}
	}
	return l.file.Write(p)
}
