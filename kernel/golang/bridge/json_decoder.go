package bridge

import (
	"encoding/json"
	"go/types"
	"reflect"
	"strings"
	"unsafe"
)

// Reading has the options of a json.Decoder.
type Reading struct{ Strict, Number bool }

// decoder fills memory of cells. What it reads are parts of the whole text, so their capacities say where they stand.
type decoder struct {
	*JSON
	how   Reading
	size  int      // the capacity of the whole text
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
	what := kindOf(raw)
	if b, ok := typ.Underlying().(*types.Basic); ok && what == "number" && b.Info()&types.IsNumeric != 0 {
		what += " " + string(raw)
	}
	d.wrong(what, d.after(raw), typ)
}

// wrong notes that what ends at an offset does not fit a type.
func (d *decoder) wrong(what string, offset int, typ types.Type) {
	d.note(&json.UnmarshalTypeError{Value: what, Struct: d.root, Field: strings.Join(d.path, "."),
		Offset: int64(offset), Type: d.Types.Of(typ)})
}

func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "bool"
	}
	return "number"
}

// after is how far encoding/json has read when it sees the type of a value.
func (d *decoder) after(raw json.RawMessage) int {
	if raw[0] == '{' || raw[0] == '[' {
		return d.begin(raw) + 1
	}
	return d.begin(raw) + len(raw)
}

// begin is where a part of the text begins.
func (d *decoder) begin(raw json.RawMessage) int { return d.size - cap(raw) }

// method reads a value by a method of its type; whole is what errors name.
func (d *decoder) method(raw json.RawMessage, p unsafe.Pointer, rt reflect.Type, null bool,
	whole types.Type) (bool, error) {
	methods := d.S.Methods(reflect.PointerTo(rt))
	x := reflect.NewAt(rt, p).Interface()
	var err error
	switch {
	case methods["UnmarshalJSON"] == reads:
		b := []byte(raw)
		d.S.Invoke(x, "UnmarshalJSON", list(unsafe.Pointer(&b)), list(unsafe.Pointer(&err)))
		return true, d.said(err)
	case methods["UnmarshalText"] == reads && !null:
		var text string
		if json.Unmarshal(raw, &text) != nil {
			d.wrong(kindOf(raw), d.after(raw), whole)
			return true, nil
		}
		b := []byte(text)
		d.S.Invoke(x, "UnmarshalText", list(unsafe.Pointer(&b)), list(unsafe.Pointer(&err)))
		return true, d.said(err)
	}
	return false, nil
}

const reads = "func([]uint8) error"

// said returns a method's error about a value, with the place of the value.
func (d *decoder) said(err error) error {
	if wrong, ok := err.(*json.UnmarshalTypeError); ok && len(d.path) > 0 {
		path := d.path
		if wrong.Field != "" {
			path = append(path[:len(path):len(path)], wrong.Field)
		}
		wrong.Struct, wrong.Field = d.root, strings.Join(path, ".")
	}
	return err
}
