package native

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"go/types"
	"reflect"
	"time"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
	"github.com/spherelab/spherelab/kernel/golang/compile/dynamic"
	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// Package database/sql takes and fills values of cells by their methods Value and Scan, or by their layout in memory.

// sqlTakes and sqlScans are the methods whose last arguments a database gets, and those that fill them.
var sqlTakes, sqlScans = map[string]bool{}, map[string]bool{
	"(*database/sql.Row).Scan": true, "(*database/sql.Rows).Scan": true,
}

func init() {
	instances["(*database/sql.Null[T]).Scan"], instances["(database/sql.Null[T]).Value"] = nullScan, nullValue
	for _, typ := range []string{"DB", "Tx", "Stmt", "Conn"} {
		for _, name := range []string{"Exec", "Query", "QueryRow"} {
			method := "(*database/sql." + typ + ")." + name
			sqlTakes[method], sqlTakes[method+"Context"] = true, true
		}
	}
}

const (
	valueSignature = "func() (driver.Value, error)"
	scanSignature  = "func(interface {}) error"
)

// valuer is a value of a cell with a method Value.
type valuer struct{ bridge.Box }

func (v valuer) Value() (value driver.Value, err error) {
	v.Call("Value", nil, []unsafe.Pointer{unsafe.Pointer(&value), unsafe.Pointer(&err)})
	return value, err
}

// storedForm returns an argument in the form that package database/sql converts.
func (s *Session) storedForm(name string, v any) any {
	switch v := v.(type) {
	case sql.NamedArg:
		v.Value = s.storedForm(name, v.Value)
		return v
	case sql.Out:
		v.Dest = s.fillTarget(v.Dest)
		return v
	}
	v = s.Unwrap(v)
	rt := reflect.TypeOf(v)
	typ, ok := s.cellOf(rt)
	if !ok {
		return v
	}
	rv := reflect.ValueOf(v)
	none := rv.Kind() == reflect.Pointer && rv.IsNil()
	if s.Methods(rt)["Value"] == valueSignature {
		if none && s.Methods(rt.Elem())["Value"] == valueSignature {
			return nil // as for methods of compiled types that are not called with a nil pointer
		}
		return valuer{bridge.Box{V: v, S: s.Values}}
	}
	plain := dynamic.Plain(rt, dynamic.Place(rv))
	switch kind := plain.Kind(); {
	case none:
		return nil
	case kind == reflect.Pointer:
		return s.storedForm(name, plain.Elem().Interface())
	case kind == reflect.Bool, kind == reflect.String, layout.IsNumeric(kind),
		plain.Type() == reflect.TypeFor[[]byte]():
		return plain.Interface()
	}
	panic(fault.Message(plainName(name) + " does not see the type " + layout.Name(typ) +
		" of a cell: pass it a value of a basic type"))
}

// cellOf returns a type whose methods or name are a cell's: a declared one, or a pointer to one.
func (s *Session) cellOf(rt reflect.Type) (types.Type, bool) {
	if rt == nil {
		return nil, false
	}
	typ, ok := s.Types.CellType(rt)
	if !ok {
		return nil, false
	}
	elem := types.Unalias(typ)
	for {
		p, ok := elem.(*types.Pointer)
		if !ok {
			break
		}
		elem = types.Unalias(p.Elem())
	}
	named, ok := elem.(*types.Named)
	return typ, ok && s.Types.IsCell(named)
}

// scanner fills a variable of a cell.
type scanner func(src any) error

func (s scanner) Scan(src any) error { return s(src) }

// fillTarget returns what package database/sql fills instead of a variable of a cell.
func (s *Session) fillTarget(v any) any {
	rt := reflect.TypeOf(v)
	if _, ok := s.cellOf(rt); !ok || rt.Kind() != reflect.Pointer || reflect.ValueOf(v).IsNil() {
		return v
	}
	return scanner(func(src any) error { return s.fill(rt.Elem(), reflect.ValueOf(v).UnsafePointer(), src) })
}

// fill converts what a database returned as package database/sql does.
func (s *Session) fill(rt reflect.Type, p unsafe.Pointer, src any) error {
	to := reflect.NewAt(rt, p)
	if _, ok := s.cellOf(to.Type()); ok && s.Methods(to.Type())["Scan"] == scanSignature {
		var err error
		s.Invoke(to.Interface(), "Scan", []unsafe.Pointer{unsafe.Pointer(&src)}, []unsafe.Pointer{unsafe.Pointer(&err)})
		return err
	}
	if s, ok := to.Interface().(sql.Scanner); ok {
		return s.Scan(src)
	}
	if _, ok := s.cellOf(reflect.TypeOf(src)); ok {
		src = dynamic.Plain(reflect.TypeOf(src), dynamic.Place(reflect.ValueOf(src))).Interface()
	}
	plain := layout.Unwrapped(rt)
	if plain.Kind() == reflect.Pointer {
		to := reflect.NewAt(plain, p).Elem()
		if src == nil {
			to.SetZero()
			return nil
		}
		to.Set(reflect.New(plain.Elem()))
		return s.fill(plain.Elem(), to.UnsafePointer(), src)
	}
	fill, ok := fillers[plain]
	_, isText := src.([]byte)
	if have := reflect.TypeOf(src); rt != plain && !layout.IsNumeric(plain.Kind()) {
		// a named type is filled by its own kind only, and text by bytes too
		ok = ok && (have == plain || plain.Kind() == reflect.String && (isText || src == nil))
	}
	if !ok {
		return fmt.Errorf("unsupported Scan, storing driver.Value type %T into type *%s", src, s.DynamicName(rt))
	}
	if src == nil && plain.Kind() != reflect.Interface && plain.Kind() != reflect.Slice {
		return fmt.Errorf("converting NULL to %s is unsupported", plain.Kind())
	}
	return fill(p, src)
}

// fillers convert as sql.Null does, by the type that a value lies in memory as.
var fillers = map[reflect.Type]func(p unsafe.Pointer, src any) error{
	reflect.TypeFor[bool](): fillOf[bool], reflect.TypeFor[string](): fillOf[string],
	reflect.TypeFor[int](): fillOf[int], reflect.TypeFor[int8](): fillOf[int8], reflect.TypeFor[int16](): fillOf[int16],
	reflect.TypeFor[int32](): fillOf[int32], reflect.TypeFor[int64](): fillOf[int64],
	reflect.TypeFor[uint](): fillOf[uint], reflect.TypeFor[uint8](): fillOf[uint8],
	reflect.TypeFor[uint16](): fillOf[uint16], reflect.TypeFor[uint32](): fillOf[uint32],
	reflect.TypeFor[uint64](): fillOf[uint64], reflect.TypeFor[float32](): fillOf[float32],
	reflect.TypeFor[float64](): fillOf[float64], reflect.TypeFor[[]byte](): fillOf[[]byte],
	reflect.TypeFor[any](): fillOf[any], reflect.TypeFor[time.Time](): fillOf[time.Time],
}

func fillOf[T any](p unsafe.Pointer, src any) error {
	var n sql.Null[T]
	err := n.Scan(src)
	if err == nil {
		*(*T)(p) = n.V
	}
	return err
}

// Methods of sql.Null.

func nullScan(s *Session, _ *ssa.Function, a []reflect.Value, _ []reflect.Type) []reflect.Value {
	null := dynamic.Plain(a[0].Type().Elem(), a[0].UnsafePointer())
	v, src := null.Field(0), a[1].Interface()
	var err error
	if src == nil {
		v.SetZero()
	} else {
		err = s.fill(v.Type(), v.Addr().UnsafePointer(), src)
	}
	null.Field(1).SetBool(src != nil)
	return []reflect.Value{reflect.ValueOf(&err).Elem()}
}

func nullValue(s *Session, _ *ssa.Function, a []reflect.Value, _ []reflect.Type) []reflect.Value {
	var value driver.Value
	var err error
	if a[0].Field(1).Bool() {
		value, err = s.convert(a[0].Field(0).Interface())
	}
	return []reflect.Value{reflect.ValueOf(&value).Elem(), reflect.ValueOf(&err).Elem()}
}

// convert returns a value that a database can hold.
func (s *Session) convert(v any) (driver.Value, error) {
	const name = "database/sql.Null.Value"
	v = s.storedForm(name, v)
	if valuer, ok := v.(driver.Valuer); ok {
		value, err := valuer.Value()
		if err != nil {
			return value, err
		}
		v = s.storedForm(name, value)
	}
	return driver.DefaultParameterConverter.ConvertValue(v)
}
