package bridge

import (
	"bytes"
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

// Helps tells whether encoding/json needs help to read into what target leads to.
func (j *JSON) Helps(target any) bool {
	if target == nil {
		return false
	}
	typ, ok := j.Types.Back(reflect.TypeOf(target))
	if !ok {
		return false
	}
	to, ok := typ.Underlying().(*types.Pointer)
	return ok && j.shows(to.Elem(), map[types.Type]bool{}) && !reflect.ValueOf(target).IsNil()
}

// Reading is how a json.Decoder was told to read.
type Reading struct{ Strict, Number bool }

// Decode reads JSON into what target, a pointer, leads to. done is false where encoding/json needs no help with it.
func (j *JSON) Decode(data []byte, target any, how Reading) (done bool, err error) {
	if !j.Helps(target) {
		return false, nil
	}
	typ, _ := j.Types.Back(reflect.TypeOf(target))
	elem := typ.Underlying().(*types.Pointer).Elem()
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return true, err
	}
	d := &decoder{JSON: j, how: how}
	if err := d.value(raw, reflect.ValueOf(target).UnsafePointer(), elem); err != nil {
		return true, err
	}
	return true, d.fault
}

// decoder fills memory of cells.
type decoder struct {
	*JSON
	how   Reading
	root  string   // the struct that a field belongs to; a struct type without a name has none
	path  []string // of fields
	fault error    // the first value of a wrong type; the others are still read
}

// note keeps the first fault.
func (d *decoder) note(fault error) {
	if d.fault == nil {
		d.fault = fault
	}
}

// mismatch notes a value of a wrong type.
func (d *decoder) mismatch(raw json.RawMessage, typ types.Type) {
	if d.fault != nil {
		return
	}
	var first byte // none in the key of a map
	if len(raw) > 0 {
		first = raw[0]
	}
	what := map[byte]string{'"': "string", '{': "object", '[': "array", 't': "bool", 'f': "bool"}[first]
	if what == "" {
		what = "number"
		if b, ok := typ.Underlying().(*types.Basic); ok && b.Info()&types.IsNumeric != 0 {
			what += " " + string(raw)
		}
	}
	place := "value"
	if len(d.path) > 0 {
		place = "struct field " + d.root + "." + strings.Join(d.path, ".")
	}
	known := &json.UnmarshalTypeError{Value: what, Struct: d.root, Field: strings.Join(d.path, "."),
		Type: layout.Unwrapped(d.Types.Of(typ))}
	d.fault = worded{"json: cannot unmarshal " + what + " into Go " + place + " of type " + layout.Name(typ), known}
}

func (d *decoder) value(raw json.RawMessage, p unsafe.Pointer, typ types.Type) error {
	raw = bytes.TrimSpace(raw)
	rt := d.Types.Of(typ)
	null := string(raw) == "null"
	if u, ok := typ.Underlying().(*types.Pointer); ok {
		to := (*unsafe.Pointer)(p)
		if null {
			*to = nil
			return nil
		}
		if *to == nil {
			*to = reflect.New(d.Types.Of(u.Elem())).UnsafePointer()
		}
		return d.value(raw, *to, u.Elem())
	}
	if n, ok := types.Unalias(typ).(*types.Named); ok && !d.Types.IsCell(n) && !types.IsInterface(typ) {
		return d.compiled(json.Unmarshal(raw, reflect.NewAt(rt, p).Interface()))
	}
	if done, err := d.method(raw, p, rt, null, typ); done {
		return err
	}
	plain := reflect.NewAt(layout.Unwrapped(d.Types.Of(typ.Underlying())), p).Elem()
	if null {
		switch plain.Kind() {
		case reflect.Map, reflect.Slice, reflect.Interface:
			plain.SetZero()
		}
		return nil
	}
	switch u := typ.Underlying().(type) {
	case *types.Struct:
		return d.structure(raw, p, typ)
	case *types.Slice, *types.Array:
		return d.list(raw, plain, typ)
	case *types.Map:
		return d.mapping(raw, plain, u, typ)
	case *types.Interface:
		if held := reflect.ValueOf(d.S.Dynamic(p, typ)); held.Kind() == reflect.Pointer && !held.IsNil() {
			if of, ok := d.Types.Back(held.Type()); ok && d.Helps(held.Interface()) {
				return d.value(raw, held.UnsafePointer(), of.Underlying().(*types.Pointer).Elem())
			}
			if u.NumMethods() > 0 {
				return d.compiled(json.Unmarshal(raw, held.Interface()))
			}
		}
		if u.NumMethods() > 0 {
			d.mismatch(raw, typ)
			return nil
		}
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if d.how.Number {
		dec.UseNumber()
	}
	err := dec.Decode(plain.Addr().Interface())
	if errors.As(err, new(*json.UnmarshalTypeError)) {
		d.mismatch(raw, typ)
		return nil
	}
	return err
}

// compiled notes what encoding/json says of a type that no cell declares.
func (d *decoder) compiled(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || len(d.path) == 0 || wrong.Struct != "" {
		return err
	}
	if d.fault == nil {
		wrong.Struct, wrong.Field = d.root, strings.Join(d.path, ".")
		d.fault = err
	}
	return nil
}

// method reads a value by a method of its type.
func (d *decoder) method(raw json.RawMessage, p unsafe.Pointer, rt reflect.Type, null bool,
	typ types.Type) (bool, error) {
	const reads = "func([]uint8) error"
	methods := d.S.Methods(reflect.PointerTo(rt))
	x := reflect.NewAt(rt, p).Interface()
	var err error
	switch {
	case methods["UnmarshalJSON"] == reads:
		b := []byte(raw)
		d.S.Invoke(x, "UnmarshalJSON", list(unsafe.Pointer(&b)), list(unsafe.Pointer(&err)))
		return true, err
	case methods["UnmarshalText"] == reads && !null:
		var text string
		if json.Unmarshal(raw, &text) != nil {
			d.mismatch(raw, typ)
			return true, nil
		}
		b := []byte(text)
		d.S.Invoke(x, "UnmarshalText", list(unsafe.Pointer(&b)), list(unsafe.Pointer(&err)))
		return true, err
	}
	return false, nil
}

// object calls do for every key of an object.
func object(raw json.RawMessage, do func(key string, raw json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, err := dec.Token()
	for err == nil && dec.More() {
		var key json.Token
		var value json.RawMessage
		if key, err = dec.Token(); err != nil {
			break
		}
		if err = dec.Decode(&value); err == nil {
			err = do(key.(string), value)
		}
	}
	return err
}

func (d *decoder) structure(raw json.RawMessage, p unsafe.Pointer, typ types.Type) error {
	if raw[0] != '{' {
		d.mismatch(raw, typ)
		return nil
	}
	fields := d.fields(typ)
	root, path := d.root, d.path
	defer func() { d.root, d.path = root, path }()
	d.root = ""
	if n, ok := types.Unalias(typ).(*types.Named); ok {
		d.root = n.Obj().Name()
	}
	return object(raw, func(key string, value json.RawMessage) error {
		f, ok := find(fields, key)
		if !ok {
			if d.how.Strict {
				d.note(fmt.Errorf("json: unknown field %q", key))
			}
			return nil
		}
		d.path = append(append(path[:len(path):len(path)], f.via...), f.name)
		at := d.at(p, f)
		if at == nil {
			d.note(fmt.Errorf("json: cannot set embedded pointer to unexported struct: %s", d.sealed(p, f)))
			return nil
		}
		if f.quoted && value[0] != '"' && string(value) != "null" {
			d.note(fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal unquoted value into %s",
				layout.Name(f.typ)))
			return nil
		}
		if f.quoted && value[0] == '"' {
			var text string
			if err := json.Unmarshal(value, &text); err != nil {
				return err
			}
			if b, ok := f.typ.Underlying().(*types.Basic); !ok || b.Info()&types.IsString == 0 || text != "" {
				value = json.RawMessage(text)
			}
		}
		return d.value(value, at, f.typ)
	})
}

func (d *decoder) list(raw json.RawMessage, v reflect.Value, typ types.Type) error {
	var elem types.Type
	switch u := typ.Underlying().(type) {
	case *types.Slice:
		elem = u.Elem()
	case *types.Array:
		elem = u.Elem()
	}
	if b, ok := elem.Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 && raw[0] == '"' &&
		v.Kind() == reflect.Slice {
		return json.Unmarshal(raw, (*[]byte)(v.Addr().UnsafePointer()))
	}
	if raw[0] != '[' {
		d.mismatch(raw, typ)
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	slice := v.Kind() == reflect.Slice
	for i, item := range items { // what elements hold stays where the text does not say
		if slice && i >= v.Cap() {
			v.Grow(1)
		}
		if slice && i >= v.Len() {
			v.SetLen(i + 1)
		}
		if i >= v.Len() {
			break
		}
		if err := d.value(item, v.Index(i).Addr().UnsafePointer(), elem); err != nil {
			return err
		}
	}
	for i := len(items); i < v.Len() && !slice; i++ {
		v.Index(i).SetZero()
	}
	if slice {
		v.SetLen(len(items))
	}
	if len(items) == 0 && slice {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	return nil
}

func (d *decoder) mapping(raw json.RawMessage, v reflect.Value, u *types.Map, typ types.Type) error {
	if raw[0] != '{' {
		d.mismatch(raw, typ)
		return nil
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	return object(raw, func(text string, raw json.RawMessage) error {
		key, value := reflect.New(v.Type().Key()), reflect.New(v.Type().Elem())
		if err := d.value(raw, value.UnsafePointer(), u.Elem()); err != nil {
			return err
		}
		if ok, err := d.key(text, key, u.Key()); err != nil || !ok {
			return err
		}
		v.SetMapIndex(key.Elem(), value.Elem())
		return nil
	})
}

// key reads the key of a map; false: it is of a wrong type.
func (d *decoder) key(text string, key reflect.Value, typ types.Type) (bool, error) {
	plain := reflect.NewAt(layout.Unwrapped(key.Type().Elem()), key.UnsafePointer()).Elem()
	quoted, err := json.Marshal(text)
	if err != nil {
		return false, err
	}
	if d.S.Methods(key.Type())["UnmarshalText"] != "" {
		_, err := d.method(quoted, key.UnsafePointer(), key.Type().Elem(), false, typ)
		return true, err
	}
	switch {
	case plain.Kind() == reflect.String:
		plain.SetString(text)
	case plain.CanInt():
		var n int64
		if n, err = strconv.ParseInt(text, 10, plain.Type().Bits()); err == nil {
			plain.SetInt(n)
		}
	case plain.CanUint():
		var n uint64
		if n, err = strconv.ParseUint(text, 10, plain.Type().Bits()); err == nil {
			plain.SetUint(n)
		}
	default:
		d.mismatch(quoted, typ)
		return false, nil
	}
	if err != nil {
		d.mismatch(json.RawMessage(text), typ)
	}
	return err == nil, nil
}
