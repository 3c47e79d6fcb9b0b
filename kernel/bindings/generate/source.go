package main

import (
	"bytes"
	"fmt"
	"go/constant"
	"go/format"
	"go/types"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// writer collects the contents of one file.
type writer struct {
	*loaded
	exported bool // cells know the package's declarations from its export data; the table has what lies in memory
	packages map[string]string
	skipped  map[string][]string // reason -> names
}

// source writes the Go file of one package and collects its documentation by name. For package bindings the
// documentation goes into the documentation files; for any other it is part of the Go file.
func source(p *loaded, name string) (code []byte, docs map[string]string, err error) {
	w := &writer{loaded: p, exported: name == "bindings" && hasExport(p.path), skipped: map[string][]string{},
		packages: map[string]string{"reflect": "reflect"}}
	prefix := ""
	if name != "bindings" {
		prefix = "bindings."
		w.packages[module+"/kernel/bindings"] = "bindings"
	}
	// Docs come last: go/doc removes the unexported parts from the syntax trees.
	var table bytes.Buffer
	table.Write(w.values())
	table.Write(w.typeTable())
	table.Write(w.constants())
	table.Write(w.generics())
	if docs, err = documentation(p); err != nil {
		return nil, nil, err
	}

	var out bytes.Buffer
	fmt.Fprintln(&out, header)
	if isStandard(p.path) {
		fmt.Fprintf(&out, "// Declarations and comments are those of %s.\n", release())
	}
	fmt.Fprintln(&out, "//lint:file-ignore SA1019 what is deprecated can still be called from cells")
	for _, reason := range sortedKeys(w.skipped) {
		fmt.Fprintf(&out, "\n// Not bound (%s): %s.\n", reason, strings.Join(w.skipped[reason], ", "))
	}
	fmt.Fprintf(&out, "\npackage %s\n\nimport (\n", name)
	body := table.String()
	for _, path := range sortedKeys(w.packages) {
		alias := w.packages[path]
		if alias == "bindings" || regexp.MustCompile(`\b`+alias+`\.`).MatchString(body) {
			fmt.Fprintf(&out, "\t%s %q\n", alias, path)
		}
	}
	variable := variableName(p.path)
	if name != "bindings" {
		variable = exportedName(p.types.Name())
		fmt.Fprintf(&out, ")\n\n// %s makes package %s importable in cells.\n", variable, p.path)
	} else {
		fmt.Fprint(&out, ")\n\n")
	}
	fmt.Fprintf(&out, "var %s = %sSource{\n\tPath: %q,\n\tName: %q,\n", variable, prefix, p.path, p.types.Name())
	fmt.Fprintf(&out, "\tTable: func() %[1]sTable {\n\t\treturn %[1]sTable{\n%[2]s\t\t}\n\t},\n", prefix, table.Bytes())
	if name != "bindings" {
		out.WriteString("\tDocs: func() map[string]string {\n\t\treturn map[string]string{\n")
		for _, key := range sortedKeys(docs) {
			fmt.Fprintf(&out, "\t\t\t%q: %s,\n", key, quote(docs[key]))
		}
		out.WriteString("\t\t}\n\t},\n")
	}
	out.WriteString("}\n")
	if code, err = format.Source(out.Bytes()); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.path, err)
	}
	return code, docs, nil
}

func exportedName(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// quote writes text line by line, so that a change of one line is one line of a diff.
func quote(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		lines[i] = strconv.Quote(line)
	}
	return strings.Join(lines, " +\n")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// qualify returns a package's name in the written file and adds its import.
func (w *writer) qualify(p *types.Package) string {
	if alias, ok := w.packages[p.Path()]; ok {
		return alias
	}
	alias := p.Name()
	for taken := true; taken; {
		taken = false
		for _, other := range w.packages {
			if other == alias {
				alias, taken = alias+"_", true
				break
			}
		}
	}
	w.packages[p.Path()] = alias
	return alias
}

func (w *writer) skip(reason, name string) { w.skipped[reason] = append(w.skipped[reason], name) }

// each calls do for the exported names that are the same on all platforms, in order.
func (w *writer) each(do func(name string, object types.Object)) {
	for _, name := range w.types.Scope().Names() {
		if w.common[name] {
			do(name, w.types.Scope().Lookup(name))
		}
	}
}

// table writes one field of a Table from its entries; nothing if there are none.
func table(field, kind string, entries []string) []byte {
	if len(entries) == 0 {
		return nil
	}
	return []byte("\t\t\t" + field + ": map[string]" + kind + "{\n" + strings.Join(entries, "\n") + "\n\t\t\t},\n")
}

// values are functions and variables, and constants where the table alone tells of them.
func (w *writer) values() []byte {
	for _, name := range w.types.Scope().Names() {
		if object := w.types.Scope().Lookup(name); object.Exported() && !w.common[name] {
			w.skip("not the same on every system", name)
		}
	}
	var entries []string
	w.each(func(name string, object types.Object) {
		generic := false
		if f, ok := object.(*types.Func); ok {
			generic = f.Signature().TypeParams().Len() > 0
		}
		if generic {
			w.skip("generic", name)
			return
		}
		switch object := object.(type) {
		case *types.Const:
			if w.exported {
				return
			}
			value := constantExpression(object, w.qualify(w.types)+"."+name)
			entries = append(entries, fmt.Sprintf("%q: reflect.ValueOf(%s),", name, value))
		case *types.Var:
			entries = append(entries, fmt.Sprintf("%q: reflect.ValueOf(&%s.%s).Elem(),", name, w.qualify(w.types), name))
		case *types.Func:
			entries = append(entries, fmt.Sprintf("%q: reflect.ValueOf(%s.%s),", name, w.qualify(w.types), name))
		}
	})
	return table("Values", "reflect.Value", entries)
}

// generics lists the generic names that the table leaves out. A cell that uses one gets an error that says why.
// A package with export data needs no list: cells know its declarations.
func (w *writer) generics() []byte {
	if names := w.skipped["generic"]; !w.exported && len(names) > 0 {
		return fmt.Appendf(nil, "\t\t\tGeneric: %#v,\n", names)
	}
	return nil
}

// constantExpression converts an untyped integer that int cannot hold on every machine to a type that can; its exact
// value is among the untyped ones.
func constantExpression(c *types.Const, expression string) string {
	basic, ok := c.Type().(*types.Basic)
	if !ok || basic.Info()&types.IsUntyped == 0 || c.Val().Kind() != constant.Int {
		return expression
	}
	if v, exact := constant.Int64Val(c.Val()); exact {
		if v == int64(int32(v)) {
			return expression
		}
		return "int64(" + expression + ")"
	}
	if _, exact := constant.Uint64Val(c.Val()); exact {
		return "uint64(" + expression + ")"
	}
	return "float64(" + expression + ")"
}

// typeOf returns the type that a name declares, or nil if it declares none that can be bound.
func (w *writer) typeOf(object types.Object) types.Type {
	name, ok := object.(*types.TypeName)
	if !ok {
		return nil
	}
	if alias, ok := name.Type().(*types.Alias); ok && alias.TypeParams().Len() > 0 {
		return nil
	}
	t := types.Unalias(name.Type())
	if named, ok := t.(*types.Named); ok && named.TypeParams().Len() > 0 && named.TypeArgs().Len() == 0 {
		return nil
	}
	if i, ok := t.Underlying().(*types.Interface); ok && !i.IsMethodSet() {
		return nil
	}
	return t
}

func (w *writer) typeTable() []byte {
	var entries []string
	w.each(func(name string, object types.Object) {
		if _, isType := object.(*types.TypeName); !isType {
			return
		}
		if w.typeOf(object) == nil {
			w.skip("generic", name)
			return
		}
		entries = append(entries, fmt.Sprintf("%q: reflect.TypeFor[%s.%s](),", name, w.qualify(w.types), name))
	})
	return table("Types", "reflect.Type", entries)
}

// constants writes the exact values of untyped constants, except those whose value depends on the system.
func (w *writer) constants() []byte {
	if w.exported {
		return nil
	}
	var entries []string
	w.each(func(name string, object types.Object) {
		c, ok := object.(*types.Const)
		if !ok || !w.fixed[name] {
			return
		}
		if text := untyped(c); text != "" {
			entries = append(entries, fmt.Sprintf("%q: %q,", name, text))
		}
	})
	return table("Constants", "string", entries)
}

// untyped is a constant as a table says it: kind, colon, exact value. "": a typed constant, or a complex one.
func untyped(c *types.Const) string {
	basic, ok := c.Type().(*types.Basic)
	if !ok {
		return ""
	}
	switch basic.Kind() {
	case types.UntypedBool:
		return "bool:" + c.Val().ExactString()
	case types.UntypedString:
		return "string:" + constant.StringVal(c.Val())
	case types.UntypedInt:
		return "int:" + c.Val().ExactString()
	case types.UntypedRune:
		return "rune:" + c.Val().ExactString()
	case types.UntypedFloat:
		return "float:" + c.Val().ExactString()
	}
	return ""
}
