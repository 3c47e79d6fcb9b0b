//go:build amd64 || arm64

package forge

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestSignatures: a method that comes again with another signature, or not any more, is not the old one.
func TestSignatures(t *testing.T) {
	n := newDay()
	expect.NoError(t, n.Methods([]Method{text}, []Method{text, add}))
	v := reflect.New(n.Type)
	old := v.Interface().(fmt.Stringer)
	number := Method{"String", reflect.TypeFor[func() int](), func(_ any, _, results []unsafe.Pointer) {
		*(*int)(results[0]) = 5
	}}
	expect.NoError(t, n.Methods([]Method{number}, []Method{number}))
	if got := v.MethodByName("String").Call(nil)[0].Int(); got != 5 || v.NumMethod() != 1 || old.String() != "day 0" {
		t.Error(got, v.NumMethod(), old)
	}
	before := stubsLeft()
	expect.NoError(t, n.Methods([]Method{text}, []Method{text}))
	expect.NoError(t, n.Methods(nil, nil))
	if v.NumMethod() != 0 || n.Type.NumMethod() != 0 || stubsLeft() != before {
		t.Error(v.NumMethod(), n.Type.NumMethod(), before-stubsLeft())
	}
}

// TestFull: a type gets all its methods or none, and says why.
func TestFull(t *testing.T) {
	whole := newDay()
	expect.NoError(t, whole.Methods([]Method{text}, []Method{text}))
	stubs.Lock()
	used := stubs.used
	stubs.used = stubCount - 2 // a method needs three
	stubs.Unlock()
	n := newDay()
	err := n.Methods([]Method{text}, []Method{text})
	stubs.Lock()
	stubs.used = used
	stubs.Unlock()
	if err != errStubs || n.Type.NumMethod() != 0 || n.Pointer.NumMethod() != 0 || Missing(n.Pointer) != errStubs {
		t.Error(err, n.Type.NumMethod(), n.Pointer.NumMethod(), Missing(n.Pointer))
	}
	arena.Lock()
	inArena := arena.used
	arena.used = uintptr(len(memory))
	arena.Unlock()
	n = newDay()
	err = n.Methods([]Method{text}, []Method{text})
	late := whole.Methods([]Method{text}, []Method{text, add})
	arena.Lock()
	arena.used = inArena
	arena.Unlock()
	if err != errFull || n.Type.NumMethod() != 0 || late != errFull || whole.Pointer.NumMethod() != 1 {
		t.Error(err, n.Type.NumMethod(), late, whole.Pointer.NumMethod())
	}
	if left := stubsLeft(); Check() != nil || stubsLeft() != left {
		t.Error("a check takes stubs")
	}
}
