package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// NeedsHelp reports whether encoding/json needs help to read into what target points to.
func (j *JSON) NeedsHelp(target any) bool {
	if target == nil {
		return false
	}
	typ, ok := j.Types.CellType(reflect.TypeOf(target))
	if !ok {
		return false
	}
	to, ok := typ.Underlying().(*types.Pointer)
	return ok && j.needsHelp(to.Elem(), map[types.Type]bool{}) && !reflect.ValueOf(target).IsNil()
}

// Decode reads JSON into what target, a pointer, points to. done is false if encoding/json needs no help with it.
func (j *JSON) Decode(data []byte, target any, how Reading) (done bool, err error) {
	if !j.NeedsHelp(target) {
		return false, nil
	}
	typ, _ := j.Types.CellType(reflect.TypeOf(target))
	elem := typ.Underlying().(*types.Pointer).Elem()
	if j.decodePlain(data, reflect.ValueOf(target).UnsafePointer(), elem, how) {
		return true, nil
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return true, err
	}
	d := &decoder{JSON: j, how: how, size: cap(data)}
	if err := d.value(data, reflect.ValueOf(target).UnsafePointer(), elem); err != nil {
		return true, err
	}
	return true, d.fault
}

func (d *decoder) value(raw json.RawMessage, p unsafe.Pointer, typ types.Type) error {
	return d.behind(typ, raw, p, typ)
}

// behind reads the value that a pointer of a type leads to, or a value of the type itself.
func (d *decoder) behind(whole types.Type, raw json.RawMessage, p unsafe.Pointer, typ types.Type) error {
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
		return d.behind(whole, raw, *to, u.Elem())
	}
	if n, ok := types.Unalias(typ).(*types.Named); ok && !d.Types.IsCell(n) && !types.IsInterface(typ) {
		return d.decodeCompiled(raw, reflect.NewAt(rt, p).Interface())
	}
	if done, err := d.method(raw, p, rt, null, whole); done {
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
		return d.decodeMap(raw, plain, u, typ)
	case *types.Interface:
		if held := reflect.ValueOf(d.S.Dynamic(p, typ)); held.Kind() == reflect.Pointer && !held.IsNil() {
			if of, ok := d.Types.CellType(held.Type()); ok && d.NeedsHelp(held.Interface()) {
				return d.value(raw, held.UnsafePointer(), of.Underlying().(*types.Pointer).Elem())
			}
			if u.NumMethods() > 0 {
				return d.decodeCompiled(raw, held.Interface())
			}
		}
		if u.NumMethods() > 0 {
			d.mismatch(raw, typ)
			return nil
		}
	}
	if types.IsInterface(typ) {
		return d.decodeCompiled(raw, plain.Addr().Interface())
	}
	if err := json.Unmarshal(raw, plain.Addr().Interface()); errors.As(err, new(*json.UnmarshalTypeError)) {
		d.mismatch(raw, typ)
	} else if err != nil {
		return err
	}
	return nil
}

// object calls do for every key of an object. at is where the key's text begins.
func object(raw json.RawMessage, do func(key string, at int, raw json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, err := dec.Token()
	for err == nil && dec.More() {
		at := int(dec.InputOffset())
		at += bytes.IndexByte(raw[at:], '"') + 1
		var key json.Token
		var value json.RawMessage
		if key, err = dec.Token(); err != nil {
			break
		}
		if err = dec.Decode(&value); err == nil {
			err = do(key.(string), at, last(raw[:dec.InputOffset()], len(value)))
		}
	}
	return err
}

// items lists the elements of an array.
func items(raw json.RawMessage) (list []json.RawMessage, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, err = dec.Token()
	for err == nil && dec.More() {
		var value json.RawMessage
		if err = dec.Decode(&value); err == nil {
			list = append(list, last(raw[:dec.InputOffset()], len(value)))
		}
	}
	return list, err
}

// last returns the end of a text.
func last(raw json.RawMessage, n int) json.RawMessage { return raw[len(raw)-n:] }

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
	return object(raw, func(key string, _ int, value json.RawMessage) error {
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
			d.note(fmt.Errorf("json: cannot set embedded pointer to unexported struct: %s", d.sealedStruct(p, f)))
			return nil
		}
		if f.isQuoted && string(value) != "null" {
			return d.decodeQuoted(value, at, f.typ)
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
		if err := json.Unmarshal(raw, (*[]byte)(v.Addr().UnsafePointer())); err != nil {
			d.note(err)
		}
		return nil
	}
	if raw[0] != '[' {
		d.mismatch(raw, typ)
		return nil
	}
	list, err := items(raw)
	if err != nil {
		return err
	}
	isSlice := v.Kind() == reflect.Slice
	for i, item := range list { // what elements hold stays where the text does not say
		if isSlice && i >= v.Cap() {
			v.Grow(1)
		}
		if isSlice && i >= v.Len() {
			v.SetLen(i + 1)
		}
		if i >= v.Len() {
			break
		}
		if err := d.value(item, v.Index(i).Addr().UnsafePointer(), elem); err != nil {
			return err
		}
	}
	for i := len(list); i < v.Len() && !isSlice; i++ {
		v.Index(i).SetZero()
	}
	if isSlice {
		v.SetLen(len(list))
	}
	if len(list) == 0 && isSlice {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	return nil
}

func (d *decoder) decodeMap(raw json.RawMessage, v reflect.Value, u *types.Map, typ types.Type) error {
	if raw[0] != '{' {
		d.mismatch(raw, typ)
		return nil
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	return object(raw, func(text string, at int, value json.RawMessage) error {
		key, elem := reflect.New(v.Type().Key()), reflect.New(v.Type().Elem())
		if err := d.value(value, elem.UnsafePointer(), u.Elem()); err != nil {
			return err
		}
		if ok, err := d.key(text, d.begin(raw)+at, key, u.Key()); err != nil || !ok {
			return err
		}
		d.S.Change(v, func() { v.SetMapIndex(key.Elem(), elem.Elem()) })
		return nil
	})
}

// key reads the key of a map, whose text begins at an offset; false: it is of a wrong type.
func (d *decoder) key(text string, at int, key reflect.Value, typ types.Type) (bool, error) {
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
		d.wrong("string", at, typ)
		return false, nil
	}
	if err != nil {
		d.wrong("number "+text, at, typ)
	}
	return err == nil, nil
}
