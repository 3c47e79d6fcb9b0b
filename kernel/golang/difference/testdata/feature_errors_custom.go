package main

import (
	"errors"
	"fmt"
)

type notFound struct{ key string }

func (e *notFound) Error() string   { return "no " + e.key }
func (e *notFound) Is(t error) bool { return t == errMissing }

var errMissing = errors.New("missing")

func get(k string) error {
	if k == "" {
		return nil
	}
	return fmt.Errorf("get: %w", &notFound{k})
}
func main() {
	err := get("a")
	var nf *notFound
	fmt.Println(err, errors.As(err, &nf), nf.key, errors.Is(err, errMissing), get("") == nil)
	j := errors.Join(err, nil, errMissing)
	fmt.Println(errors.Is(j, errMissing))
	fmt.Printf("%q\n", j.Error())
	var typed *notFound
	var e error = typed
	fmt.Println(e == nil)
}
