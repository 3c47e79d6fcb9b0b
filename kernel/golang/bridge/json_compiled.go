package bridge

import (
	"bytes"
	"encoding/json"
	"slices"
)

// decodeCompiled reads a value of a type that no cell declares. It stands before another value, which is only read if
// encoding/json continues after an error.
func (d *decoder) decodeCompiled(raw json.RawMessage, to any) error {
	const before, behind = "[", ",true]"
	continued := false
	var text []byte
	var into any
	if string(raw) == "null" { // as an element it would not reach the target
		text, into = raw, to
	} else {
		text, into = slices.Concat([]byte(before), raw, []byte(behind)), &[]any{to, &continued}
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if d.how.Number {
		dec.UseNumber()
	}
	if d.how.Strict {
		dec.DisallowUnknownFields()
	}
	err := dec.Decode(into)
	if wrong, ok := err.(*json.UnmarshalTypeError); ok {
		inner := wrong.Struct
		_ = d.said(wrong)
		if _, reads := to.(json.Unmarshaler); !reads && inner != "" {
			wrong.Struct = inner
		}
		if continued {
			wrong.Offset += int64(d.begin(raw) - len(before))
		}
	}
	if continued && err != nil {
		d.note(err)
		return nil
	}
	return err
}
