package fault

import (
	"fmt"
	"go/token"
	"unsafe"
)

// LargeMemory is the size in bytes from which an allocation checks whether the machine has the memory.
const LargeMemory = 1 << 30

// Memory ends a cell that allocates more memory than the machine has. Go's runtime would end the program, and
// everything in the session would be lost.
func Memory(frame unsafe.Pointer, pos token.Pos, bytes uintptr) {
	if bytes < LargeMemory {
		return
	}
	const giga = 1e9
	if all := machineMemory(); all > 0 && uint64(bytes) > all {
		Fail(frame, pos, fmt.Sprintf("out of memory: %.1f GB were requested, and this machine has %.1f GB",
			float64(bytes)/giga, float64(all)/giga))
	}
}
