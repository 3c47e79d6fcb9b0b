package interp

import (
	"go/ast"
	"reflect"
	"slices"
	"strings"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/spherelab/spherelab/kernel/assist"
)

// Describe is the documentation of a name, then what the name has. A value or type has fields and methods, a package has
// functions, types, constants and variables.
func (c *commands) Describe(path string) (string, bool) {
	text, ok := c.e.documentation("", path, "")
	if !ok {
		return "", false
	}
	return join(text, c.e.listing(path, text)), true
}

// listing lists what a package, type or value has, one line each, without what the text says already.
func (e *Engine) listing(path, text string) (list string) {
	e.code.Lock()
	defer e.code.Unlock()
	defer func() {
		if recover() != nil { // as in documentation
			list = ""
		}
	}()
	lines := e.packageLines(path)
	if lines == nil {
		lines = e.memberLines(path)
	}
	said := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return slices.Contains(said, line) }), "\n")
}

// packageLines lists the names of a package, functions first; nil if path is not a package. The caller holds e.code.
func (e *Engine) packageLines(path string) []string {
	var functions, types, others []string
	put := func(declaration string) {
		declaration, _, _ = strings.Cut(declaration, "\n")
		switch kind, _, _ := strings.Cut(declaration, " "); kind {
		case "func":
			functions = append(functions, declaration)
		case "type":
			types = append(types, declaration)
		default:
			others = append(others, declaration)
		}
	}
	imp := e.imported(path)
	switch {
	case imp != nil:
		for name, b := range imp.Binds {
			put(described(e.declaration(path+"."+name, b), e.doc(imp.Path, name)))
		}
		for name := range imp.Types {
			put("type " + path + "." + name)
		}
	case e.ir.Comp.TryResolve(path) == nil:
		_, pkg, ok := e.linkedAs(path)
		if !ok {
			return nil
		}
		for name, v := range pkg.Binds {
			if v.Kind() == reflect.Func {
				put("func " + path + "." + name + strings.TrimPrefix(v.Type().String(), "func"))
			} else {
				put("var " + path + "." + name)
			}
		}
		for name := range pkg.Types {
			put("type " + path + "." + name)
		}
	}
	for _, list := range [][]string{functions, types, others} {
		slices.Sort(list)
	}
	return slices.Concat(functions, types, others)
}

// memberLines lists fields and methods of the value or type that path names, fields first. The caller holds e.code.
func (e *Engine) memberLines(path string) []string {
	t := e.namedType(path)
	if t == nil || t.Kind() == reflect.Func {
		return nil
	}
	found := make(map[string]string)
	addMembers(found, t, 0)
	var fields, methods []string
	for name, kind := range found {
		if !ast.IsExported(name) && t.PkgPath() != "" && t.PkgPath() != "main" {
			continue
		}
		text, ok := e.documentMembers(t, []string{name})
		if !ok {
			continue
		}
		line, _, _ := strings.Cut(text, "\n")
		if kind == assist.Function {
			methods = append(methods, line)
		} else {
			fields = append(fields, line)
		}
	}
	slices.Sort(fields)
	slices.Sort(methods)
	return slices.Concat(fields, methods)
}

// namedType is the type that path names, or the type of the value that it names.
func (e *Engine) namedType(path string) xreflect.Type {
	first, rest, _ := strings.Cut(path, ".")
	var imp *fast.Import
	if rest != "" {
		imp = e.imported(first)
	}
	if imp != nil && imp.Types[rest] != nil {
		return imp.Types[rest]
	}
	return e.typeOf(path, "", 0)
}
