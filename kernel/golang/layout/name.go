package layout

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

// Name returns a type as compiled Go prints it: by %T, and in the message of a failed assertion.
func Name(t types.Type) string {
	var b nameBuilder
	writeName(&b, t)
	return b.String()
}

// nameBuilder builds the name of a type. Arguments of a generic type are named by the paths of their packages.
type nameBuilder struct {
	strings.Builder
	isArgument bool
}

func writeName(b *nameBuilder, t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil {
			b.WriteString(map[bool]string{true: p.Path(), false: p.Name()}[b.isArgument] + ".")
		}
		b.WriteString(t.Obj().Name())
		for i := range t.TypeArgs().Len() {
			b.WriteString(map[bool]string{true: "[", false: ","}[i == 0])
			outer := b.isArgument
			b.isArgument = true
			writeName(b, t.TypeArgs().At(i))
			b.isArgument = outer
		}
		if t.TypeArgs().Len() > 0 {
			b.WriteByte(']')
		}
	case *types.Basic:
		switch t.Kind() {
		case types.Uint8:
			b.WriteString("uint8")
		case types.Int32:
			b.WriteString("int32")
		case types.UnsafePointer:
			b.WriteString("unsafe.Pointer")
		default:
			b.WriteString(t.Name())
		}
	case *types.Pointer:
		b.WriteByte('*')
		writeName(b, t.Elem())
	case *types.Slice:
		b.WriteString("[]")
		writeName(b, t.Elem())
	case *types.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		writeName(b, t.Elem())
	case *types.Map:
		b.WriteString("map[")
		writeName(b, t.Key())
		b.WriteByte(']')
		writeName(b, t.Elem())
	case *types.Chan:
		b.WriteString([]string{"chan ", "chan<- ", "<-chan "}[t.Dir()])
		writeName(b, t.Elem())
	case *types.Signature:
		b.WriteString("func")
		writeSignature(b, t)
	case *types.Struct:
		writeStruct(b, t)
	case *types.Interface:
		if t.NumMethods() == 0 {
			b.WriteString("interface {}")
			return
		}
		for i := range t.NumMethods() {
			b.WriteString(map[bool]string{true: "interface { ", false: "; "}[i == 0])
			b.WriteString(t.Method(i).Name())
			writeSignature(b, t.Method(i).Signature())
		}
		b.WriteString(" }")
	default:
		b.WriteString(t.String())
	}
}

func writeSignature(b *nameBuilder, s *types.Signature) {
	b.WriteByte('(')
	for i := range s.Params().Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		p := s.Params().At(i).Type()
		if slice, ok := p.(*types.Slice); ok && s.Variadic() && i == s.Params().Len()-1 {
			b.WriteString("...")
			p = slice.Elem()
		}
		writeName(b, p)
	}
	b.WriteByte(')')
	switch s.Results().Len() {
	case 0:
	case 1:
		b.WriteByte(' ')
		writeName(b, s.Results().At(0).Type())
	default:
		for i := range s.Results().Len() {
			b.WriteString(map[bool]string{true: " (", false: ", "}[i == 0])
			writeName(b, s.Results().At(i).Type())
		}
		b.WriteByte(')')
	}
}

func writeStruct(b *nameBuilder, s *types.Struct) {
	b.WriteString("struct {")
	for i := range s.NumFields() {
		b.WriteString(map[bool]string{true: " ", false: "; "}[i == 0])
		f := s.Field(i)
		if !f.Embedded() {
			b.WriteString(f.Name() + " ")
		}
		writeName(b, f.Type())
		if s.Tag(i) != "" {
			b.WriteString(" " + strconv.Quote(s.Tag(i)))
		}
	}
	b.WriteString(map[bool]string{true: " }", false: "}"}[s.NumFields() > 0])
}
