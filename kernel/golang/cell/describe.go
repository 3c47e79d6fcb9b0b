package cell

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/kernel/assist"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// short qualifies names as cells do: those of cells are bare.
func short(p *types.Package) string {
	switch p.Path() {
	case layout.CellPath, SessionPath:
		return ""
	}
	return p.Name()
}

// Describe documents a dotted name, or a member of the operand base: its declaration, and its documentation if a
// package or the session has it. before is the code above, which may declare what the session does not know yet.
func (s *Session) Describe(base, path, before string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.describe(base, path, before)
}

func (s *Session) describe(base, path, before string) (string, bool) {
	words := strings.Split(path, ".")
	first := words[0]
	if base != "" {
		return s.member(s.typeOf(base, before), words)
	}
	if p := s.packageOf(first); p != nil {
		return s.ofPackage(p, first, words[1:])
	}
	if obj := s.objects[first]; obj != nil {
		if len(words) > 1 {
			return s.member(obj.Type(), words[1:])
		}
		return s.object(obj), true
	}
	if text, ok := assist.LanguageDoc(first); ok && len(words) == 1 {
		return text, true
	}
	if t := s.typeOf(first, before); t != nil {
		if len(words) > 1 {
			return s.member(t, words[1:])
		}
		if obj := types.Universe.Lookup(first); obj != nil && types.Identical(obj.Type(), t) {
			return predeclared(obj), true
		}
		return "var " + first + " " + types.TypeString(t, short), true
	}
	if linked, p := s.linkedAs(first); p != nil {
		text, ok := s.ofPackage(p, first, words[1:])
		return text + "\n\nnot imported yet: import " + strconv.Quote(linked), ok
	}
	return "", false
}

// predeclared describes a name of the language without a documentation of its own.
func predeclared(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.TypeName:
		text := types.TypeString(obj.Type().Underlying(), short)
		if b, ok := obj.Type().(*types.Basic); ok && types.Typ[b.Kind()].Name() != text { // byte and rune
			text = "= " + types.Typ[b.Kind()].Name()
		}
		return strings.TrimSuffix("type "+obj.Name()+" "+text, " "+obj.Name())
	case *types.Nil:
		return "nil is the zero value of pointers, functions, interfaces, slices, channels and maps"
	}
	return "const " + obj.Name() + " " + types.TypeString(obj.Type(), short)
}

// object describes a name of the session.
func (s *Session) object(obj types.Object) string {
	if obj.Pkg() != nil && obj.Pkg().Path() == SessionPath {
		if text, ok := assist.LanguageDoc(obj.Name()); ok {
			return text
		}
	}
	d := s.docs[obj.Name()]
	if obj.Pkg() != nil && obj.Pkg().Path() != layout.CellPath { // of an import with a dot
		return joinDoc(declaration(obj, ""), s.doc(obj.Pkg().Path(), obj.Name()))
	}
	switch obj := obj.(type) {
	case *types.Func:
		if d.text != "" {
			return joinText(d.text, d.comment)
		}
	case *types.TypeName:
		text := declaration(obj, "")
		if d.text != "" {
			text = "type " + d.text
		}
		for m := range types.NewMethodSet(types.NewPointer(obj.Type())).Methods() {
			f := m.Obj().(*types.Func)
			recv := types.TypeString(f.Signature().Recv().Type(), short)
			text += "\nfunc (" + recv + ") " + f.Name() + signature(f)
		}
		return joinText(text, d.comment)
	}
	return declaration(obj, "")
}

// declaration writes an object as Go declares it, with the name of its package before its own.
func declaration(obj types.Object, pkg string) string {
	name := obj.Name()
	if pkg != "" {
		name = pkg + "." + name
	}
	switch obj := obj.(type) {
	case *types.Const:
		return fmt.Sprintf("const %s = %s", name, obj.Val())
	case *types.Func:
		return "func " + name + signature(obj)
	case *types.TypeName:
		params := ""
		if named, ok := obj.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
			text := types.ObjectString(obj, short)
			if i := strings.IndexByte(text, '['); i >= 0 {
				params = text[i : strings.Index(text, "]")+1]
			}
		}
		return fmt.Sprintf("type %s%s %s", name, params, types.TypeString(obj.Type().Underlying(), short))
	}
	return fmt.Sprintf("var %s %s", name, types.TypeString(obj.Type(), short))
}

// signature is the type of a function without the word func.
func signature(f *types.Func) string {
	sig := f.Signature()
	if sig.Recv() != nil {
		sig = types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
	}
	return strings.TrimPrefix(types.TypeString(sig, short), "func")
}

// ofPackage describes a package or a name of it.
func (s *Session) ofPackage(p *types.Package, name string, words []string) (string, bool) {
	if len(words) == 0 {
		return joinDoc("package "+p.Name()+" // import "+strconv.Quote(p.Path()), s.doc(p.Path(), "")), true
	}
	obj := p.Scope().Lookup(words[0])
	if f := p.Scope().Lookup(words[0] + doubled); f != nil && len(words) == 1 {
		obj = types.NewFunc(f.Pos(), p, words[0], f.Type().(*types.Signature))
	}
	if obj == nil || !obj.Exported() {
		return "", false
	}
	if len(words) > 1 {
		return s.member(obj.Type(), words[1:])
	}
	return joinDoc(declaration(obj, name), s.doc(p.Path(), words[0])), true
}

// member follows fields and methods.
func (s *Session) member(t types.Type, words []string) (string, bool) {
	for i, name := range words {
		if t == nil {
			return "", false
		}
		obj, index, _ := types.LookupFieldOrMethod(t, true, newPackage(), name)
		switch obj := obj.(type) {
		case *types.Func:
			if i < len(words)-1 {
				return "", false
			}
			return s.method(obj), true
		case *types.Var:
			if i == len(words)-1 {
				owner := types.TypeString(pointee(t), short)
				text := fmt.Sprintf("field %s.%s %s", owner, name, types.TypeString(obj.Type(), short))
				return joinDoc(text, s.fieldDoc(t, index, name)), true
			}
			t = obj.Type()
		default:
			return "", false
		}
	}
	return "", false
}

// method describes a method as its type's package or cell declares it.
func (s *Session) method(f *types.Func) string {
	recv := f.Signature().Recv().Type()
	head := "func (" + types.TypeString(recv, short) + ") " + f.Name() + signature(f)
	named, ok := types.Unalias(pointee(recv)).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return head
	}
	key := named.Obj().Name() + "." + f.Name()
	if named.Obj().Pkg().Path() == layout.CellPath {
		if d := s.docs[key]; d.text != "" {
			return joinText(d.text, d.comment)
		}
		return head
	}
	return joinDoc(head, s.doc(named.Obj().Pkg().Path(), key))
}

// fieldDoc is the documentation of a field of t, or of the embedded type at index, which declares it.
func (s *Session) fieldDoc(t types.Type, index []int, name string) string {
	for _, i := range index[:len(index)-1] {
		t = pointee(t).Underlying().(*types.Struct).Field(i).Type()
	}
	named, ok := types.Unalias(pointee(t)).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	return s.doc(named.Obj().Pkg().Path(), named.Obj().Name()+"."+name)
}

func pointee(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func (s *Session) doc(pkg, name string) string {
	if s.Doc == nil {
		return ""
	}
	return strings.TrimSpace(s.Doc(pkg, name))
}

// joinDoc puts a declaration before its documentation, unless that begins with the declaration itself.
func joinDoc(text, doc string) string {
	kind, _, _ := strings.Cut(text, " ")
	if strings.HasPrefix(doc, kind+" ") {
		return doc
	}
	return joinText(text, doc)
}

func joinText(head, doc string) string {
	if doc == "" || head == "" {
		return head + doc
	}
	return head + "\n\n" + doc
}

// DescribeAll documents a name, then lists what it has: a value or type has fields and methods, a package has
// functions, types, constants and variables.
func (s *Session) DescribeAll(path string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.describe("", path, "")
	if !ok {
		return "", false
	}
	said := strings.Split(text, "\n")
	lines := slices.DeleteFunc(s.listMembers(path), func(line string) bool { return slices.Contains(said, line) })
	return joinText(text, strings.Join(lines, "\n")), true
}

func (s *Session) listMembers(path string) []string {
	p := s.packageOf(path)
	if p == nil && s.objects[path] == nil {
		_, p = s.linkedAs(path)
	}
	var lists [3][]string
	put := func(text string) {
		line, _, _ := strings.Cut(text, "\n")
		at := 2
		switch kind, _, _ := strings.Cut(line, " "); kind {
		case "field", "func":
			at = 0
		case "type":
			at = 1
		}
		lists[at] = append(lists[at], line)
	}
	switch {
	case p != nil:
		for _, name := range p.Scope().Names() {
			if !token.IsExported(name) {
				continue
			}
			if text, ok := s.ofPackage(p, path, []string{name}); ok {
				put(text)
			}
		}
	default:
		t := s.typeOf(path, "")
		if t == nil {
			return nil
		}
		if _, ok := t.Underlying().(*types.Signature); ok {
			return nil
		}
		for name := range membersOf(t) {
			if text, ok := s.member(t, []string{name}); ok {
				put(text)
			}
		}
	}
	for _, list := range lists {
		slices.Sort(list)
	}
	return slices.Concat(lists[:]...)
}
