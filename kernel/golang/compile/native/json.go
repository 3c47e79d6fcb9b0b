package native

import (
	"bytes"
	"encoding/json"
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
)

func (s *Session) json() *bridge.JSON { return &bridge.JSON{S: s.Values, Types: s.Types} }

// jsonNatives are the functions of encoding/json that look into values of cells.
func jsonNatives() map[string]function {
	return map[string]function{
		"encoding/json.Marshal": func(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return s.encode(a[0], json.Marshal)
		},
		"encoding/json.MarshalIndent": func(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			return s.encode(a[0], func(v any) ([]byte, error) {
				return json.MarshalIndent(v, a[1].String(), a[2].String())
			})
		},
		"encoding/json.Unmarshal": func(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			done, err := s.json().Decode(a[0].Bytes(), a[1].Interface(), bridge.Reading{})
			if !done {
				s.fillGuarded(a[1].Interface(), func() {
					err = json.Unmarshal(a[0].Bytes(), a[1].Interface())
				})
			}
			return []reflect.Value{reflect.ValueOf(&err).Elem()}
		},
		"(*encoding/json.Encoder).Encode": func(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			still, _ := s.Still(a[1].Interface())
			err := s.json().Encode(still, a[0].Interface().(*json.Encoder).Encode)
			return []reflect.Value{reflect.ValueOf(&err).Elem()}
		},
		"(*encoding/json.Decoder).Decode": func(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			err := s.decode(a[0].Interface().(*json.Decoder), a[1].Interface())
			return []reflect.Value{reflect.ValueOf(&err).Elem()}
		},
	}
}

// fillGuarded fills a map in compiled code so that no other use of the map overlaps.
func (s *Session) fillGuarded(target any, fill func()) {
	m := reflect.ValueOf(target)
	if m.Kind() != reflect.Pointer || m.Type().Elem().Kind() != reflect.Map || m.IsNil() {
		fill()
		return
	}
	s.Change(m.Elem(), fill)
}

func (s *Session) encode(v reflect.Value, encode func(any) ([]byte, error)) []reflect.Value {
	var text []byte
	still, _ := s.Still(v.Interface())
	err := s.json().Encode(still, func(v any) (err error) {
		text, err = encode(v)
		return err
	})
	return []reflect.Value{reflect.ValueOf(text), reflect.ValueOf(&err).Elem()}
}

// decode reads the next value of a stream.
func (s *Session) decode(d *json.Decoder, target any) error {
	if !s.json().NeedsHelp(target) {
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
	_, err := s.json().Decode(bytes.Clone(text), target, how)
	return err
}
