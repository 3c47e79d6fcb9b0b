package native

import (
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/dynamic"
	"github.com/spherelab/spherelab/kernel/golang/compile/guard"
	"github.com/spherelab/spherelab/kernel/golang/compile/lock"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// natives are the functions that need more than a call: they block, or look into values of cells.
func natives() map[string]function {
	all := map[string]function{
		"fmt.Print": func(s *Session, frame unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return writeResult(fmt.Fprint(stream(frame, os.Stdout), s.printer().Text(a[0].Interface().([]any))))
		},
		"fmt.Println": func(s *Session, frame unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return writeResult(fmt.Fprintln(stream(frame, os.Stdout), s.printer().Args(a[0].Interface().([]any))...))
		},
		"fmt.Fprint": func(s *Session, frame unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return writeResult(fmt.Fprint(stream(frame, a[0].Interface()), s.printer().Text(a[1].Interface().([]any))))
		},
		"fmt.Fprintln": func(s *Session, frame unsafe.Pointer, a []reflect.Value) []reflect.Value {
			args := s.printer().Args(a[1].Interface().([]any))
			return writeResult(fmt.Fprintln(stream(frame, a[0].Interface()), args...))
		},
		"fmt.Append": func(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			text := s.printer().Text(a[1].Interface().([]any))
			return []reflect.Value{reflect.ValueOf(fmt.Append(a[0].Bytes(), text))}
		},
		"fmt.Appendln": func(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			args := s.printer().Args(a[1].Interface().([]any))
			return []reflect.Value{reflect.ValueOf(fmt.Appendln(a[0].Bytes(), args...))}
		},
		"fmt.Appendf": func(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			format, args := s.printer().Format(a[1].String(), a[2].Interface().([]any))
			return []reflect.Value{reflect.ValueOf(fmt.Appendf(a[0].Bytes(), format, args...))}
		},
		"fmt.Printf": func(s *Session, frame unsafe.Pointer, a []reflect.Value) []reflect.Value {
			format, args := s.printer().Format(a[0].String(), a[1].Interface().([]any))
			return writeResult(fmt.Fprintf(stream(frame, os.Stdout), format, args...))
		},
		"fmt.Fprintf": func(s *Session, frame unsafe.Pointer, a []reflect.Value) []reflect.Value {
			format, args := s.printer().Format(a[1].String(), a[2].Interface().([]any))
			return writeResult(fmt.Fprintf(stream(frame, a[0].Interface()), format, args...))
		},
		"(*os.File).Write": func(_ *Session, frame unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return writeResult(stream(frame, a[0].Interface()).Write(a[1].Bytes()))
		},
		"(*os.File).WriteString": func(_ *Session, frame unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return writeResult(io.WriteString(stream(frame, a[0].Interface()), a[1].String()))
		},
		"errors.As":         asNative,
		"reflect.DeepEqual": deepNative,
		"maps.clone":        clone,

		"(*sync.RWMutex).RLocker": func(_ *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			l := lock.ReadLocker(a[0].Interface().(*sync.RWMutex))
			return []reflect.Value{reflect.ValueOf(&l).Elem()}
		},
		"(*sync.WaitGroup).Go": func(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			lock.Go(a[0].Interface().(*sync.WaitGroup), s.Crowd, a[1].Interface().(func()))
			return nil
		},
		"time.Sleep":  sleep,
		"show·.show·": show,
	}
	maps.Copy(all, jsonNatives())
	maps.Copy(all, exitNatives())
	maps.Copy(all, flagNatives())
	return all
}

// stream returns the writer w, or the output of the goroutine's cell instead of standard output and error.
func stream(frame unsafe.Pointer, w any) io.Writer {
	return run.HeadOf(frame).G.Writer(w.(io.Writer))
}

// sleep ends when the cell is interrupted.
func sleep(_ *Session, frame unsafe.Pointer, args []reflect.Value) []reflect.Value {
	t := time.NewTimer(time.Duration(args[0].Int()))
	defer t.Stop()
	select {
	case <-t.C:
	case <-run.HeadOf(frame).G.Done():
		run.Check(frame)
	}
	return nil
}

// clone is the part of maps.Clone that is not Go.
func clone(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
	given := reflect.ValueOf(a[0].Interface())
	from, to := reflect.New(given.Type()), reflect.New(given.Type())
	from.Elem().Set(given)
	rt := layout.Unwrapped(given.Type()) // a map of a cell's type is wrapped in a struct
	m, out := reflect.NewAt(rt, from.UnsafePointer()).Elem(), reflect.NewAt(rt, to.UnsafePointer()).Elem()
	guard.Read(s.Crowd, m.UnsafePointer(), guard.IteratesWritten, func() {
		out.Set(reflect.MakeMapWithSize(rt, m.Len()))
		for it := m.MapRange(); it.Next(); {
			out.SetMapIndex(it.Key(), it.Value())
		}
	})
	return []reflect.Value{to.Elem()}
}

// show passes the value of a cell's last expression to the session.
func show(s *Session, _ unsafe.Pointer, args []reflect.Value) []reflect.Value {
	s.Show(args[0].Interface().([]any))
	return nil
}

func writeResult(n int, err error) []reflect.Value {
	return []reflect.Value{reflect.ValueOf(n), reflect.ValueOf(&err).Elem()}
}

// New returns what the calls of compiled functions need.
func New(values *dynamic.Values, library Functions) *Session {
	return &Session{Values: values, library: library, natives: natives()}
}
