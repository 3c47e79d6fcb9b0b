package cell

import (
	"fmt"
	"go/types"
	"reflect"
	"runtime"
	"unsafe"
)

// Column is an exported field of the structs of a table.
type Column struct {
	Name    string
	Numbers bool
}

// Rows is a slice or array of structs, or of pointers to structs, that is shown as a table.
type Rows struct {
	Columns []Column
	Len     int
	Text    func(row, column int) string
}

// Rows reads a value as a table. It returns false if it is something else, is empty, or its structs print by methods of
// their own.
func (s *Session) Rows(v any) (Rows, bool) {
	rv := reflect.ValueOf(v)
	if !rv.IsValid() {
		return Rows{}, false
	}
	typ, ok := s.compiler.Types.CellType(rv.Type())
	if !ok {
		return Rows{}, false
	}
	var elem types.Type
	switch t := typ.Underlying().(type) {
	case *types.Slice:
		elem = t.Elem()
	case *types.Array:
		elem = t.Elem()
	default:
		return Rows{}, false
	}
	row, ofPointers := elem, false
	if p, ok := elem.Underlying().(*types.Pointer); ok {
		row, ofPointers = p.Elem(), true
	}
	st, ok := row.Underlying().(*types.Struct)
	if !ok || s.printsItself(elem) || s.printsItself(row) {
		return Rows{}, false
	}
	memory, n := s.elements(rv, typ)
	if n == 0 {
		return Rows{}, false
	}
	var all []*types.Var
	for f := range st.Fields() {
		all = append(all, f)
	}
	offsets := types.SizesFor("gc", runtime.GOARCH).Offsetsof(all)
	size := s.compiler.Types.Of(elem).Size()
	r := Rows{Len: n}
	var fields []int
	for i, f := range all {
		if !f.Exported() {
			continue
		}
		fields = append(fields, i)
		basic, ok := f.Type().Underlying().(*types.Basic)
		r.Columns = append(r.Columns, Column{f.Name(), ok && basic.Info()&types.IsNumeric != 0})
	}
	r.Text = func(i, column int) string {
		p := unsafe.Add(memory, uintptr(i)*size)
		if ofPointers {
			if p = *(*unsafe.Pointer)(p); p == nil {
				return "<nil>"
			}
		}
		f := fields[column]
		return s.textAt(unsafe.Add(p, offsets[f]), all[f].Type())
	}
	return r, len(fields) > 0
}

// elements returns the memory of a slice or an array, and how many elements it has.
func (s *Session) elements(v reflect.Value, typ types.Type) (unsafe.Pointer, int) {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	if t, ok := typ.Underlying().(*types.Array); ok {
		return p.UnsafePointer(), int(t.Len())
	}
	header := (*[]struct{})(p.UnsafePointer())
	return unsafe.Pointer(unsafe.SliceData(*header)), len(*header)
}

// textAt returns the text of a value in memory.
func (s *Session) textAt(p unsafe.Pointer, t types.Type) string {
	if types.IsInterface(t) {
		return s.Text(s.compiler.Dynamic(p, t))
	}
	return s.Text(reflect.NewAt(s.compiler.Types.Of(t), p).Elem().Interface())
}

// printsItself reports whether values of a type have a method by which package fmt prints them.
func (s *Session) printsItself(t types.Type) bool {
	methods := types.NewMethodSet(t)
	for _, want := range []string{"Format", "Error", "String"} {
		if methods.Lookup(nil, want) != nil {
			return true
		}
	}
	return false
}

// TypeName is the type of a value as Go prints it.
func (s *Session) TypeName(v any) string {
	if v == nil {
		return fmt.Sprintf("%T", v)
	}
	return s.compiler.DynamicName(reflect.TypeOf(v))
}
