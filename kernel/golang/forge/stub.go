//go:build amd64 || arm64

package forge

import (
	"errors"
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

// firstStub returns the address of the stubs, which lie one after the other.
func firstStub() uintptr

var errStubs = errors.New("this program has code for 32768 methods of cells' types, and all is in use")

func stubsLeft() int {
	stubs.Lock()
	defer stubs.Unlock()
	return stubCount - stubs.used
}

// reserve returns the first of some stubs that lie one after the other.
func reserve(n int) (int, error) {
	stubs.Lock()
	defer stubs.Unlock()
	if stubs.used+n > stubCount {
		return 0, errStubs
	}
	stubs.used += n
	return stubs.used - n, nil
}

// fillStub makes a stub the code that calls a function value.
func fillStub(i int, v any) int32 {
	table[i] = (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]
	code := firstStub() + uintptr(i)*stubSize
	return addReflectOff(*(*unsafe.Pointer)(unsafe.Pointer(&code)))
}
