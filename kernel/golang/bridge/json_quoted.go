package bridge

import (
	"encoding/json"
	"errors"
	"go/types"
	"reflect"
	"strings"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// quoted reads a value that stands in a text, as the option "string" of a tag has it. encoding/json reads it into a
// field of that option.
func (d *decoder) quoted(raw json.RawMessage, p unsafe.Pointer, typ types.Type) error {
	if u, ok := typ.Underlying().(*types.Pointer); ok {
		to := (*unsafe.Pointer)(p)
		if string(raw) == `"null"` {
			*to = nil
			return nil
		}
		if *to == nil {
			*to = reflect.New(d.Types.Of(u.Elem())).UnsafePointer()
		}
		return d.quoted(raw, *to, u.Elem())
	}
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		if done, err := d.method(json.RawMessage(text), p, d.Types.Of(typ), text == "null", typ); done {
			return err
		}
	}
	plain := reflect.NewAt(layout.Unwrapped(d.Types.Of(typ)), p).Elem()
	holder := reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "V", Type: plain.Type(), Tag: `json:",string"`}})).Elem()
	holder.Field(0).Set(plain)
	err := json.Unmarshal(append(append([]byte(`{"V":`), raw...), '}'), holder.Addr().Interface())
	plain.Set(holder.Field(0))
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		d.wrong(wrong.Value, d.after(raw), typ)
	} else if err != nil {
		text, _ := strings.CutSuffix(err.Error(), plain.Type().String())
		d.note(errors.New(text + layout.Name(typ)))
	}
	return nil
}
