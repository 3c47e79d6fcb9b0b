package forge

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Method is a method of a type or of its pointers.
type Method struct {
	Name string
	Type reflect.Type // without the receiver
	// Call calls it. The receiver is a value of the type that has the method.
	// Arguments and results lie where the pointers say.
	Call func(receiver any, args, results []unsafe.Pointer)
}

// MaxParameters is how many parameters and results a method can have together. Reflection takes 128 with the receiver.
const MaxParameters = 127

// methodList has what compiled code sees of the methods of a type.
type methodList struct {
	rt    reflect.Type
	shown []signature
	// made has all that were ever shown. Compiled code may hold any of them.
	made map[signature]methodEntry
}

type signature struct {
	name string
	typ  reflect.Type
}

// Methods sets the methods of the type and of its pointers. It may be called again, with others: a method that has
// another signature then is another method, and compiled code that knows the old one still calls that. After an error
// the type has the methods that it had, and keeps them.
func (n *Named) Methods(own, ofPointer []Method) error {
	if n.missing == nil {
		n.missing = setMethods([]*methodList{&n.own, &n.ofPointer}, own, ofPointer)
	}
	return n.missing
}

// Missing says why methods of a type that was made here, or of its pointers, are missing; nil if none is.
func Missing(rt reflect.Type) error {
	if rt.Kind() == reflect.Pointer && rt.Name() == "" {
		rt = rt.Elem()
	}
	if n, ok := known.Load(rt); ok {
		return n.(*Named).missing
	}
	return nil
}

var errFull = errors.New("this program has made all types with methods that it has memory for")

// setMethods takes what all lists need before it changes one.
func setMethods(lists []*methodList, methods ...[]Method) error {
	need := 0
	entries := make([][]methodEntry, len(lists))
	for i, l := range lists {
		methods[i] = slices.Clone(methods[i])
		slices.SortFunc(methods[i], func(a, b Method) int { return cmp.Compare(a.Name, b.Name) })
		for _, m := range methods[i] {
			if _, ok := l.made[m.signature()]; !ok {
				need += stubsPerMethod(l.rt)
			}
		}
	}
	if stubsLeft() < need {
		return errStubs
	}
	for i, l := range lists {
		if len(methods[i]) == 0 || l.isShown(methods[i]) {
			continue
		}
		if entries[i] = l.room(len(methods[i])); entries[i] == nil {
			return errFull
		}
	}
	next, err := reserve(need)
	if err != nil {
		return err
	}
	for i, l := range lists {
		if !l.isShown(methods[i]) {
			next = l.show(methods[i], entries[i], next)
		}
	}
	return nil
}

func (m Method) signature() signature { return signature{m.Name, m.Type} }

func (l *methodList) isShown(methods []Method) bool {
	return slices.EqualFunc(l.shown, methods, func(a signature, m Method) bool { return a == m.signature() })
}

// room is memory for entries behind the type; nil if there is none.
func (l *methodList) room(n int) []methodEntry {
	p := roomInArena(uintptr(n) * unsafe.Sizeof(methodEntry{}))
	if at := describes(l.rt); p == nil || uintptr(p) < uintptr(at) || uintptr(p)-uintptr(at) > maxDistance {
		return nil
	}
	return unsafe.Slice((*methodEntry)(p), n)
}

const maxDistance = 1 << 31 // of methods behind their type

// show fills the entries and makes them those of the type. It returns the first stub that it leaves.
func (l *methodList) show(methods []Method, entries []methodEntry, stub int) int {
	if l.made == nil {
		l.made = map[signature]methodEntry{}
	}
	l.shown = make([]signature, len(methods))
	for i, m := range methods {
		s := m.signature()
		e, ok := l.made[s]
		if !ok {
			keep(m.Type)
			e = methodEntry{name: nameOffset(m.Name, nameExported), typ: addReflectOff(describes(m.Type))}
			e.byWord, e.byValue = fillStubs(l.rt, m, stub)
			stub += stubsPerMethod(l.rt)
			l.made[s] = e
		}
		entries[i], l.shown[i] = e, s
	}
	u := uncommonOf(l.rt)
	u.set(entries)
	if len(entries) > 0 {
		(*header)(describes(l.rt)).flags |= hasUncommon
	}
	return stub
}

func uncommonOf(rt reflect.Type) *uncommon {
	return (*uncommon)(unsafe.Add(describes(rt), unsafe.Sizeof(header{})+tails[rt.Kind()]))
}

// set makes the entries those of the type. Other goroutines may read: a number that belongs to the longer list never
// meets the shorter one if they read it first. The two do not lie so that one store can change both.
func (u *uncommon) set(entries []methodEntry) {
	number := [2]uint16{uint16(len(entries)), uint16(len(entries))}
	setNumber := func() {
		atomic.StoreUint32((*uint32)(unsafe.Pointer(&u.count)), *(*uint32)(unsafe.Pointer(&number)))
	}
	if len(entries) < int(u.count) {
		setNumber()
	}
	if len(entries) > 0 {
		atomic.StoreUint32(&u.methods, uint32(uintptr(unsafe.Pointer(&entries[0]))-uintptr(unsafe.Pointer(u))))
	}
	setNumber()
}
