package compile

import (
	"errors"
	"fmt"
	"go/types"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// natives are the functions that need more than a call: they block, or look into values of cells.
func natives() map[string]Native {
	all := map[string]Native{
		"fmt.Print": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return written(fmt.Print(c.printer().Text(a[0].Interface().([]any))))
		},
		"fmt.Println": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return written(fmt.Println(c.printer().Args(a[0].Interface().([]any))...))
		},
		"fmt.Sprint": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(c.printer().Text(a[0].Interface().([]any)))}
		},
		"fmt.Sprintln": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(fmt.Sprintln(c.printer().Args(a[0].Interface().([]any))...))}
		},
		"fmt.Fprint": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return written(fmt.Fprint(a[0].Interface().(io.Writer), c.printer().Text(a[1].Interface().([]any))))
		},
		"fmt.Fprintln": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return written(fmt.Fprintln(a[0].Interface().(io.Writer), c.printer().Args(a[1].Interface().([]any))...))
		},
		"fmt.Append": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			text := c.printer().Text(a[1].Interface().([]any))
			return []reflect.Value{reflect.ValueOf(fmt.Append(a[0].Bytes(), text))}
		},
		"fmt.Appendln": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			args := c.printer().Args(a[1].Interface().([]any))
			return []reflect.Value{reflect.ValueOf(fmt.Appendln(a[0].Bytes(), args...))}
		},
		"fmt.Appendf": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			format, args := c.printer().Format(a[1].String(), a[2].Interface().([]any))
			return []reflect.Value{reflect.ValueOf(fmt.Appendf(a[0].Bytes(), format, args...))}
		},
		"fmt.Printf": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			format, args := c.printer().Format(a[0].String(), a[1].Interface().([]any))
			return written(fmt.Printf(format, args...))
		},
		"fmt.Sprintf": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			format, args := c.printer().Format(a[0].String(), a[1].Interface().([]any))
			return []reflect.Value{reflect.ValueOf(fmt.Sprintf(format, args...))}
		},
		"fmt.Errorf": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			format, args := c.printer().Format(a[0].String(), a[1].Interface().([]any))
			return []reflect.Value{reflect.ValueOf(fmt.Errorf(format, args...))}
		},
		"fmt.Fprintf": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			format, args := c.printer().Format(a[1].String(), a[2].Interface().([]any))
			return written(fmt.Fprintf(a[0].Interface().(io.Writer), format, args...))
		},
		"errors.As":         asNative,
		"errors.Is":         isNative,
		"reflect.DeepEqual": deepNative,
		"maps.clone":        clone,

		"(*sync.RWMutex).RLocker": readLockerNative,
		"(*sync.WaitGroup).Go":    waitGroupGo,
		"time.Sleep":              sleep,
		"show·.show·":             show,
	}
	maps.Copy(all, jsonNatives())
	maps.Copy(all, exitNatives())
	maps.Copy(all, flagNatives())
	maps.Copy(all, textFlags())
	return all
}

// sleep ends when the cell is interrupted.
func sleep(_ *Compiler, frame unsafe.Pointer, args []reflect.Value) []reflect.Value {
	t := time.NewTimer(time.Duration(args[0].Int()))
	defer t.Stop()
	select {
	case <-t.C:
	case <-run.HeadOf(frame).G.Ends():
		run.Check(frame)
	}
	return nil
}

// clone is the part of maps.Clone that is not Go.
func clone(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
	given := reflect.ValueOf(a[0].Interface())
	from, to := reflect.New(given.Type()), reflect.New(given.Type())
	from.Elem().Set(given)
	rt := under(given.Type()) // the map of a cell's type lies in a struct
	m, out := reflect.NewAt(rt, from.UnsafePointer()).Elem(), reflect.NewAt(rt, to.UnsafePointer()).Elem()
	looking(c.crowd, m.UnsafePointer(), iteratesWritten, func() {
		out.Set(reflect.MakeMapWithSize(rt, m.Len()))
		for it := m.MapRange(); it.Next(); {
			out.SetMapIndex(it.Key(), it.Value())
		}
	})
	return []reflect.Value{to.Elem()}
}

// printed is a value as the predeclared print writes it.
func printed(v any) string {
	const most = 128 // bits
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, most/2)
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, most/4)
	case complex128:
		return strconv.FormatComplex(v, 'g', -1, most)
	case complex64:
		return strconv.FormatComplex(complex128(v), 'g', -1, most/2)
	}
	if rv := reflect.ValueOf(v); rv.IsValid() {
		switch rv.Kind() {
		case reflect.Pointer, reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func:
			return fmt.Sprintf("%#x", rv.Pointer())
		case reflect.Slice:
			return fmt.Sprintf("[%d/%d]%#x", rv.Len(), rv.Cap(), rv.Pointer())
		}
	}
	return fmt.Sprint(v)
}

// show gives the value of a cell's last expression to the session.
func show(c *Compiler, _ unsafe.Pointer, args []reflect.Value) []reflect.Value {
	c.Show(args[0].Interface().([]any))
	return nil
}

func (c *Compiler) printer() *bridge.Printer { return &bridge.Printer{S: c, Types: c.Types} }

func written(n int, err error) []reflect.Value {
	return []reflect.Value{reflect.ValueOf(n), reflect.ValueOf(&err).Elem()}
}

// asNative is errors.As for errors of cells: compiled code sees their proxies.
func asNative(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
	err, _ := a[0].Interface().(error)
	return []reflect.Value{reflect.ValueOf(c.as(err, a[1].Interface()))}
}

// isNative is errors.Is: a proxy can be compared even if the cell's error that it stands for cannot.
func isNative(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
	err, _ := a[0].Interface().(error)
	target, _ := a[1].Interface().(error)
	var is bool
	if v := c.unwrap(target); v == nil || reflect.TypeOf(v).Comparable() {
		is = errors.Is(err, target)
	} else {
		is = says(err, target)
	}
	return []reflect.Value{reflect.ValueOf(is)}
}

// says looks for an error whose own method Is says that it is the target.
func says(err, target error) bool {
	for err != nil {
		if is, ok := err.(interface{ Is(error) bool }); ok && is.Is(target) {
			return true
		}
		switch next := err.(type) {
		case interface{ Unwrap() error }:
			err = next.Unwrap()
		case interface{ Unwrap() []error }:
			return slices.ContainsFunc(next.Unwrap(), func(e error) bool { return says(e, target) })
		default:
			return false
		}
	}
	return false
}

func (c *Compiler) as(err error, target any) bool {
	to := reflect.ValueOf(target)
	if err == nil || target == nil || to.Kind() != reflect.Pointer || to.IsNil() {
		return errors.As(err, target) // which panics with Go's own words
	}
	want := to.Type().Elem()
	typ, known := c.Types.Back(want)
	fails := want.Kind() == reflect.Interface || want.Implements(reflect.TypeFor[error]())
	if !fails && (!known || !types.IsInterface(typ) && c.missing(want, types.Universe.Lookup("error").Type()) != "") {
		panic("errors: *target must be interface or implement error")
	}
	for err != nil {
		v := c.unwrap(err)
		switch {
		case reflect.TypeOf(v) == want:
			to.Elem().Set(reflect.ValueOf(v))
			return true
		case known && types.IsInterface(typ) && c.missing(reflect.TypeOf(v), typ) == "":
			c.setter(typ)(to.UnsafePointer(), v)
			return true
		case !known && want.Kind() == reflect.Interface && reflect.TypeOf(err).Implements(want):
			to.Elem().Set(reflect.ValueOf(err))
			return true
		}
		if as, ok := err.(interface{ As(any) bool }); ok && as.As(target) {
			return true
		}
		switch next := err.(type) {
		case interface{ Unwrap() error }:
			err = next.Unwrap()
		case interface{ Unwrap() []error }:
			for _, e := range next.Unwrap() {
				if e != nil && c.as(e, target) {
					return true
				}
			}
			return false
		default:
			return false
		}
	}
	return false
}

// Text is a value as fmt.Sprint gives it to compiled Go.
func (c *Compiler) Text(v any) string { return c.printer().Text([]any{v}) }

// Methods lists the exported methods of a type of cells with their signatures.
func (c *Compiler) Methods(rt reflect.Type) map[string]string {
	if typ, ok := c.Types.Back(rt); ok && c.hasCell(typ) {
		return c.methodNames(rt, typ)
	}
	return nil
}

// MethodsOf lists the exported methods of a value whose type a cell declares.
func (c *Compiler) MethodsOf(v any) map[string]string { return c.Methods(reflect.TypeOf(v)) }

// Dynamic reads what an interface of a type holds.
func (c *Compiler) Dynamic(p unsafe.Pointer, typ types.Type) any { return c.asAny(typ)(p) }
