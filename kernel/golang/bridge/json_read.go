package bridge

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// filler reads a value from a text into memory. It returns false where the text is not what it expects, such as one
// with an error: encoding/json then finds out what that is.
type filler func(t *text, p unsafe.Pointer) bool

// fillers are made once for a type.
var fillers sync.Map // reflect.Type -> filler

// fillerOf returns the filler of a type, nil if only encoding/json can read it.
func fillerOf(rt reflect.Type) filler {
	if r, ok := fillers.Load(rt); ok {
		return r.(filler)
	}
	return making{}.filler(rt)
}

// making holds the types whose fillers are being made.
type making map[reflect.Type]bool

// filler makes the filler of a type. A type that contains itself has none, nor has what contains such a type.
func (m making) filler(rt reflect.Type) filler {
	if r, ok := fillers.Load(rt); ok {
		return r.(filler)
	}
	if m[rt] {
		return nil
	}
	m[rt] = true
	defer delete(m, rt)
	r := m.make(rt)
	fillers.Store(rt, r)
	return r
}

func (m making) make(rt reflect.Type) filler {
	pointer := reflect.PointerTo(rt)
	if rt == reflect.TypeFor[json.Number]() || // only a number may be its text
		pointer.Implements(reflect.TypeFor[json.Unmarshaler]()) ||
		pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	switch rt.Kind() {
	case reflect.Bool:
		return func(t *text, p unsafe.Pointer) bool {
			switch {
			case t.word("true"):
				*(*bool)(p) = true
			case t.word("false"):
				*(*bool)(p) = false
			default:
				return t.word("null")
			}
			return true
		}
	case reflect.String:
		return func(t *text, p unsafe.Pointer) bool {
			s, ok := t.string()
			if !ok {
				return t.word("null")
			}
			*(*string)(p) = s
			return true
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return signedFiller(rt)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return numberFiller(rt, func(s string, v reflect.Value) bool {
			n, err := strconv.ParseUint(s, 10, rt.Bits())
			v.SetUint(n)
			return err == nil
		})
	case reflect.Float32, reflect.Float64:
		return floatFiller(rt.Bits())
	case reflect.Pointer:
		return m.pointerFiller(rt)
	case reflect.Slice:
		return m.sliceFiller(rt)
	case reflect.Struct:
		return m.structFiller(rt)
	}
	return nil
}

func numberFiller(rt reflect.Type, set func(s string, v reflect.Value) bool) filler {
	return func(t *text, p unsafe.Pointer) bool {
		s, ok := t.number()
		if !ok {
			return t.word("null")
		}
		return set(s, reflect.NewAt(rt, p).Elem())
	}
}

func signedFiller(rt reflect.Type) filler {
	if rt.Kind() != reflect.Int && rt.Kind() != reflect.Int64 {
		return numberFiller(rt, func(s string, v reflect.Value) bool {
			n, err := strconv.ParseInt(s, 10, rt.Bits())
			v.SetInt(n)
			return err == nil
		})
	}
	return func(t *text, p unsafe.Pointer) bool {
		s, ok := t.number()
		if !ok {
			return t.word("null")
		}
		n, err := strconv.ParseInt(s, 10, rt.Bits())
		*(*int64)(p) = n
		return err == nil
	}
}

func floatFiller(bits int) filler {
	return func(t *text, p unsafe.Pointer) bool {
		s, ok := t.number()
		if !ok {
			return t.word("null")
		}
		v, err := strconv.ParseFloat(s, bits)
		if bits == 32 {
			*(*float32)(p) = float32(v)
		} else {
			*(*float64)(p) = v
		}
		return err == nil
	}
}

func (m making) pointerFiller(rt reflect.Type) filler {
	elem := rt.Elem()
	read := m.filler(elem)
	if read == nil {
		return nil
	}
	return func(t *text, p unsafe.Pointer) bool {
		to := (*unsafe.Pointer)(p)
		if t.word("null") {
			*to = nil
			return true
		}
		if *to == nil {
			*to = reflect.New(elem).UnsafePointer()
		}
		return read(t, *to)
	}
}

func (m making) sliceFiller(rt reflect.Type) filler {
	read, size := m.filler(rt.Elem()), rt.Elem().Size()
	if read == nil || rt.Elem().Kind() == reflect.Uint8 { // bytes are a text
		return nil
	}
	return func(t *text, p unsafe.Pointer) bool {
		v := reflect.NewAt(rt, p).Elem()
		if t.word("null") {
			v.SetZero()
			return true
		}
		if !t.next('[') {
			return false
		}
		if t.next(']') {
			v.Set(reflect.MakeSlice(rt, 0, 0))
			return true
		}
		room, data := v.Cap(), v.UnsafePointer()
		for n := 0; ; n++ {
			if n >= room {
				v.SetLen(n)
				v.Grow(1)
				room, data = v.Cap(), v.UnsafePointer()
			}
			if !read(t, unsafe.Add(data, uintptr(n)*size)) {
				return false
			}
			if t.next(']') {
				v.SetLen(n + 1)
				return true
			}
			if !t.next(',') {
				return false
			}
		}
	}
}

// member is a field that a text may name.
type member struct {
	name   string
	offset uintptr
	read   filler
}

func (m making) structFiller(rt reflect.Type) filler {
	var members []member
	for i := range rt.NumField() {
		f := rt.Field(i)
		tag := f.Tag.Get("json")
		if f.PkgPath != "" && !f.Anonymous || tag == "-" {
			continue
		}
		name, options := splitTag(tag)
		if name == "" {
			name = f.Name
		}
		read := m.filler(f.Type)
		same := func(m member) bool { return m.name == name }
		if read == nil || f.Anonymous || slices.Contains(strings.Split(options, ","), "string") ||
			slices.ContainsFunc(members, same) {
			return nil
		}
		members = append(members, member{name, f.Offset, read})
	}
	return func(t *text, p unsafe.Pointer) bool {
		if !t.next('{') {
			return t.word("null")
		}
		if t.next('}') {
			return true
		}
		for expected := 0; ; expected++ {
			n, ok := t.key(members, expected)
			if !ok || !t.next(':') {
				return false
			}
			if n < 0 {
				if t.strict || !t.skip(0) {
					return false
				}
			} else if !members[n].read(t, unsafe.Add(p, members[n].offset)) {
				return false
			}
			if t.next('}') {
				return true
			}
			if !t.next(',') {
				return false
			}
		}
	}
}

// key reads the name of a field and finds the field, -1 if there is none. The text mostly has them in their order.
func (t *text) key(members []member, expected int) (int, bool) {
	t.space()
	if expected < len(members) {
		name, rest := members[expected].name, t.data[t.at:]
		if end := 1 + len(name); len(rest) > end && rest[0] == '"' && rest[end] == '"' &&
			string(rest[1:end]) == name && isBare(name) {
			t.at += len(name) + 2
			return expected, true
		}
	}
	key, ok := t.string()
	if !ok {
		return 0, false
	}
	n := slices.IndexFunc(members, func(m member) bool { return m.name == key })
	if n < 0 {
		n = slices.IndexFunc(members, func(m member) bool { return strings.EqualFold(m.name, key) })
	}
	return n, true
}

// isBare reports whether a name is written in a text as it is.
func isBare(name string) bool {
	return !strings.ContainsAny(name, `"\`) && utf8.ValidString(name)
}
