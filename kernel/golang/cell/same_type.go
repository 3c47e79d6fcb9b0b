package cell

import (
	"go/ast"
	"go/token"
	"go/types"
)

func typeSpecs(file *ast.File) (list []*ast.TypeSpec) {
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, spec := range g.Specs {
				list = append(list, spec.(*ast.TypeSpec))
			}
		}
	}
	return list
}

// dropKnownTypes leaves out types that are declared already: values of an earlier run of the cell stay values of the
// type. Types are compared, not their text. Methods that the cell declares again take the place of the old ones, but
// those of generic types, which must be the same.
func (s *Session) dropKnownTypes(p *parsed) {
	old, hasGenerics := map[string]*types.Named{}, false
	p.syntax = map[*ast.FuncDecl]string{}
	for _, spec := range typeSpecs(p.file) {
		if spec.Assign.IsValid() {
			continue
		}
		if spec.TypeParams != nil {
			for _, f := range methodsOf(p.file, spec.Name.Name) {
				p.syntax[f] = syntaxOf(f)
			}
		}
		obj, ok := s.objects[spec.Name.Name].(*types.TypeName)
		if !ok {
			continue
		}
		if named, ok := obj.Type().(*types.Named); ok && named.Obj() == obj && s.compiler.Types.IsCell(named) &&
			named.TypeParams().Len() == spec.TypeParams.NumFields() {
			old[spec.Name.Name], hasGenerics = named, hasGenerics || spec.TypeParams != nil
		}
	}
	if len(old) == 0 {
		return
	}
	c, _ := s.checkTypes(p, newPackage(), hasGenerics) // of what is not right the cell's own check tells
	again := pairing{}
	same := map[string]*ast.TypeSpec{}
	for _, spec := range typeSpecs(p.file) {
		if was := old[spec.Name.Name]; was != nil {
			if obj, ok := c.info.Defs[spec.Name].(*types.TypeName); ok {
				if is, ok := obj.Type().(*types.Named); ok {
					again[is], same[spec.Name.Name] = was, spec
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for is, was := range again {
			if !again.sameParams(is.TypeParams(), was.TypeParams()) ||
				!again.isSame(is.Underlying(), was.Underlying()) ||
				!s.sameMethods(p, c, was, again, same) {
				delete(again, is)
				delete(same, was.Obj().Name())
				changed = true
			}
		}
	}
	if len(same) == 0 {
		return
	}
	for name := range same {
		delete(p.declared, name)
	}
	var decls []ast.Decl
	for _, d := range p.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && len(f.Recv.List) == 1 {
			if spec := same[receiverName(f.Recv.List[0].Type)]; spec != nil && spec.TypeParams != nil {
				continue
			}
		}
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			decls = append(decls, d)
			continue
		}
		var specs []ast.Spec
		for _, spec := range g.Specs {
			if same[spec.(*ast.TypeSpec).Name.Name] == nil {
				specs = append(specs, spec)
			}
		}
		if g.Specs = specs; len(specs) > 0 {
			decls = append(decls, g)
		}
	}
	p.file.Decls = decls
}

// sameMethods reports whether the methods that a cell declares for a type can be added to it, or take the place of
// those that it has.
func (s *Session) sameMethods(p *parsed, c *checked, named *types.Named, again pairing,
	same map[string]*ast.TypeSpec) bool {
	if named.TypeParams().Len() > 0 {
		return s.sameGenericMethods(p, c, named, again)
	}
	for _, f := range methodsOf(p.file, named.Obj().Name()) {
		for name := range namesIn(f.Type) {
			if p.declared[name] && same[name] == nil {
				return false
			}
		}
		made, ok := c.info.Defs[f.Name].(*types.Func)
		if !ok {
			return false
		}
		for m := range named.Methods() {
			if m.Name() == f.Name.Name && (!again.isSame(made.Signature(), m.Signature()) ||
				!again.isSame(made.Signature().Recv().Type(), m.Signature().Recv().Type())) {
				return false
			}
		}
	}
	return true
}

// namesIn lists the names in a type.
func namesIn(x ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
	return names
}
