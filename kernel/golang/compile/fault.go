package compile

import (
	"fmt"
	"go/token"
	"runtime"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Faults note where the function is and then do what compiled Go would do, so the panic is Go's own value.

func nilPointer(frame unsafe.Pointer, pos token.Pos) {
	run.HeadOf(frame).Site = pos
	var p *int
	_ = *p
}

func divideByZero(frame unsafe.Pointer, pos token.Pos) {
	run.HeadOf(frame).Site = pos
	zero := 0
	_ = 1 / zero
}

func negativeShift(frame unsafe.Pointer, pos token.Pos) {
	run.HeadOf(frame).Site = pos
	n := -1
	_ = 1 << n
}

// site notes where the function is, before something that may panic by itself.
func site(frame unsafe.Pointer, pos token.Pos) { run.HeadOf(frame).Site = pos }

// message is a run-time error whose words Go's runtime keeps to itself.
type message string

func (m message) Error() string { return string(m) }

// RuntimeError makes it a runtime.Error.
func (message) RuntimeError() {}

// Reword names the types of cells in the messages of Go's runtime as compiled Go does.
func (c *Compiler) Reword(value any) any {
	err, ok := value.(runtime.Error)
	if !ok {
		return value
	}
	if text := err.Error(); layout.Names(text) {
		return message(c.Types.Reword(text))
	}
	return value
}

func fail(frame unsafe.Pointer, pos token.Pos, text string) {
	run.HeadOf(frame).Site = pos
	panic(message(text))
}

func shortSlice(frame unsafe.Pointer, pos token.Pos, length, want int) {
	fail(frame, pos, fmt.Sprintf("runtime error: cannot convert slice with length %d to array or pointer to array "+
		"with length %d", length, want))
}
