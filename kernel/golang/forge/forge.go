// Package forge makes types with names and methods at run time: descriptions as the compiler writes them for the
// runtime and package reflect. They are never freed.
package forge

import (
	"go/token"
	"hash/fnv"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Named is a type that is being made, and the type of its pointers.
type Named struct {
	Type    reflect.Type
	Pointer reflect.Type
	plain   reflect.Type

	own, ofPointer methodList
	missing        error // why methods are missing
}

// Declaration says what a type is called.
type Declaration struct {
	Name    string // as %T prints it
	Path    string // of its package; empty for a type without a name
	IsNamed bool
	// Form is a type of the same size, alignment and kind, with pointers at the same places, also in its fields.
	Form reflect.Type
	// IsFinal says that methods which do not come at once never will. The runtime remembers which methods a type does
	// not have, except for one that it takes for a type without any; such a one does not tell its path.
	IsFinal bool
	// Parameters is how many parameters and results a function has.
	Parameters int
}

var (
	known  sync.Map // reflect.Type -> *Named
	serial atomic.Uint32
)

// Declare makes a type. Until Fields or Become completes it, only what a pointer to it may do is right.
func Declare(d Declaration) *Named {
	kind := d.Form.Kind()
	head := unsafe.Sizeof(header{}) + tails[kind]
	size := head + unsafe.Sizeof(uncommon{})
	p := room(size + uintptr(d.Parameters)*word)
	copy(unsafe.Slice((*byte)(p), head), unsafe.Slice((*byte)(describes(d.Form)), head))
	t := (*header)(p)
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(d.Name))
	t.hash = hash.Sum32() + serial.Add(1)*0x9e3779b1 // spreads equal names
	t.flags &^= hasStar | hasName | hasUncommon
	if d.IsNamed {
		t.flags |= hasName
	}
	if d.IsFinal || kind == reflect.Func { // the parameters of a function lie behind
		t.flags |= hasUncommon
	}
	t.name, t.pointer = nameOffset(d.Name, nameExported), 0
	path := int32(0)
	if d.Path != "" {
		path = nameOffset(d.Path, 0)
	}
	(*uncommon)(unsafe.Add(p, head)).path = path

	q := room(unsafe.Sizeof(header{}) + tails[reflect.Pointer] + unsafe.Sizeof(uncommon{}))
	to := (*header)(q)
	*to = *headerOf(reflect.TypeFor[*unsafe.Pointer]())
	to.flags &^= hasStar | hasName | hasUncommon
	to.hash = t.hash*16777619 ^ '*'
	to.name, to.pointer = nameOffset("*"+d.Name, 0), 0
	*(*unsafe.Pointer)(unsafe.Add(q, unsafe.Sizeof(header{}))) = p
	(*uncommon)(unsafe.Add(q, unsafe.Sizeof(header{})+tails[reflect.Pointer])).path = path
	t.pointer = addReflectOff(q)

	n := &Named{Type: typeAt(p), Pointer: typeAt(q), plain: d.Form}
	n.own.rt, n.ofPointer.rt = n.Type, n.Pointer
	keep(n, d.Form)
	known.Store(n.Type, n)
	return n
}

// Field is a field of a struct.
type Field struct {
	Name       string
	Tag        string
	Type       reflect.Type
	IsEmbedded bool
}

// Fields completes a struct whose fields lie as those of its form. The path is the package's of those that are not
// exported; empty if all are.
func (n *Named) Fields(path string, fields []Field) {
	list := make([]structField, len(fields))
	for i, f := range fields {
		flags := byte(0)
		if token.IsExported(f.Name) {
			flags |= nameExported
		}
		if f.IsEmbedded {
			flags |= nameEmbedded
		}
		list[i] = structField{encoded(f.Name, f.Tag, flags), describes(f.Type), n.plain.Field(i).Offset}
		keep(f.Type)
	}
	var at *byte
	if path != "" {
		at = encoded(path, "", 0)
	}
	keep(list, at)
	*(*structTail)(unsafe.Add(describes(n.Type), unsafe.Sizeof(header{}))) = structTail{at, list}
	n.plain = n.Type
}

// Become completes a type that is not a struct: it is what a type without a name is.
func (n *Named) Become(plain reflect.Type) {
	n.plain = plain
	keep(plain)
	p, from := describes(n.Type), describes(plain)
	at := unsafe.Sizeof(header{})
	size := tails[plain.Kind()]
	bytesAt := func(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }
	copy(bytesAt(unsafe.Add(p, at), size), bytesAt(unsafe.Add(from, at), size))
	if plain.Kind() == reflect.Func {
		many := uintptr(plain.NumIn()+plain.NumOut()) * word
		begin := at + size
		if headerOf(plain).flags&hasUncommon != 0 {
			begin += unsafe.Sizeof(uncommon{})
		}
		copy(bytesAt(unsafe.Add(p, at+size+unsafe.Sizeof(uncommon{})), many), bytesAt(unsafe.Add(from, begin), many))
	}
}

// Plain is what a type that was made here is without its name; of others, and of structs, the type itself.
func Plain(rt reflect.Type) reflect.Type {
	if rt.Name() == "" && rt.Kind() != reflect.Interface {
		return rt
	}
	if n, ok := known.Load(rt); ok {
		return n.(*Named).plain
	}
	return rt
}
