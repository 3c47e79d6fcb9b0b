package compile

import (
	"go/token"
	"go/types"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// unsigned64 tells whether an index of a type may be more than an int holds.
func unsigned64(v ssa.Value) bool {
	if v == nil {
		return false
	}
	basic, ok := v.Type().Underlying().(*types.Basic)
	if !ok {
		return false
	}
	return basic.Kind() == types.Uint || basic.Kind() == types.Uint64 || basic.Kind() == types.Uintptr
}

func outOfRange(frame unsafe.Pointer, pos token.Pos, index, length int, unsigned bool) {
	run.HeadOf(frame).Site = pos
	panic(boundsError(boundsIndex, index, length, !unsigned))
}

// bounds says how a slice expression is checked.
type bounds struct {
	low, high, most bool   // unsigned
	three           bool   // there is a third index
	limit           string // "length" or "capacity"
	made            bool   // it is a make([]T, n, constant)
}

// check ends the function where the indices do not fit: 0 <= low <= high <= most <= limit.
func (b *bounds) check(frame unsafe.Pointer, pos token.Pos, low, high, most, limit int) {
	if uint(low) <= uint(high) && uint(high) <= uint(most) && uint(most) <= uint(limit) {
		return
	}
	run.HeadOf(frame).Site = pos
	panic(b.fault(low, high, most, limit))
}

func (b *bounds) fault(low, high, most, limit int) error {
	code, code3 := uint8(boundsSliceCapacity), uint8(boundsSlice3Capacity)
	if b.limit == "length" {
		code, code3 = boundsSliceLength, boundsSlice3Length
	}
	switch {
	case b.made && high < 0:
		return runtimeError("runtime error: makeslice: len out of range")
	case b.made:
		return runtimeError("runtime error: makeslice: cap out of range")
	case b.three && uint(most) > uint(limit):
		return boundsError(code3, most, limit, !b.most)
	case b.three && uint(high) > uint(most):
		return boundsError(boundsSlice3High, high, most, !b.high)
	case b.three:
		return boundsError(boundsSlice3Low, low, high, !b.low)
	case uint(high) > uint(limit):
		return boundsError(code, high, limit, !b.high)
	}
	return boundsError(boundsSliceLow, low, high, !b.low)
}
