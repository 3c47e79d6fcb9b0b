package display

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

const (
	// LongestText is the max number of bytes of a value's text. Longer texts are cut: a notebook keeps them forever,
	// and a browser has to draw them.
	LongestText = 100_000
	// The search for values that contain themselves stops after this many parts.
	maxParts = 200_000
)

// Limited returns a text, cut if it is too long for a notebook.
func Limited(text string) string {
	if len(text) <= LongestText {
		return text
	}
	end := LongestText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s\n... %d more bytes are left out (fmt.Print prints all)", strings.TrimRight(text[:end], " \n"), len(text)-end)
}

// Sprint is fmt.Sprint for a value that may contain itself, for which fmt would never end.
func Sprint(x interface{}) string {
	switch x.(type) {
	case error, fmt.Stringer, fmt.Formatter:
		return Limited(fmt.Sprint(x))
	}
	if ContainsItself(reflect.ValueOf(x)) {
		return fmt.Sprintf("a value of type %T that contains itself", x)
	}
	return Limited(fmt.Sprint(x))
}

// ContainsItself reports whether a map or a slice is, by way of interfaces, an element of itself. Pointers inside a
// value print as addresses, so only the outermost matters.
func ContainsItself(v reflect.Value) bool {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	parts := 0
	type place struct {
		address uintptr
		length  int
		t       reflect.Type
	}
	open := make(map[place]bool)
	var visit func(v reflect.Value) bool
	visit = func(v reflect.Value) bool {
		if parts++; parts > maxParts {
			return false
		}
		switch v.Kind() {
		case reflect.Interface:
			return visit(v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				if visit(v.Field(i)) {
					return true
				}
			}
		case reflect.Map, reflect.Slice, reflect.Array:
			if k := v.Type().Elem().Kind(); k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String {
				return false
			}
			if v.Kind() != reflect.Array {
				p := place{v.Pointer(), v.Len(), v.Type()}
				if open[p] && v.Len() > 0 {
					return true
				}
				open[p] = true
				defer delete(open, p)
			}
			if v.Kind() == reflect.Map {
				for it := v.MapRange(); it.Next(); {
					if visit(it.Value()) {
						return true
					}
				}
				return false
			}
			for i := range v.Len() {
				if visit(v.Index(i)) {
					return true
				}
			}
		}
		return false
	}
	return visit(v)
}
