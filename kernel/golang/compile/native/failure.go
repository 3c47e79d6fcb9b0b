package native

import (
	"errors"
	"go/types"
	"reflect"
	"unsafe"
)

// asNative is errors.As for errors of cells: the target may be an interface of cells, which reflection shows without
// methods.
func asNative(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
	err, _ := a[0].Interface().(error)
	return []reflect.Value{reflect.ValueOf(s.as(err, a[1].Interface()))}
}

func (s *Session) as(err error, target any) bool {
	to := reflect.ValueOf(target)
	if err == nil || target == nil || to.Kind() != reflect.Pointer || to.IsNil() {
		return errors.As(err, target) // which panics with Go's own words
	}
	want := to.Type().Elem()
	typ, known := s.Types.CellType(want)
	fails := want.Kind() == reflect.Interface || want.Implements(reflect.TypeFor[error]())
	if !fails && (!known || !types.IsInterface(typ) && s.Missing(want, types.Universe.Lookup("error").Type()) != "") {
		panic("errors: *target must be interface or implement error")
	}
	for err != nil {
		v := s.Unwrap(err)
		switch {
		case reflect.TypeOf(v) == want:
			to.Elem().Set(reflect.ValueOf(v))
			return true
		case known && types.IsInterface(typ) && s.Missing(reflect.TypeOf(v), typ) == "":
			s.Setter(typ)(to.UnsafePointer(), v)
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
				if e != nil && s.as(e, target) {
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
