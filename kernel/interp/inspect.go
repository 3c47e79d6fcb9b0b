package interp

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/spherelab/spherelab/kernel/display"
)

// asImport returns the package that a name stands for, nil if it stands for something else.
func asImport(b *fast.Bind) *fast.Import {
	if b == nil || !b.Const() {
		return nil
	}
	imp, _ := b.Value.(*fast.Import)
	return imp
}

// imported returns the package that is imported as name. The caller holds e.code.
func (e *Engine) imported(name string) *fast.Import {
	sym := e.ir.Comp.TryResolve(name)
	if sym == nil {
		return nil
	}
	return asImport(&sym.Bind)
}

// Inspect documents the name around the cursor.
func (e *Engine) Inspect(code string, cursor, detail int) (display.Data, bool) {
	path := pathAt([]rune(code), cursor)
	if path == "" {
		return display.Data{}, false
	}
	text, ok := e.documentation(path)
	if !ok {
		return display.Data{}, false
	}
	return display.MakeData(display.MIMETypeText, text), true
}

// pathAt finds the dotted name at the cursor; right behind an opening bracket, the name of what is called.
func pathAt(code []rune, cursor int) string {
	cursor = max(0, min(cursor, len(code)))
	part := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	inside := cursor
	for depth := 0; ; {
		start, end := inside, inside
		for end < len(code) && part(code[end]) {
			end++
		}
		for start > 0 && (part(code[start-1]) || code[start-1] == '.') {
			start--
		}
		if path := strings.Trim(string(code[start:end]), "."); path != "" && isPath(path) && !(inside != cursor && isKeyword(path)) {
			if inside == cursor && start == end {
				break
			}
			return path
		}
		// go left to the bracket that is open here
		i := inside - 1
		for ; i >= 0; i-- {
			if code[i] == ')' {
				depth++
			}
			if code[i] == '(' {
				if depth == 0 {
					break
				}
				depth--
			}
			if code[i] == '\n' && depth == 0 {
				return ""
			}
		}
		if i < 0 {
			return ""
		}
		inside = i
	}
	return ""
}

// documentation describes a dotted name: what it is, its type, its documentation where the bindings have it.
func (e *Engine) documentation(path string) (text string, ok bool) {
	e.code.Lock()
	defer e.code.Unlock()
	defer func() {
		if r := recover(); r != nil {
			text, ok = "", false
		}
	}()
	words := strings.Split(path, ".")
	c := e.ir.Comp
	var t xreflect.Type
	var b strings.Builder
	pkgPath, typeOf := "", ""
	if sym := c.TryResolve(words[0]); sym != nil {
		if imp := asImport(&sym.Bind); imp != nil {
			if len(words) == 1 {
				return join("package "+imp.Name+" // import "+fmt.Sprintf("%q", imp.Path), e.doc(imp.Path, "")), true
			}
			return e.documentImported(imp, words[1:])
		}
		if len(words) == 1 {
			return join(e.declaration(words[0], &sym.Bind), ""), true
		}
		t = sym.Type
	} else if typ := c.TryResolveType(words[0]); typ != nil {
		if len(words) == 1 {
			fmt.Fprintf(&b, "type %s %s", words[0], underlying(typ))
			for _, m := range e.methods(typ) {
				fmt.Fprintf(&b, "\n%s", m)
			}
			return b.String(), true
		}
		t = typ
	} else if doc, known := languageDoc(words[0]); known && len(words) == 1 {
		return doc, true
	} else {
		return "", false
	}
	return e.documentMembers(t, pkgPath, typeOf, words[1:])
}

// documentImported describes a name of a package.
func (e *Engine) documentImported(imp *fast.Import, words []string) (string, bool) {
	name := words[0]
	if bind := imp.Binds[name]; bind != nil {
		if len(words) > 1 {
			return e.documentMembers(bind.Type, "", "", words[1:])
		}
		return join(e.declaration(imp.Name+"."+name, bind), e.doc(imp.Path, name)), true
	}
	typ := imp.Types[name]
	if typ == nil {
		return "", false
	}
	if len(words) > 1 {
		return e.documentMembers(typ, imp.Path, name, words[1:])
	}
	return join(fmt.Sprintf("type %s.%s %s", imp.Name, name, underlying(typ)), e.doc(imp.Path, name)), true
}

// documentMembers follows fields and methods.
func (e *Engine) documentMembers(t xreflect.Type, pkg, typeOf string, words []string) (string, bool) {
	for i, word := range words {
		last := i == len(words)-1
		owner := t
		if owner.Kind() == reflect.Ptr {
			owner = owner.Elem()
		}
		if owner.Name() != "" {
			pkg, typeOf = owner.PkgPath(), owner.Name()
		}
		field, isField, method, isMethod, err := e.ir.Comp.TryLookupFieldOrMethod(owner, word)
		switch {
		case err != nil || !isField && !isMethod:
			return "", false
		case isField && last:
			return join(fmt.Sprintf("field %s.%s %s", typeName(owner), word, typeName(field.Type)), e.doc(pkg, typeOf+"."+word)), true
		case isField:
			t = field.Type
		case last:
			return join(fmt.Sprintf("func (%s) %s%s", typeName(owner), word, strings.TrimPrefix(e.methodType(method), "func")), e.doc(pkg, typeOf+"."+word)), true
		default:
			return "", false
		}
	}
	return "", false
}

func (e *Engine) doc(pkg, name string) string {
	if e.options.Doc == nil || pkg == "" {
		return ""
	}
	return strings.TrimSpace(e.options.Doc(pkg, name))
}

// declaration writes a bind as Go declares it.
func (e *Engine) declaration(name string, b *fast.Bind) string {
	switch b.Desc.Class() {
	case fast.ConstBind:
		if doc, ok := languageDoc(name); ok {
			return doc
		}
		return fmt.Sprintf("const %s = %v", name, constant(b))
	case fast.FuncBind:
		return "func " + name + strings.TrimPrefix(typeName(b.Type), "func")
	}
	if doc, ok := languageDoc(name); ok && e.predeclared[name] != nil && e.predeclared[name].Desc == b.Desc {
		return doc
	}
	return fmt.Sprintf("var %s %s", name, typeName(b.Type))
}

func constant(b *fast.Bind) interface{} {
	if lit, ok := b.Value.(fast.UntypedLit); ok {
		return lit.Val
	}
	return b.ConstValue().Interface()
}

func join(head, doc string) string {
	if doc == "" {
		return head
	}
	return head + "\n\n" + doc
}

// typeName writes a type as a cell would: names of cells without package, those of packages with the package's name.
func typeName(t xreflect.Type) string {
	if t == nil {
		return "nil"
	}
	return shortPaths.Replace(qualified(t.String()))
}

// underlying writes what a named type is made of.
func underlying(t xreflect.Type) string {
	if t == nil {
		return ""
	}
	if t.Name() == "" {
		return typeName(t)
	}
	return shortPaths.Replace(qualified(t.GoType().Underlying().String()))
}

var shortPaths = strings.NewReplacer("interface {}", "interface{}", "struct {}", "struct{}")

// qualified shortens the package paths in a type to their last element and drops that of cells.
func qualified(s string) string {
	var b strings.Builder
	word := strings.Builder{}
	flush := func() {
		w := word.String()
		if i := strings.LastIndexByte(w, '/'); i >= 0 {
			w = w[i+1:]
		}
		b.WriteString(strings.TrimPrefix(w, "main."))
		word.Reset()
	}
	for _, r := range s {
		if r == '_' || r == '.' || r == '/' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			word.WriteRune(r)
			continue
		}
		flush()
		b.WriteRune(r)
	}
	flush()
	return b.String()
}

// methods lists the methods of a type, with their types.
func (e *Engine) methods(t xreflect.Type) []string {
	var list []string
	for i := 0; i < t.NumMethod(); i++ {
		m := t.Method(i)
		list = append(list, fmt.Sprintf("func (%s) %s%s", typeName(t), m.Name, strings.TrimPrefix(e.methodType(m), "func")))
	}
	return list
}

// methodType is the type of a method without its receiver.
func (e *Engine) methodType(m xreflect.Method) string {
	t := e.withoutReceiver(m)
	if t == nil {
		return "func(...)"
	}
	return typeName(t)
}

// withoutReceiver is the type of a method without its receiver, which gomacro has as first parameter; nil if it does not know the method's type.
func (e *Engine) withoutReceiver(m xreflect.Method) xreflect.Type {
	if m.Type == nil || m.Type.NumIn() == 0 {
		return nil
	}
	var in, out []xreflect.Type
	for i := 1; i < m.Type.NumIn(); i++ {
		in = append(in, m.Type.In(i))
	}
	for i := 0; i < m.Type.NumOut(); i++ {
		out = append(out, m.Type.Out(i))
	}
	return e.ir.Comp.Universe.FuncOf(in, out, m.Type.IsVariadic())
}
