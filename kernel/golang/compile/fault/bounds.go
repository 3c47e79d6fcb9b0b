package fault

import (
	"go/token"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// OutOfRange ends the function as an index out of range does. unsigned is true if the index has an unsigned type.
func OutOfRange(frame unsafe.Pointer, pos token.Pos, index, length int, unsigned bool) {
	run.HeadOf(frame).Site = pos
	panic(boundsError(boundsIndex, index, length, !unsigned))
}

// Bounds is how a slice expression is checked.
type Bounds struct {
	Low, High, Max bool   // unsigned
	Three          bool   // there is a third index
	Limit          string // "length" or "capacity"
	Made           bool   // it is a make([]T, n, constant)
}

// Check ends the function unless 0 <= low <= high <= max <= limit.
func (b *Bounds) Check(frame unsafe.Pointer, pos token.Pos, low, high, max, limit int) {
	if uint(low) <= uint(high) && uint(high) <= uint(max) && uint(max) <= uint(limit) {
		return
	}
	run.HeadOf(frame).Site = pos
	panic(b.fault(low, high, max, limit))
}

func (b *Bounds) fault(low, high, max, limit int) error {
	code, code3 := uint8(boundsSliceCapacity), uint8(boundsSlice3Capacity)
	if b.Limit == "length" {
		code, code3 = boundsSliceLength, boundsSlice3Length
	}
	switch {
	case b.Made && high < 0:
		return runtimeError("runtime error: makeslice: len out of range")
	case b.Made:
		return runtimeError("runtime error: makeslice: cap out of range")
	case b.Three && uint(max) > uint(limit):
		return boundsError(code3, max, limit, !b.Max)
	case b.Three && uint(high) > uint(max):
		return boundsError(boundsSlice3High, high, max, !b.High)
	case b.Three:
		return boundsError(boundsSlice3Low, low, high, !b.Low)
	case uint(high) > uint(limit):
		return boundsError(code, high, limit, !b.High)
	}
	return boundsError(boundsSliceLow, low, high, !b.Low)
}
