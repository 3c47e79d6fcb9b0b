package native

import (
	"go/types"
	"reflect"
	"strings"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// refusal is why a compiled function cannot take values of cells' types.
type refusal struct {
	methods bool // types without methods are accepted
	remedy  string
}

// refused has the functions that use the names or methods of types by reflection, which types of cells do not have
// there.
var refused = map[string]refusal{}

func init() {
	for remedy, list := range map[string][]string{
		"use encoding/json": {"encoding/xml.Marshal", "encoding/xml.MarshalIndent", "encoding/xml.Unmarshal",
			"(*encoding/xml.Encoder).Encode", "(*encoding/xml.Encoder).EncodeElement", "(*encoding/xml.Decoder).Decode",
			"(*encoding/xml.Decoder).DecodeElement", "encoding/gob.Register", "encoding/gob.RegisterName",
			"(*encoding/gob.Encoder).Encode", "(*encoding/gob.Decoder).Decode", "encoding/asn1.Marshal",
			"encoding/asn1.MarshalWithParams", "encoding/asn1.Unmarshal", "encoding/asn1.UnmarshalWithParams"},
	} {
		for _, name := range list {
			refused[name] = refusal{remedy: remedy}
		}
	}
	for remedy, list := range map[string][]string{
		"pass it a map of what the methods return": {"(*text/template.Template).Execute",
			"(*text/template.Template).ExecuteTemplate", "(*html/template.Template).Execute",
			"(*html/template.Template).ExecuteTemplate"},
		"pass it text, as fmt.Sprint makes": {"log/slog.Debug", "log/slog.Info", "log/slog.Warn", "log/slog.Error",
			"log/slog.Any", "log/slog.With", "log/slog.AnyValue", "(*log/slog.Logger).Debug", "(*log/slog.Logger).Info",
			"(*log/slog.Logger).Warn", "(*log/slog.Logger).Error", "(*log/slog.Logger).With", "log/slog.DebugContext",
			"log/slog.InfoContext", "log/slog.WarnContext", "log/slog.ErrorContext", "log/slog.Log", "log/slog.Group",
			"(*log/slog.Logger).DebugContext", "(*log/slog.Logger).InfoContext", "(*log/slog.Logger).WarnContext",
			"(*log/slog.Logger).ErrorContext", "(*log/slog.Logger).Log"},
	} {
		for _, name := range list {
			refused[name] = refusal{methods: true, remedy: remedy}
		}
	}
}

// refusalStep returns a step that ends a call whose arguments the function would take wrongly. It returns nil for
// functions that take all arguments.
//
//go:noinline
func (s *Session) refusalStep(name string, have []reflect.Type, args []uintptr) run.Instr {
	r, ok := refused[name]
	if !ok {
		return nil
	}
	stop := func(v any) {
		if v == nil {
			return
		}
		typ, ok := s.Types.CellType(reflect.TypeOf(v))
		if !ok {
			return
		}
		if named := s.findRefusedType(typ, r.methods, map[types.Type]bool{}); named != nil {
			what := "the type "
			if r.methods {
				what = "the methods of "
			}
			panic(fault.Message(plainName(name) + " does not see " + what + layout.Name(named) + " of a cell: " + r.remedy))
		}
	}
	return func(f unsafe.Pointer) {
		for i, rt := range have {
			switch rt {
			case reflect.TypeFor[any]():
				stop(*slot.At[any](f, args[i]))
			case reflect.TypeFor[[]any]():
				for _, v := range *slot.At[[]any](f, args[i]) {
					stop(v)
				}
			}
		}
	}
}

// plainName is the name of a function in SSA as messages say it.
func plainName(name string) string {
	return strings.NewReplacer("(", "", ")", "", "*", "").Replace(name)
}

// findRefusedType finds a cell's type in a type. If methods is true, the cell's type must have methods.
func (s *Session) findRefusedType(typ types.Type, methods bool, seen map[types.Type]bool) types.Type {
	typ = types.Unalias(typ)
	if seen[typ] {
		return nil
	}
	seen[typ] = true
	find := func(t types.Type) types.Type { return s.findRefusedType(t, methods, seen) }
	switch t := typ.(type) {
	case *types.Named:
		if !s.Types.IsCell(t) || types.IsInterface(t) {
			return nil
		}
		if !methods || t.NumMethods() > 0 {
			return t
		}
		return find(t.Underlying())
	case *types.Pointer:
		return find(t.Elem())
	case *types.Slice:
		return find(t.Elem())
	case *types.Array:
		return find(t.Elem())
	case *types.Map:
		if key := find(t.Key()); key != nil {
			return key
		}
		return find(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if found := find(f.Type()); found != nil {
				return found
			}
		}
	}
	return nil
}
