package bridge

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// Encode calls encode with what shows as v does. Errors name the types of cells.
func (j *JSON) Encode(v any, encode func(any) error) (err error) {
	if v != nil {
		if done, err := j.encodePlain(v, encode); done {
			return err
		}
	}
	e := &encoder{JSON: j}
	var fault any
	if panics(&fault, func() { err = encode(e.dynamic(v, 0)) }) {
		if refused, ok := fault.(refusal); ok {
			return refused.error
		}
		panic(fault)
	}
	if e.hasPanicked {
		panic(e.fault)
	}
	var failed *json.MarshalerError
	if errors.As(err, &failed) && e.failed != nil && isOurs(failed.Type) {
		failed.Type = j.Types.Of(e.failed)
	}
	return err
}

// encoder makes values that encoding/json encodes correctly: structs of plain fields, maps with string keys, slices.
type encoder struct {
	*JSON
	failed      types.Type // whose method failed
	hasPanicked bool       // a method
	fault       any        // what it panicked with
}

const (
	marshalsJSON = "func() ([]uint8, error)"
	maxJSONDepth = 1000
)

var errPanicked = errors.New("a method panicked")

// marshaler calls a method of a cell's value.
type marshaler struct {
	e      *encoder
	v      any
	typ    types.Type
	method string
}

func (m marshaler) call() (b []byte, err error) {
	if panics(&m.e.fault, func() { m.e.S.Invoke(m.v, m.method, nil, list(p(&b), p(&err))) }) {
		m.e.hasPanicked = true
		return nil, errPanicked // encoding/json would panic again in a deferred function
	}
	if err != nil {
		m.e.failed = m.typ
	}
	return b, err
}

// MarshalJSON implements json.Marshaler.
func (m marshaler) MarshalJSON() ([]byte, error) {
	b, err := m.call()
	if err == nil && !json.Valid(b) { // which encoding/json refuses
		m.e.failed = m.typ
	}
	return b, err
}

// textMarshaler calls the method MarshalText.
type textMarshaler struct{ by marshaler }

// MarshalText implements encoding.TextMarshaler.
func (m textMarshaler) MarshalText() ([]byte, error) { return m.by.call() }

// isOurs reports whether a type stands for types of cells.
func isOurs(rt reflect.Type) bool {
	return rt == reflect.TypeFor[marshaler]() || rt == reflect.TypeFor[textMarshaler]()
}

// dynamic prepares what an interface holds.
func (e *encoder) dynamic(v any, depth int) any {
	if v == nil {
		return nil
	}
	typ, ok := e.Types.CellType(reflect.TypeOf(v))
	if !ok || !e.needsHelp(typ, map[types.Type]bool{}) {
		return v
	}
	memory := reflect.New(reflect.TypeOf(v))
	memory.Elem().Set(reflect.ValueOf(v))
	return e.value(memory.UnsafePointer(), typ, false, depth)
}

// value prepares what lies at p.
func (e *encoder) value(p unsafe.Pointer, typ types.Type, addressable bool, depth int) any {
	if depth > maxJSONDepth && canContainItself(typ) {
		panic(refusal{&json.UnsupportedValueError{Value: reflect.NewAt(e.Types.Of(typ), p).Elem(),
			Str: "encountered a cycle via " + layout.Name(typ)}})
	}
	rt := e.Types.Of(typ)
	v := reflect.NewAt(rt, p).Elem()
	if types.IsInterface(typ) {
		return e.dynamic(e.S.Dynamic(p, typ), depth+1)
	}
	if n, ok := types.Unalias(typ).(*types.Named); ok && !e.Types.IsCell(n) {
		if addressable && !isMarshaler(rt) && isMarshaler(reflect.PointerTo(rt)) {
			return v.Addr().Interface()
		}
		return v.Interface()
	}
	if m, ok := e.method(v, typ, addressable); ok {
		return m
	}
	switch u := typ.Underlying().(type) {
	case *types.Pointer:
		to := *(*unsafe.Pointer)(p)
		if to == nil {
			return nil
		}
		return e.value(to, u.Elem(), true, depth+1)
	case *types.Struct:
		return e.structure(p, typ, addressable, depth)
	case *types.Slice:
		return e.list(reflect.NewAt(layout.Unwrapped(e.Types.Of(u)), p).Elem(), u.Elem(), true, depth)
	case *types.Array:
		return e.list(reflect.NewAt(layout.Unwrapped(e.Types.Of(u)), p).Elem(), u.Elem(), addressable, depth)
	case *types.Map:
		return e.encodeMap(reflect.NewAt(layout.Unwrapped(e.Types.Of(u)), p).Elem(), u, typ, depth)
	}
	return reflect.NewAt(layout.Unwrapped(rt), p).Elem().Interface()
}

// canContainItself reports whether a value of a type may contain itself.
func canContainItself(typ types.Type) bool {
	switch typ.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice:
		return true
	}
	return false
}

func isMarshaler(rt reflect.Type) bool {
	return rt.Implements(reflect.TypeFor[json.Marshaler]()) || rt.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// method finds the method that encodes a value.
func (e *encoder) method(v reflect.Value, typ types.Type, addressable bool) (any, bool) {
	methods, x := e.S.Methods(v.Type()), v
	for range 2 {
		for _, name := range []string{"MarshalJSON", "MarshalText"} {
			if methods[name] != marshalsJSON {
				continue
			}
			if x.Kind() == reflect.Pointer && x.IsNil() {
				return nil, true
			}
			m := marshaler{e, x.Interface(), typ, name}
			if name == "MarshalText" {
				return textMarshaler{m}, true
			}
			return m, true
		}
		if !addressable || v.Kind() == reflect.Pointer {
			break
		}
		x = v.Addr()
		methods = e.S.Methods(x.Type())
	}
	return nil, false
}

func (e *encoder) list(v reflect.Value, elem types.Type, addressable bool, depth int) any {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return nil
	}
	size := v.Type().Elem().Size()
	if b, ok := elem.Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 && v.Kind() == reflect.Slice &&
		e.S.Methods(reflect.PointerTo(v.Type().Elem()))["MarshalJSON"] == "" {
		return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len())
	}
	out := make([]any, v.Len())
	for i := range out {
		base := v.Addr().UnsafePointer()
		if v.Kind() == reflect.Slice {
			base = v.UnsafePointer()
		}
		out[i] = e.value(unsafe.Add(base, uintptr(i)*size), elem, addressable, depth+1)
	}
	return out
}

func (e *encoder) encodeMap(v reflect.Value, u *types.Map, typ types.Type, depth int) any {
	if !e.canBeKey(v.Type().Key()) {
		panic(refusal{&json.UnsupportedTypeError{Type: e.Types.Of(typ)}})
	}
	if v.IsNil() {
		return nil
	}
	out := map[string]any{}
	for k, x := range entriesOf(e.S, v) {
		key, err := e.key(k, u.Key())
		if err != nil {
			panic(refusal{fmt.Errorf("json: encoding error for type %q: %q", layout.Name(typ), err.Error())})
		}
		out[key] = e.value(placed(x), u.Elem(), false, depth+1)
	}
	return out
}

// canBeKey reports whether values of a type can be the keys of an object.
func (e *encoder) canBeKey(rt reflect.Type) bool {
	plain := reflect.Zero(layout.Unwrapped(rt))
	return plain.Kind() == reflect.String || plain.CanInt() || plain.CanUint() ||
		e.S.Methods(rt)["MarshalText"] == marshalsJSON || rt.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// key is the text of a key.
func (e *encoder) key(key reflect.Value, typ types.Type) (string, error) {
	plain := reflect.NewAt(layout.Unwrapped(key.Type()), placed(key)).Elem()
	if plain.Kind() == reflect.String {
		return plain.String(), nil
	}
	if e.S.Methods(key.Type())["MarshalText"] == marshalsJSON {
		b, err := marshaler{e, key.Interface(), typ, "MarshalText"}.call()
		return string(b), err
	}
	if m, ok := key.Interface().(encoding.TextMarshaler); ok {
		b, err := m.MarshalText()
		return string(b), err
	}
	if plain.CanInt() {
		return strconv.FormatInt(plain.Int(), 10), nil
	}
	return strconv.FormatUint(plain.Uint(), 10), nil
}

// structure makes a struct of the fields that encoding/json shows, with their tags.
func (e *encoder) structure(p unsafe.Pointer, typ types.Type, addressable bool, depth int) any {
	var fields []reflect.StructField
	var values []reflect.Value
	for i, f := range e.fields(typ) {
		at, pointed := f.findExisting(p)
		if at == nil {
			continue
		}
		omitted := e.isOmitted(at, f.typ, f.options)
		v := reflect.Zero(reflect.TypeFor[any]())
		if !omitted {
			if x := e.value(at, f.typ, addressable || pointed, depth+len(f.path)); x != nil {
				v = reflect.ValueOf(x)
			}
		}
		tag := f.name + ","
		if f.isQuoted {
			tag += "string,"
		}
		if omitted {
			tag += "omitempty"
		}
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: v.Type(),
			Tag: reflect.StructTag("json:" + strconv.Quote(tag))})
		values = append(values, v)
	}
	out := reflect.New(reflect.StructOf(fields)).Elem()
	for i, v := range values {
		out.Field(i).Set(v)
	}
	return out.Interface()
}

// isOmitted reports whether a field's options leave its value out.
func (e *encoder) isOmitted(p unsafe.Pointer, typ types.Type, options string) bool {
	v := reflect.NewAt(layout.Unwrapped(e.Types.Of(typ.Underlying())), p).Elem()
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty":
			switch v.Kind() {
			case reflect.Array, reflect.Slice, reflect.String:
				if v.Len() == 0 {
					return true
				}
			case reflect.Map:
				empty := false
				e.S.Look(v, func() { empty = v.Len() == 0 })
				if empty {
					return true
				}
			case reflect.Struct:
				if types.IsInterface(typ) && e.S.Dynamic(p, typ) == nil {
					return true
				}
			default:
				if v.IsZero() {
					return true
				}
			}
		case "omitzero":
			rt := e.Types.Of(typ)
			if e.S.Methods(rt)["IsZero"] == "func() bool" {
				var zero bool
				e.S.Invoke(reflect.NewAt(rt, p).Elem().Interface(), "IsZero", nil, list(unsafe.Pointer(&zero)))
				if zero {
					return true
				}
			} else if z, ok := reflect.NewAt(rt, p).Elem().Interface().(interface{ IsZero() bool }); ok && z.IsZero() ||
				!ok && v.IsZero() {
				return true
			}
		}
	}
	return false
}
