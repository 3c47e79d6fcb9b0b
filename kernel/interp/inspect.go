package interp

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/spherelab/spherelab/kernel/assist"
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
	runes := []rune(code)
	path, start := assist.PathAt(runes, cursor)
	if path == "" {
		return display.Data{}, false
	}
	before := string(runes[:start])
	base := ""
	if runes[start] == '.' { // behind a call or an index
		base = assist.Operand(runes[:start])
	}
	text, ok := e.documentation(base, path, before)
	if !ok {
		return display.Data{}, false
	}
	return display.MakeData(display.MIMETypeText, text), true
}

// documentation describes a dotted name, or a member of the expression base: what it is, its type, its documentation where the bindings or the session have it.
// before is the code above, which may declare what the session does not know yet.
func (e *Engine) documentation(base, path, before string) (text string, ok bool) {
	e.code.Lock()
	defer e.code.Unlock()
	defer func() {
		if r := recover(); r != nil {
			text, ok = "", false
		}
	}()
	words := strings.Split(path, ".")
	c := e.ir.Comp
	if base != "" {
		return e.documentMembers(e.typeOf(base, before, 0), words)
	}
	first := words[0]
	if sym := c.TryResolve(first); sym != nil {
		if imp := asImport(&sym.Bind); imp != nil {
			return e.documentPackage(imp.Path, imp.Name, imp, words[1:])
		}
		if len(words) == 1 {
			return e.documentBind(first, &sym.Bind), true
		}
		return e.documentMembers(sym.Type, words[1:])
	}
	if t := c.TryResolveType(first); t != nil {
		if len(words) == 1 {
			return e.documentType(first, t), true
		}
		return e.documentMembers(t, words[1:])
	}
	if doc, known := assist.LanguageDoc(first); known && len(words) == 1 {
		return doc, true
	}
	if t := e.typeOf(first, before, 0); t != nil {
		if len(words) == 1 {
			return "var " + first + " " + typeName(t), true
		}
		return e.documentMembers(t, words[1:])
	}
	if linked, pkg, found := e.linkedAs(first); found {
		text, ok := e.documentPackage(linked, first, nil, words[1:])
		if !ok && len(words) == 2 && pkg.Binds[words[1]].IsValid() {
			text, ok = fmt.Sprintf("%s.%s %s", first, words[1], pkg.Binds[words[1]].Type()), true
		}
		return text + "\n\nnot imported yet: import " + strconv.Quote(linked), ok
	}
	return "", false
}

// documentBind describes a variable, constant or function of the session or of the language.
func (e *Engine) documentBind(name string, b *fast.Bind) string {
	if doc, ok := e.docs[name]; ok && b.Desc.Class() == fast.FuncBind {
		return doc.String()
	}
	return e.declaration(name, b)
}

// documentType describes a type of the session or of the language.
func (e *Engine) documentType(name string, t xreflect.Type) string {
	head := fmt.Sprintf("type %s %s", name, underlying(t))
	if text, ok := e.typeTexts[name]; ok {
		head = "type " + text
	}
	for _, m := range e.methods(t) {
		head += "\n" + m
	}
	return join(head, e.docs[name].comment)
}

// documentPackage describes a package or a name of it. imp is nil if it is not imported.
func (e *Engine) documentPackage(path, name string, imp *fast.Import, words []string) (string, bool) {
	if len(words) == 0 {
		return described("package "+name+" // import "+strconv.Quote(path), e.doc(path, "")), true
	}
	member := words[0]
	if imp == nil {
		doc := e.doc(path, strings.Join(words, "."))
		return doc, doc != ""
	}
	if bind := imp.Binds[member]; bind != nil {
		if len(words) > 1 {
			return e.documentMembers(bind.Type, words[1:])
		}
		return described(e.declaration(name+"."+member, bind), e.doc(path, member)), true
	}
	t := imp.Types[member]
	if t == nil {
		return "", false
	}
	if len(words) > 1 {
		return e.documentMembers(t, words[1:])
	}
	return described(fmt.Sprintf("type %s.%s %s", name, member, underlying(t)), e.doc(path, member)), true
}

// documentMembers follows fields and methods.
func (e *Engine) documentMembers(t xreflect.Type, words []string) (string, bool) {
	for i, word := range words {
		if t == nil {
			return "", false
		}
		last := i == len(words)-1
		owner := t
		if owner.Kind() == reflect.Ptr {
			owner = owner.Elem()
		}
		field, isField, method, isMethod, err := e.ir.Comp.TryLookupFieldOrMethod(owner, word)
		switch {
		case err != nil || !isField && !isMethod:
			return "", false
		case isField && last:
			doc := e.memberDoc(owner, field.Index[:len(field.Index)-1], word)
			return described(fmt.Sprintf("field %s.%s %s", typeName(owner), word, typeName(field.Type)), doc), true
		case isField:
			t = field.Type
		case last:
			head := fmt.Sprintf("func (%s) %s%s", typeName(owner), word, strings.TrimPrefix(e.methodType(method), "func"))
			return described(head, e.memberDoc(owner, method.FieldIndex, word)), true
		default:
			return "", false
		}
	}
	return "", false
}

// memberDoc is the documentation of a member of t, or of the embedded type at index, which declares it.
func (e *Engine) memberDoc(t xreflect.Type, index []int, name string) string {
	for _, i := range index {
		if t.Kind() == reflect.Ptr {
			t = t.Elem()
		}
		t = t.Field(i).Type
	}
	if t.Kind() == reflect.Ptr {
		t = t.Elem()
	}
	if t.PkgPath() == e.ir.Comp.FileComp().Path {
		return e.docs[t.Name()+"."+name].String()
	}
	if t.Name() == "" {
		return ""
	}
	return e.doc(t.PkgPath(), t.Name()+"."+name)
}

// described puts a declaration before its documentation, unless that begins with the declaration itself.
func described(declaration, doc string) string {
	kind, _, _ := strings.Cut(declaration, " ")
	if strings.HasPrefix(doc, kind+" ") {
		return doc
	}
	return join(declaration, doc)
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
		if doc, ok := assist.LanguageDoc(name); ok {
			return doc
		}
		return fmt.Sprintf("const %s = %v", name, constant(b))
	case fast.FuncBind:
		return "func " + name + strings.TrimPrefix(typeName(b.Type), "func")
	}
	if doc, ok := assist.LanguageDoc(name); ok && e.predeclared[name] != nil && e.predeclared[name].Desc == b.Desc {
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
	if doc == "" || head == "" {
		return head + doc
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

// goTypeName writes a type as package reflect does.
func goTypeName(t xreflect.Type) string {
	if t == nil {
		return "<nil>"
	}
	return shortPaths.Replace(shortened(t.String(), ""))
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
func qualified(s string) string { return shortened(s, "main.") }

// shortened shortens package paths to their last element and takes drop from the start of names.
func shortened(s, drop string) string {
	var b strings.Builder
	word := strings.Builder{}
	flush := func() {
		w := word.String()
		if i := strings.LastIndexByte(w, '/'); i >= 0 {
			w = w[i+1:]
		}
		b.WriteString(strings.TrimPrefix(w, drop))
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
