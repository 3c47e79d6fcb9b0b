// Package jsonvalue has JSON values that encoding/json lacks: numbers that may be NaN or infinite, and objects whose
// members keep their order.
package jsonvalue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Number is a float64 for readers of any language: NaN and the infinities become null.
type Number float64

// MarshalJSON writes the shortest text that parses to the same number, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Numbers is a map whose values become null where they are not finite. A nil map stays nil.
func Numbers(values map[string]float64) map[string]Number {
	if values == nil {
		return nil
	}
	numbers := make(map[string]Number, len(values))
	for key, value := range values {
		numbers[key] = Number(value)
	}
	return numbers
}

// Exact is a float64 that survives a round trip: NaN and the infinities are the strings "NaN", "+Inf", "-Inf".
type Exact float64

// MarshalJSON writes the shortest text that parses to the same number.
func (e Exact) MarshalJSON() ([]byte, error) { return e.Append(nil), nil }

// Append appends what MarshalJSON writes.
func (e Exact) Append(text []byte) []byte {
	f := float64(e)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.AppendQuote(text, strconv.FormatFloat(f, 'g', -1, 64))
	}
	return strconv.AppendFloat(text, f, 'g', -1, 64)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Exact) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	switch text {
	case `"NaN"`, `"+Inf"`, `"-Inf"`:
		text = text[1 : len(text)-1]
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%s is not a number", text)
	}
	*e = Exact(f)
	return nil
}

// Object is a JSON object whose members are written in order.
type Object []Member

// Member is a key and a value of an Object.
type Member struct {
	Key   string
	Value any
}

// MarshalJSON writes the members in order, the way json.Marshal writes each.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Key, err)
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
