package native

import (
	"database/sql"
	"database/sql/driver"
	"reflect"
	_ "unsafe" // for go:linkname

	"golang.org/x/tools/go/ssa"
)

func init() {
	instances["(*database/sql.Null[T]).Scan"], instances["(database/sql.Null[T]).Value"] = nullScan, nullValue
}

//go:linkname convertAssign database/sql.convertAssign
func convertAssign(dest, src any) error

// nullScan is the method Scan of sql.Null, whose source calls what package database/sql does not export.
func nullScan(_ *Session, _ *ssa.Function, a []reflect.Value, _ []reflect.Type) []reflect.Value {
	null, src := a[0].Elem(), a[1].Interface()
	var err error
	if src == nil {
		null.SetZero()
	} else {
		null.Field(1).SetBool(true)
		err = convertAssign(null.Field(0).Addr().Interface(), src)
	}
	return []reflect.Value{reflect.ValueOf(&err).Elem()}
}

// nullValue is the method Value of sql.Null.
func nullValue(_ *Session, _ *ssa.Function, a []reflect.Value, _ []reflect.Type) []reflect.Value {
	var value driver.Value
	var err error
	if a[0].Field(1).Bool() {
		value, err = sql.Null[any]{V: a[0].Field(0).Interface(), Valid: true}.Value()
	}
	return []reflect.Value{reflect.ValueOf(&value).Elem(), reflect.ValueOf(&err).Elem()}
}
