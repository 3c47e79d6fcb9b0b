package cell

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// lateMethod is a method whose type an earlier cell declares. go/types takes methods of its own package's types only,
// so the cell is checked with a function in its place, and the method is added to the type by hand.
type lateMethod struct {
	decl  *ast.FuncDecl
	named *types.Named
	name  string
	recv  *ast.FieldList
	made  *types.Func
	old   *types.Func // that it takes the place of; nil for a new one
}

// makeLateMethods makes functions of the methods of earlier cells' types.
func (s *Session) makeLateMethods(p *parsed) ([]*lateMethod, error) {
	var list []*lateMethod
	for _, d := range p.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || len(f.Recv.List) != 1 {
			continue
		}
		id := receiver(p.file, f.Recv.List[0].Type)
		if id == nil || p.declared[id.Name] {
			continue
		}
		obj, ok := s.objects[id.Name].(*types.TypeName)
		if !ok {
			continue
		}
		named, ok := types.Unalias(obj.Type()).(*types.Named)
		switch {
		case !ok || !s.compiler.Types.IsCell(named):
			return nil, errorAt(s.fset, id.Pos(), "cannot define new methods on non-local type "+layout.Name(obj.Type()))
		case named.TypeParams().Len() > 0 || named.TypeArgs().Len() > 0:
			return nil, errorAt(s.fset, id.Pos(), "methods of the generic type "+named.Obj().Name()+
				" must be in one cell with it: declare it again there")
		case named.Obj() != obj || plainReceiver(f.Recv.List[0].Type) != id:
			return nil, errorAt(s.fset, id.Pos(), "declare methods of an earlier cell's type with its own name, "+
				named.Obj().Name())
		}
		m := &lateMethod{decl: f, named: named, name: f.Name.Name, recv: f.Recv}
		for known := range named.Methods() {
			if known.Name() == m.name {
				m.old = known
			}
		}
		f.Name.Name = id.Name + "·" + m.name
		f.Type.Params.List = append(slices.Clone(f.Recv.List), f.Type.Params.List...)
		f.Recv = nil
		list = append(list, m)
	}
	return list, nil
}

// receiver is the name in a receiver's type. Where it is an alias that the cell declares, it is the name behind that.
func receiver(file *ast.File, typ ast.Expr) *ast.Ident {
	const maxAliases = 10 // aliases of aliases
	for range maxAliases {
		id := plainReceiver(typ)
		if id == nil {
			return nil
		}
		spec := aliasOf(file, id.Name)
		if spec == nil {
			return id
		}
		typ = spec.Type
	}
	return nil
}

func plainReceiver(typ ast.Expr) *ast.Ident {
	typ = ast.Unparen(typ)
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = ast.Unparen(star.X)
	}
	switch index := typ.(type) {
	case *ast.IndexExpr:
		typ = ast.Unparen(index.X)
	case *ast.IndexListExpr:
		typ = ast.Unparen(index.X)
	}
	id, _ := typ.(*ast.Ident)
	return id
}

func aliasOf(file *ast.File, name string) *ast.TypeSpec {
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, spec := range g.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == name && t.Assign.IsValid() {
					return t
				}
			}
		}
	}
	return nil
}

// addMethods adds late methods to their types. The bodies were checked, except for uses of the methods themselves.
func (s *Session) addMethods(list []*lateMethod, c *checked, pkg *types.Package) error {
	for _, m := range list {
		f, ok := c.info.Defs[m.decl.Name].(*types.Func)
		if !ok {
			return errorAt(s.fset, m.decl.Pos(), "method "+m.name+" cannot be declared")
		}
		sig := f.Signature()
		if strings.Contains(types.TypeString(sig, func(q *types.Package) string {
			if q == c.pkg {
				return "·"
			}
			return ""
		}), "·.") {
			return errorAt(s.fset, m.decl.Pos(), "a method of an earlier cell's type cannot have a type of this cell in "+
				"its signature: declare that type in a cell before")
		}
		recv := sig.Params().At(0)
		var params []*types.Var
		for v := range sig.Params().Variables() {
			if v != recv {
				params = append(params, v)
			}
		}
		method := types.NewSignatureType(recv, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())
		m.made = types.NewFunc(m.decl.Name.Pos(), pkg, m.name, method)
		if m.old != nil && !canReplace(m.old.Signature(), method) {
			return errorAt(s.fset, m.decl.Name.Pos(), fmt.Sprintf("method %s.%s already declared with another signature: "+
				"declare %[1]s again to change it", m.named.Obj().Name(), m.name))
		}
	}
	changed := map[*types.TypeName]bool{}
	s.compiler.WithLock(func() {
		for _, m := range list {
			if m.old == nil {
				m.named.AddMethod(m.made)
				changed[m.named.Obj()] = true
			}
		}
		s.program.MethodSets = typeutil.MethodSetCache{}
		if len(changed) > 0 {
			s.compiler.Forget()
		}
	})
	s.compiler.Types.Renew(changed)
	return nil
}

// canReplace reports whether calls of one method can become calls of another.
func canReplace(a, b *types.Signature) bool {
	plain := func(s *types.Signature) types.Type {
		return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
	}
	return types.Identical(a.Recv().Type(), b.Recv().Type()) && types.Identical(plain(a), plain(b))
}

// replace makes calls of methods that a cell declares again calls of the new ones.
func (s *Session) replace(list []*lateMethod) {
	for _, m := range list {
		if m.old != nil {
			s.compiler.Replace(s.program.FuncValue(m.old), s.program.FuncValue(m.made))
		}
	}
}

// finish puts the methods back into the checked tree, in place of the functions.
func finish(list []*lateMethod, c *checked) {
	same := map[types.Object]types.Object{}
	for _, m := range list {
		f := c.info.Defs[m.decl.Name].(*types.Func)
		old, made := f.Signature(), m.made.Signature()
		same[old.Params().At(0)] = made.Recv()
		for i := range made.Params().Len() {
			same[old.Params().At(i+1)] = made.Params().At(i)
		}
		for i := range made.Results().Len() {
			same[old.Results().At(i)] = made.Results().At(i)
		}
		c.info.Defs[m.decl.Name] = m.made
		m.decl.Recv, m.decl.Name.Name = m.recv, m.name
		m.decl.Type.Params.List = m.decl.Type.Params.List[1:]
	}
	for _, table := range []map[*ast.Ident]types.Object{c.info.Defs, c.info.Uses} {
		for id, obj := range table {
			if to, ok := same[obj]; ok {
				table[id] = to
			}
		}
	}
}

// onlyLate reports whether all faults are uses of late methods, which go/types does not know yet.
func onlyLate(faults []types.Error, list []*lateMethod) bool {
	for _, f := range faults {
		known := slices.ContainsFunc(list, func(m *lateMethod) bool {
			return strings.Contains(f.Msg, "no field or method "+m.name) || strings.Contains(f.Msg, "missing method "+m.name)
		})
		if !known {
			return false
		}
	}
	return true
}
