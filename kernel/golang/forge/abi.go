package forge

import (
	"reflect"
	"sync"
	"unsafe"
)

// header is the beginning of what the runtime knows of a type: internal/abi.Type.
type header struct {
	size, ptrBytes    uintptr
	hash              uint32
	flags             uint8
	align, fieldAlign uint8
	kind              uint8
	equal             unsafe.Pointer
	gcData            unsafe.Pointer
	name, pointer     int32
}

// Flags of a header.
const (
	hasUncommon = 1 << 0
	hasStar     = 1 << 1
	hasName     = 1 << 2
	isDirect    = 1 << 5 // an interface holds the value in its data word
)

// uncommon follows the description of a type that has a name or methods.
type uncommon struct {
	path            int32
	count, exported uint16
	methods, _      uint32 // where the methods begin, from here
}

type methodEntry struct{ name, typ, byWord, byValue int32 }

type structField struct {
	name   *byte
	typ    unsafe.Pointer
	offset uintptr
}

type structTail struct {
	path   *byte
	fields []structField
}

// tails has how many bytes follow the header, by kind.
var tails = map[reflect.Kind]uintptr{
	reflect.Array: 3 * word, reflect.Chan: 2 * word, reflect.Func: word, reflect.Interface: 4 * word,
	reflect.Map: 8 * word, reflect.Pointer: word, reflect.Slice: word, reflect.Struct: unsafe.Sizeof(structTail{}),
}

const word = unsafe.Sizeof(uintptr(0))

//go:linkname addReflectOff reflect.addReflectOff
func addReflectOff(ptr unsafe.Pointer) int32

// typeAt is the type that a description describes.
func typeAt(p unsafe.Pointer) reflect.Type {
	var v any
	*(*unsafe.Pointer)(unsafe.Pointer(&v)) = p
	return reflect.TypeOf(v)
}

// describes returns the description of a type: what the first word of an `any` points at.
func describes(rt reflect.Type) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&rt))[1] }

func headerOf(rt reflect.Type) *header { return (*header)(describes(rt)) }

// Parts of an encoded name.
const (
	nameExported = 1 << 0
	nameTagged   = 1 << 1
	nameEmbedded = 1 << 3
)

// encoded is a name as the runtime has it: flags, length and text, and a tag likewise.
func encoded(text, tag string, flags byte) *byte {
	if tag != "" {
		flags |= nameTagged
	}
	b := append([]byte{flags}, length(len(text))...)
	b = append(b, text...)
	if tag != "" {
		b = append(b, length(len(tag))...)
		b = append(b, tag...)
	}
	return &b[0]
}

func length(n int) (b []byte) {
	const more = 0x80
	for ; n >= more; n >>= 7 {
		b = append(b, byte(n)|more)
	}
	return append(b, byte(n))
}

func nameOffset(text string, flags byte) int32 {
	return addReflectOff(unsafe.Pointer(encoded(text, "", flags)))
}

// arena is where descriptions lie. The methods of a type must lie behind it, also those that are added later, and what
// the runtime knows of a type must not move or end. The garbage collector does not look here: kept has what is pointed
// at.
var (
	memory [1 << 20]uint64
	arena  struct {
		sync.Mutex
		used uintptr
		kept []any
	}
)

// room takes memory for a description. It is on the heap once the arena is full.
func room(size uintptr) unsafe.Pointer {
	if p := roomInArena(size); p != nil {
		return p
	}
	heap := make([]uint64, units(size))
	keep(heap)
	return unsafe.Pointer(&heap[0])
}

func units(size uintptr) uintptr {
	const unit = unsafe.Sizeof(uint64(0))
	return (size + unit - 1) / unit
}

// roomInArena is nil once the arena is full.
func roomInArena(size uintptr) unsafe.Pointer {
	n := units(size)
	arena.Lock()
	defer arena.Unlock()
	if arena.used+n > uintptr(len(memory)) {
		return nil
	}
	p := unsafe.Pointer(&memory[arena.used])
	arena.used += n
	return p
}

func keep(list ...any) {
	arena.Lock()
	defer arena.Unlock()
	arena.kept = append(arena.kept, list...)
}
