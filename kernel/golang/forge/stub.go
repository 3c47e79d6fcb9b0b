//go:build amd64 || arm64

package forge

import (
	"sync"
	"unsafe"
)

// Code for methods: stub i calls the function value at table[i] with the registers and the stack as it finds them.
const (
	stubCount = 1 << 15
	stubSize  = 16 // bytes
)

var table [stubCount]unsafe.Pointer

var stubs struct {
	sync.Mutex
	used int
}

// firstStub returns the address of the stubs.
func firstStub() uintptr

// stubTable is all stubs.
func stubTable()

// stubFor returns code that calls a function value.
func stubFor(v any) (offset int32, ok bool) {
	stubs.Lock()
	defer stubs.Unlock()
	if stubs.used == stubCount {
		return 0, false
	}
	table[stubs.used] = (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]
	code := firstStub() + uintptr(stubs.used)*stubSize
	stubs.used++
	return addReflectOff(*(*unsafe.Pointer)(unsafe.Pointer(&code))), true
}

// Limits says why methods of a type may be missing.
func Limits() string {
	return "this program has code for 32768 methods of cells' types, and all is in use"
}
