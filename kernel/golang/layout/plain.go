package layout

import (
	"reflect"

	"github.com/spherelab/spherelab/kernel/golang/forge"
)

// IsNumeric reports whether a kind is that of integers or of floating-point numbers.
func IsNumeric(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Float64 }

// Unwrapped removes the names that cells gave a type, except for a struct's.
func Unwrapped(rt reflect.Type) reflect.Type { return forge.Plain(rt) }
