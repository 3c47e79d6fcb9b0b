package compile

import (
	"go/token"
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Go's words for what it ends a program for.
const (
	readsWritten    = "fatal error: concurrent map read and map write"
	iteratesWritten = "fatal error: concurrent map iteration and map write"
)

// guard keeps the uses of a map apart that are at a place of a cell.
type guard struct {
	*run.Crowd
	pos token.Pos
}

// writes makes a step that changes the map in slot m one that no other use of the map overlaps.
func (g guard) writes(m uintptr, step run.Instr) run.Instr {
	return func(f unsafe.Pointer) {
		site(f, g.pos)
		if !g.Alone() {
			g.changed(m, f, step)
			return
		}
		step(f)
	}
}

// reads makes a step that reads the map in slot m one that no change of the map overlaps.
func (g guard) reads(m uintptr, step run.Instr) run.Instr {
	return func(f unsafe.Pointer) {
		site(f, g.pos)
		if !g.Alone() {
			g.looked(m, f, step)
			return
		}
		step(f)
	}
}

func (g guard) changed(m uintptr, f unsafe.Pointer, step run.Instr) {
	if p := *at[unsafe.Pointer](f, m); p != nil {
		g.Write(p)
		defer g.Written(p)
	}
	step(f)
}

func (g guard) looked(m uintptr, f unsafe.Pointer, step run.Instr) {
	site(f, g.pos)
	looking(g.Crowd, *at[unsafe.Pointer](f, m), readsWritten, func() { step(f) })
}

// looking reads a map though other goroutines run.
func looking(crowd *run.Crowd, m unsafe.Pointer, text string, read func()) {
	if m != nil {
		crowd.Read(m, text)
		defer crowd.HasRead(m)
	}
	read()
}

// hashes is a step that panics where the key in slot k cannot be one: the proxy of a cell's value always can. nil for
// keys that are no interfaces of compiled code.
func (b *body) hashes(key reflect.Type, k uintptr) run.Instr {
	if key.Kind() != reflect.Interface || key.NumMethod() == 0 {
		return nil
	}
	return func(f unsafe.Pointer) {
		if v := b.unwrap(ifaceValue(unsafe.Add(f, k))); v != nil && !reflect.TypeOf(v).Comparable() {
			map[any]bool{}[v] = true
		}
	}
}
