package native

import (
	"io"
	"os"
	"reflect"
	"slices"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

var (
	writerType  = reflect.TypeFor[io.Writer]()
	writersType = reflect.TypeFor[[]io.Writer]()
)

// late replaces standard output or error if compiled code gets it as a writer: an encoder, a logger or a buffer. What
// is written is output of the cell whose goroutine writes.
type late struct{ *os.File }

func (l late) Write(p []byte) (int, error) { return l.writer().Write(p) }

// WriteString is a Write: that of the file would go past the cell.
func (l late) WriteString(s string) (int, error) { return io.WriteString(l.writer(), s) }

// ReadFrom does not use the file's method, for the same reason.
func (l late) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{l.writer()}, r)
}

func (l late) writer() io.Writer {
	if o := run.OutputHere(); o != nil {
		if w := o.Stream(l.File); w != nil {
			return w
		}
	}
	return l.File
}

// lateWriter is a writer as compiled code gets it.
func lateWriter(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && f != nil && (f == os.Stdout || f == os.Stderr) {
		return late{f}
	}
	return w
}

// lateOf is lateWriter for an argument.
func lateOf(w reflect.Value) reflect.Value {
	out := lateWriter(*w.Addr().Interface().(*io.Writer))
	return reflect.ValueOf(&out).Elem()
}

// allLate are the writers of a list, as io.MultiWriter takes them.
func allLate(list reflect.Value) reflect.Value {
	out := slices.Clone(list.Interface().([]io.Writer))
	for i, w := range out {
		out[i] = lateWriter(w)
	}
	return reflect.ValueOf(out)
}

// restoreFile replaces a late writer that compiled code returns to a cell with its file.
func restoreFile(w *io.Writer) {
	if l, ok := (*w).(late); ok {
		*w = l.File
	}
}
