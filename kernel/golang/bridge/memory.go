package bridge

import (
	"iter"
	"reflect"
	"unsafe"
)

// entriesOf are the keys and values of a map, which calls of the cell's methods may change meanwhile.
func entriesOf(s Session, m reflect.Value) iter.Seq2[reflect.Value, reflect.Value] {
	var keys, values []reflect.Value
	s.Look(m, func() {
		for it := m.MapRange(); it.Next(); {
			keys, values = append(keys, it.Key()), append(values, it.Value())
		}
	})
	return func(yield func(key, value reflect.Value) bool) {
		for i, key := range keys {
			if !yield(key, values[i]) {
				return
			}
		}
	}
}

func placed(v reflect.Value) unsafe.Pointer {
	memory := reflect.New(v.Type())
	memory.Elem().Set(v)
	return memory.UnsafePointer()
}
