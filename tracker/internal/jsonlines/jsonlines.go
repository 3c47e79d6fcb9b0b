// Package jsonlines writes and reads values as lines of JSON.
package jsonlines

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

func Encode[R any](list []R) ([]byte, error) {
	var text bytes.Buffer
	out := json.NewEncoder(&text) // which ends each with a newline
	for _, r := range list {
		if err := out.Encode(r); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

func Decode[R any](file string, from io.Reader) ([]R, error) {
	var list []R
	for in := json.NewDecoder(from); ; {
		var r R
		if err := in.Decode(&r); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, r)
	}
}
