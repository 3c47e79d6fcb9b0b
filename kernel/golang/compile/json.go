package compile

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
)

func (c *Compiler) json() *bridge.JSON { return &bridge.JSON{S: c, Types: c.Types} }

// jsonNatives are the functions of encoding/json that look into values of cells.
func jsonNatives() map[string]Native {
	return map[string]Native{
		"encoding/json.Marshal": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return c.encoded(a[0], json.Marshal)
		},
		"encoding/json.MarshalIndent": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return c.encoded(a[0], func(v any) ([]byte, error) {
				return json.MarshalIndent(v, a[1].String(), a[2].String())
			})
		},
		"encoding/json.Unmarshal": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			done, err := c.json().Decode(a[0].Bytes(), a[1].Interface(), bridge.Reading{})
			if !done {
				err = c.reworded(json.Unmarshal(a[0].Bytes(), a[1].Interface()))
			}
			return []reflect.Value{reflect.ValueOf(&err).Elem()}
		},
		"(*encoding/json.Encoder).Encode": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			err := c.json().Encode(a[1].Interface(), a[0].Interface().(*json.Encoder).Encode)
			return []reflect.Value{reflect.ValueOf(&err).Elem()}
		},
		"(*encoding/json.Decoder).Decode": func(c *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			err := c.decode(a[0].Interface().(*json.Decoder), a[1].Interface())
			return []reflect.Value{reflect.ValueOf(&err).Elem()}
		},
	}
}

func (c *Compiler) encoded(v reflect.Value, encode func(any) ([]byte, error)) []reflect.Value {
	var text []byte
	err := c.json().Encode(v.Interface(), func(v any) (err error) {
		text, err = encode(v)
		return err
	})
	return []reflect.Value{reflect.ValueOf(text), reflect.ValueOf(&err).Elem()}
}

// decode reads the next value of a stream.
func (c *Compiler) decode(d *json.Decoder, target any) error {
	if !c.json().Helps(target) {
		return d.Decode(target)
	}
	told := func(name string) bool {
		field := reflect.ValueOf(d).Elem().FieldByName("d").FieldByName(name)
		return field.IsValid() && field.Bool()
	}
	how := bridge.Reading{Strict: told("disallowUnknownFields"), Number: told("useNumber")}
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return err
	}
	text := []byte(raw)
	if read := reflect.ValueOf(d).Elem().FieldByName("d").FieldByName("data"); read.IsValid() {
		text = read.Bytes() // with the space before the value, which offsets count
	}
	_, err := c.json().Decode(bytes.Clone(text), target, how)
	return err
}

// reworded names types of cells in what encoding/json says of a target that it cannot fill.
func (c *Compiler) reworded(err error) error {
	var wrong *json.InvalidUnmarshalError
	if errors.As(err, &wrong) {
		wrong.Type = bridge.Named(c.Types, wrong.Type)
	}
	return err
}
