package compile

import (
	"go/token"
	"go/types"
	"strconv"
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

// indexText is an index as the messages of faults show it.
func indexText(n int, unsigned bool) string {
	if unsigned {
		return strconv.FormatUint(uint64(n), 10)
	}
	return strconv.Itoa(n)
}

func outOfRange(frame unsafe.Pointer, pos token.Pos, index, length int, unsigned bool) {
	run.HeadOf(frame).Site = pos
	text := "runtime error: index out of range [" + indexText(index, unsigned) + "]"
	if index >= 0 || unsigned {
		text += " with length " + strconv.Itoa(length)
	}
	panic(message(text))
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
	panic(message(b.text(low, high, most, limit)))
}

func (b *bounds) text(low, high, most, limit int) string {
	const head = "runtime error: slice bounds out of range ["
	l, h, m := indexText(low, b.low), indexText(high, b.high), indexText(most, b.most)
	end := "] with " + b.limit + " " + strconv.Itoa(limit)
	switch {
	case b.made && high < 0:
		return "runtime error: makeslice: len out of range"
	case b.made:
		return "runtime error: makeslice: cap out of range"
	case b.three && most < 0 && !b.most:
		return head + "::" + m + "]"
	case b.three && uint(most) > uint(limit):
		return head + "::" + m + end
	case b.three && high < 0 && !b.high:
		return head + ":" + h + ":]"
	case b.three && uint(high) > uint(most):
		return head + ":" + h + ":" + m + "]"
	case b.three && low < 0 && !b.low:
		return head + l + "::]"
	case b.three:
		return head + l + ":" + h + ":]"
	case high < 0 && !b.high:
		return head + ":" + h + "]"
	case uint(high) > uint(limit):
		return head + ":" + h + end
	case low < 0 && !b.low:
		return head + l + ":]"
	}
	return head + l + ":" + h + "]"
}
