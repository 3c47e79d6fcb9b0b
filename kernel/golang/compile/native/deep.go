package native

import (
	"go/types"
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/dynamic"
)

// deep is reflect.DeepEqual for cells. Where other goroutines use a map, it ends the cell and not the program.
type deep struct {
	*Session
	seen map[pair]bool
}

// pair is a comparison that is made or was made.
type pair struct {
	x, y unsafe.Pointer
	rt   reflect.Type
}

func deepNative(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
	d := &deep{s, map[pair]bool{}}
	return []reflect.Value{reflect.ValueOf(d.equalHeld(a[0].Interface(), a[1].Interface()))}
}

// equalHeld reports whether interfaces hold equal values.
func (d *deep) equalHeld(x, y any) bool {
	x, y = d.Unwrap(x), d.Unwrap(y)
	if x == nil || y == nil {
		return x == nil && y == nil
	}
	rt := reflect.TypeOf(x)
	if rt != reflect.TypeOf(y) {
		return false
	}
	return d.equal(dynamic.Place(reflect.ValueOf(x)), dynamic.Place(reflect.ValueOf(y)), rt)
}

// equal compares values in memory.
func (d *deep) equal(x, y unsafe.Pointer, rt reflect.Type) bool {
	typ, ok := d.Types.CellType(rt)
	if ok && d.HasCell(typ) {
		rt = d.Types.Plain(typ)
	}
	v, w := reflect.NewAt(rt, x).Elem(), reflect.NewAt(rt, y).Elem()
	switch rt.Kind() {
	case reflect.Struct:
		var st *types.Struct
		if ok && d.HasCell(typ) {
			st, _ = typ.Underlying().(*types.Struct)
		}
		for i := range rt.NumField() {
			at, field := rt.Field(i).Offset, rt.Field(i).Type
			if st != nil {
				field = d.Types.Of(st.Field(i).Type())
			}
			if !d.equal(unsafe.Add(x, at), unsafe.Add(y, at), field) {
				return false
			}
		}
		return true
	case reflect.Array:
		return d.equalElements(x, y, rt.Elem(), rt.Len())
	case reflect.Slice:
		if v.IsNil() != w.IsNil() || v.Len() != w.Len() {
			return false
		}
		return d.equalBehind(v, w, func() bool {
			return d.equalElements(v.UnsafePointer(), w.UnsafePointer(), rt.Elem(), v.Len())
		})
	case reflect.Pointer:
		if v.IsNil() || w.IsNil() {
			return v.IsNil() && w.IsNil()
		}
		return d.equalBehind(v, w, func() bool { return d.equal(v.UnsafePointer(), w.UnsafePointer(), rt.Elem()) })
	case reflect.Map:
		if v.IsNil() != w.IsNil() {
			return false
		}
		return d.equalBehind(v, w, func() bool { return d.equalMaps(v, w) })
	case reflect.Interface:
		if rt.NumMethod() == 0 {
			return d.equalHeld(*(*any)(x), *(*any)(y))
		}
		return d.equalHeld(dynamic.Held(x), dynamic.Held(y))
	case reflect.Func:
		return v.IsNil() && w.IsNil()
	}
	return v.Interface() == w.Interface()
}

// equalBehind reports whether what pointers of any kind lead to is equal. It compares a pair of pointers once.
func (d *deep) equalBehind(v, w reflect.Value, compare func() bool) bool {
	p := pair{v.UnsafePointer(), w.UnsafePointer(), v.Type()}
	if p.x == p.y || d.seen[p] {
		return true
	}
	d.seen[p] = true
	return compare()
}

func (d *deep) equalElements(x, y unsafe.Pointer, rt reflect.Type, n int) bool {
	for i := range n {
		at := uintptr(i) * rt.Size()
		if !d.equal(unsafe.Add(x, at), unsafe.Add(y, at), rt) {
			return false
		}
	}
	return true
}

func (d *deep) equalMaps(v, w reflect.Value) bool {
	var keys, values []reflect.Value
	d.Look(v, func() {
		for it := v.MapRange(); it.Next(); {
			keys, values = append(keys, it.Key()), append(values, it.Value())
		}
	})
	same := false
	d.Look(w, func() { same = w.Len() == len(keys) })
	if !same {
		return false
	}
	for i, key := range keys {
		var other reflect.Value
		d.Look(w, func() { other = w.MapIndex(key) })
		if !other.IsValid() || !d.equal(dynamic.Place(values[i]), dynamic.Place(other), v.Type().Elem()) {
			return false
		}
	}
	return true
}
