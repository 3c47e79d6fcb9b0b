package compile

import (
	"fmt"
	"go/token"
	"unsafe"
)

// largeMemory is from how many bytes on an allocation asks whether the machine has them.
const largeMemory = 1 << 30

// room ends a cell that asks for more memory than the machine has: Go's runtime would end the program, and with it all
// that the session holds.
func room(frame unsafe.Pointer, pos token.Pos, bytes uintptr) {
	if bytes < largeMemory {
		return
	}
	const giga = 1e9
	if all := machineMemory(); all > 0 && uint64(bytes) > all {
		fail(frame, pos, fmt.Sprintf("out of memory: %.1f GB are asked for, and this machine has %.1f GB",
			float64(bytes)/giga, float64(all)/giga))
	}
}
