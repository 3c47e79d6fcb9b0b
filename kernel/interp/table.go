package interp

import (
	"go/ast"
	"reflect"

	"github.com/cosmos72/gomacro/xreflect"

	"github.com/spherelab/spherelab/kernel/display"
)

// table shows a slice or array of structs, or of pointers to structs, as a table of their exported fields. False: v is
// something else, is empty, or its structs print by methods of their own.
func (e *Engine) table(v xreflect.Value, t xreflect.Type) (display.Data, bool) {
	if t == nil || t.Kind() != reflect.Slice && t.Kind() != reflect.Array || v.Len() == 0 {
		return display.Data{}, false
	}
	row := t.Elem()
	pointers := row.Kind() == reflect.Pointer
	if e.printsItself(row) {
		return display.Data{}, false
	}
	if pointers {
		row = row.Elem()
	}
	if row.Kind() != reflect.Struct || e.printsItself(row) {
		return display.Data{}, false
	}
	var columns []display.Column
	var fields []xreflect.StructField
	for i := range row.NumField() {
		f := row.Field(i)
		if !ast.IsExported(f.Name) {
			continue
		}
		fields = append(fields, f)
		kind := f.Type.Kind()
		columns = append(columns, display.Column{Name: f.Name, Numbers: kind >= reflect.Int && kind <= reflect.Complex128})
	}
	if len(fields) == 0 {
		return display.Data{}, false
	}
	html := display.Table(columns, v.Len(), func(i, column int) string {
		item := v.Index(i)
		if pointers {
			if item.IsNil() {
				return "<nil>"
			}
			item = item.Elem()
		}
		f := fields[column]
		return e.text(item.FieldByIndex(f.Index), f.Type)
	})
	return display.MakeData3(display.MIMETypeHTML, e.text(v, t), html), true
}

// printsItself reports whether values of t have a method by which package fmt prints them.
func (e *Engine) printsItself(t xreflect.Type) bool {
	if len(e.howToPrint(t).method) > 0 {
		return true
	}
	for _, i := range printers {
		if rt := t.ReflectType(); rt != nil && rt.Implements(i) {
			return true
		}
	}
	return false
}
