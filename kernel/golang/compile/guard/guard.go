// Package guard has the steps that use maps. Uses by several goroutines end the cell, where they would end a compiled
// program.
package guard

import (
	"go/token"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Go's messages for what it ends a program for.
const (
	ReadsWritten    = "fatal error: concurrent map read and map write"
	IteratesWritten = "fatal error: concurrent map iteration and map write"
)

// Map keeps uses of a map from overlapping, for one place of a cell.
type Map struct {
	*run.Crowd
	Pos token.Pos
}

// GuardWrite returns a step that changes the map in slot m as the given step does, while no other use of the map
// overlaps.
func (g Map) GuardWrite(m uintptr, step run.Instr) run.Instr {
	return func(f unsafe.Pointer) {
		fault.Site(f, g.Pos)
		if !g.Alone() {
			g.changeGuarded(m, f, step)
			return
		}
		step(f)
	}
}

// guardRead returns a step that reads the map in slot m as the given step does, while no change of the map overlaps.
func (g Map) guardRead(m uintptr, step run.Instr) run.Instr {
	return func(f unsafe.Pointer) {
		fault.Site(f, g.Pos)
		if !g.Alone() {
			g.readGuarded(m, f, step)
			return
		}
		step(f)
	}
}

func (g Map) changeGuarded(m uintptr, f unsafe.Pointer, step run.Instr) {
	if p := *slot.At[unsafe.Pointer](f, m); p != nil {
		g.Write(p)
		defer g.Written(p)
	}
	step(f)
}

func (g Map) readGuarded(m uintptr, f unsafe.Pointer, step run.Instr) {
	fault.Site(f, g.Pos)
	Read(g.Crowd, *slot.At[unsafe.Pointer](f, m), ReadsWritten, func() { step(f) })
}

// Read reads a map while other goroutines run.
func Read(crowd *run.Crowd, m unsafe.Pointer, text string, read func()) {
	if m != nil {
		crowd.Read(m, text)
		defer crowd.HasRead(m)
	}
	read()
}
