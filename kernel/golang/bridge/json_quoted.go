package bridge

import (
	"encoding/json"
	"errors"
	"go/types"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// decodeQuoted reads a value that is in a text, as the option "string" of a tag has it. encoding/json reads it into
// a field of that option.
func (d *decoder) decodeQuoted(raw json.RawMessage, p unsafe.Pointer, typ types.Type) error {
	var text string
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		d.note(errors.New(misused + "unquoted value into " + layout.Name(typ)))
		return nil
	}
	whole := typ
	if u, ok := typ.Underlying().(*types.Pointer); ok {
		to := (*unsafe.Pointer)(p)
		switch {
		case text == "null":
			*to = nil
			return nil
		case text == "" || text[0] == 'n':
			d.note(misuse(text, typ))
			return nil
		case *to == nil:
			*to = reflect.New(d.Types.Of(u.Elem())).UnsafePointer()
		}
		p, typ = *to, u.Elem()
	}
	rt := d.Types.Of(typ)
	if text != "" {
		null := text[0] == 'n'
		methods := d.S.Methods(reflect.PointerTo(rt))
		if methods["UnmarshalText"] == reads && methods["UnmarshalJSON"] != reads && !null {
			if text[0] != '"' {
				d.note(misuse(text, whole))
				return nil
			}
			if !json.Valid([]byte(text)) {
				return misuse(text, whole)
			}
		}
		if done, err := d.method(json.RawMessage(text), p, rt, null, typ); done {
			return err
		}
	}
	plain := reflect.NewAt(layout.Unwrapped(rt), p).Elem()
	holder := reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "V", Type: plain.Type(), Tag: `json:",string"`},
		{Name: "Continued", Type: reflect.TypeFor[bool]()},
	})).Elem()
	holder.Field(0).Set(plain)
	err := json.Unmarshal(append(append([]byte(`{"V":`), raw...), `,"Continued":true}`...), holder.Addr().Interface())
	plain.Set(holder.Field(0))
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		d.wrong(wrong.Value, d.after(raw), typ)
	} else if err != nil {
		text, _ := strings.CutSuffix(err.Error(), plain.Type().String())
		err = errors.New(text + layout.Name(typ))
		if !holder.Field(1).Bool() {
			return err
		}
		d.note(err)
	}
	return nil
}

const misused = "json: invalid use of ,string struct tag, trying to unmarshal "

func misuse(text string, typ types.Type) error {
	return errors.New(misused + strconv.Quote(text) + " into " + layout.Name(typ))
}
