package interp

import (
	"go/ast"
	"go/token"
	"reflect"

	"github.com/cosmos72/gomacro/xreflect"
)

// gomacro compiles declarations in the order of the names that they use. It does not know which methods a function uses, and cannot call one that is declared
// below, nor functions that call each other. So the types, the methods and such functions of a cell are declared before anything else but its imports is compiled.

// declare declares types and the signatures of methods, and returns what is left to compile. undo takes back what it changed of methods that were
// there before. The caller holds e.code.
func (e *Engine) declare(nodes []ast.Node, texts map[string]string) (rest []ast.Node, undo func()) {
	c := e.ir.Comp
	specs, order, ok := typeSpecs(nodes)
	if ok {
		for _, group := range components(order, func(name string) []string { return typeNames(specs[name].Type, specs) }) {
			c.Pos = specs[group[0]].Pos()
			for _, name := range group {
				if containsType(name, specs[name].Type, specs, make(map[string]bool)) {
					c.Pos = specs[name].Pos()
					c.Errorf("invalid recursive type %s: it contains itself", name)
				}
			}
			if recursive(group, specs) {
				e.declareRecursive(group, specs, texts)
			} else {
				c.DeclType(specs[group[0]])
			}
		}
		for _, node := range nodes {
			if decl, isDecl := node.(*ast.GenDecl); !isDecl || decl.Tok != token.TYPE {
				rest = append(rest, node)
			}
		}
	} else {
		rest = nodes
	}
	e.declareFunctions(rest)
	return rest, e.declareMethods(rest)
}

// declareFunctions declares functions that call each other in a circle, still without their code.
func (e *Engine) declareFunctions(nodes []ast.Node) {
	functions := make(map[string]*ast.FuncDecl)
	var order []string
	for _, node := range nodes {
		if f, ok := node.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name != "_" {
			functions[f.Name.Name] = f
			order = append(order, f.Name.Name)
		}
	}
	for _, group := range components(order, func(name string) []string { return calledNames(functions[name], functions) }) {
		if len(group) < 2 {
			continue
		}
		for _, name := range group {
			t, _, _ := e.ir.Comp.TypeFunction(functions[name].Type)
			e.ir.Comp.NewFuncBind(name, t)
		}
	}
}

// calledNames lists the functions whose names a function uses.
func calledNames(f *ast.FuncDecl, functions map[string]*ast.FuncDecl) []string {
	var names []string
	if f.Body == nil {
		return nil
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && functions[id.Name] != nil {
			names = append(names, id.Name)
		}
		return true
	})
	return names
}

// typeSpecs lists the types that a cell declares. False: there are some that gomacro has to order itself.
func typeSpecs(nodes []ast.Node) (specs map[string]*ast.TypeSpec, order []string, ok bool) {
	specs = make(map[string]*ast.TypeSpec)
	for _, node := range nodes {
		decl, isDecl := node.(*ast.GenDecl)
		if !isDecl || decl.Tok != token.TYPE {
			continue
		}
		for _, s := range decl.Specs {
			spec, isType := s.(*ast.TypeSpec)
			if !isType || specs[spec.Name.Name] != nil || spec.Name.Name == "_" || usesConstants(spec.Type) {
				return nil, nil, false
			}
			specs[spec.Name.Name] = spec
			order = append(order, spec.Name.Name)
		}
	}
	return specs, order, true
}

// usesConstants reports whether a type contains an array whose length is a name: the constant may be declared in the same cell.
func usesConstants(t ast.Expr) bool {
	found := false
	ast.Inspect(t, func(n ast.Node) bool {
		if a, ok := n.(*ast.ArrayType); ok && a.Len != nil {
			if _, literal := a.Len.(*ast.BasicLit); !literal {
				found = true
			}
		}
		return !found
	})
	return found
}

// declareMethods gives types the methods that a cell declares, still without their code.
func (e *Engine) declareMethods(nodes []ast.Node) (undo func()) {
	var undos []func()
	for _, node := range nodes {
		if f, ok := node.(*ast.FuncDecl); ok && f.Recv != nil && len(f.Recv.List) == 1 {
			undos = append(undos, e.declareMethod(f))
		}
	}
	return func() {
		for i := len(undos) - 1; i >= 0; i-- {
			undos[i]()
		}
	}
}

func (e *Engine) declareMethod(f *ast.FuncDecl) (undo func()) {
	undo = func() {}
	defer func() { _ = recover() }() // what is wrong with it is said when it is compiled
	c := e.ir.Comp
	signature, _, _ := c.TypeFunctionOrMethod(f.Recv.List[0], f.Type)
	owner := signature.In(0)
	if owner.Kind() == reflect.Pointer && !owner.Named() {
		owner = owner.Elem()
	}
	name := f.Name.Name
	var before []reflect.Value
	if owner.NumExplicitMethod() > 0 {
		before = append(before, *owner.GetMethods()...)
	}
	old, found := xreflect.Method{}, -1
	for i := range owner.NumExplicitMethod() {
		if m := owner.Method(i); m.Name == name {
			old, found = m, i
		}
	}
	key := method{owner.GoType(), name}
	failed := e.unmade[key]
	owner.AddMethod(name, signature)
	delete(e.unmade, key)
	methods := owner.GetMethods()
	for i, v := range before { // GetMethods forgets them when it needs more room
		if i != found && i < len(*methods) {
			(*methods)[i] = v
		}
	}
	if found < 0 || failed || old.Type == nil || found >= len(before) { // gomacro cannot take it back
		return func() { e.unmade[key] = true }
	}
	return func() {
		owner.AddMethod(name, old.Type)
		(*owner.GetMethods())[found] = before[found]
	}
}

// declareRecursive declares types that refer to each other.
func (e *Engine) declareRecursive(group []string, specs map[string]*ast.TypeSpec, texts map[string]string) {
	c, universe := e.ir.Comp, e.ir.Comp.Universe
	same := true
	for _, name := range group {
		same = same && c.Types[name] != nil && e.typeTexts[name] == texts[name]
	}
	if same {
		return // also the values that were made of them
	}
	marks := make(map[string]reflect.Type) // what stands for each type, as long as it is not known
	for _, name := range group {
		delete(c.Types, name)
		t := c.DeclNamedType(name)
		if specs[name].Assign.IsValid() || !patchable() || !throughStruct(name, specs) {
			continue // gomacro does what it can
		}
		mark := standIn(name)
		switch x := specs[name].Type.(type) {
		case *ast.StructType:
		case *ast.InterfaceType: // a pointer to a struct of functions
			t.SetUnderlying(universe.TypeOfInterface)
			t.UnsafeForceReflectType(reflect.PointerTo(mark))
			marks[name] = mark
			continue
		case *ast.FuncType:
			mark = reflect.FuncOf([]reflect.Type{mark}, nil, false)
		case *ast.MapType:
			mark = reflect.MapOf(reflect.TypeFor[bool](), mark)
		case *ast.StarExpr:
			mark = reflect.PointerTo(mark)
		case *ast.ChanType:
			mark = reflect.ChanOf(reflect.BothDir, mark)
		case *ast.ArrayType:
			if x.Len != nil {
				continue
			}
			mark = reflect.SliceOf(mark)
		default:
			continue
		}
		marks[name] = mark
		t.SetUnderlying(universe.FromReflectType(mark))
	}
	for _, name := range group {
		c.DeclType(specs[name])
	}
	types, made := make(map[reflect.Type]reflect.Type), make(map[string]reflect.Type)
	for name, mark := range marks {
		s := c.Types[name].ReflectType()
		switch specs[name].Type.(type) {
		case *ast.InterfaceType:
			s = s.Elem()
		case *ast.StructType, *ast.FuncType:
		default:
			continue
		}
		made[name], types[mark], types[s] = s, s, s
	}
	var others []string // made of the structs
	for name := range marks {
		if made[name] == nil {
			others = append(others, name)
		}
	}
	for range others { // and of each other, without a circle
		for _, name := range others {
			types[marks[name]] = substitute(c.Types[name].ReflectType(), types)
		}
	}
	for _, s := range made {
		patch(s, types)
	}
	universe.InvalidateCache()
	for _, name := range others {
		c.Types[name].UnsafeForceReflectType(types[marks[name]])
	}
	for name := range made {
		t := c.Types[name]
		universe.ReflectTypes[t.ReflectType()] = t
		if t.Kind() == reflect.Interface {
			forwardMethods(t)
		} else {
			refreshParts(t)
		}
	}
}

// containsType reports whether values of a type have the named type as a part, not behind a pointer or the like.
func containsType(name string, x ast.Expr, specs map[string]*ast.TypeSpec, seen map[string]bool) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return containsType(name, x.X, specs, seen)
	case *ast.Ident:
		if x.Name == name {
			return true
		}
		if specs[x.Name] == nil || seen[x.Name] {
			return false
		}
		seen[x.Name] = true
		return containsType(name, specs[x.Name].Type, specs, seen)
	case *ast.ArrayType:
		return x.Len != nil && containsType(name, x.Elt, specs, seen)
	case *ast.StructType:
		for _, f := range x.Fields.List {
			if containsType(name, f.Type, specs, seen) {
				return true
			}
		}
	}
	return false
}

// throughStruct reports whether every way from a type back to itself leads through a struct, an interface or a function.
func throughStruct(name string, specs map[string]*ast.TypeSpec) bool {
	seen := make(map[string]bool)
	var returns func(at string) bool
	returns = func(at string) bool {
		switch specs[at].Type.(type) {
		case *ast.StructType, *ast.InterfaceType, *ast.FuncType:
			return false
		}
		for _, next := range typeNames(specs[at].Type, specs) {
			if next == name {
				return true
			}
			if !seen[next] {
				seen[next] = true
				if returns(next) {
					return true
				}
			}
		}
		return false
	}
	return !returns(name)
}

// typeNames lists the declared types that a type expression names.
func typeNames(x ast.Node, specs map[string]*ast.TypeSpec) []string {
	var names []string
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			names = append(names, typeNames(n.Type, specs)...)
			return false
		case *ast.SelectorExpr:
			return false
		case *ast.Ident:
			if specs[n.Name] != nil {
				names = append(names, n.Name)
			}
		}
		return true
	})
	return names
}

// recursive reports whether the types of a component refer to each other.
func recursive(group []string, specs map[string]*ast.TypeSpec) bool {
	if len(group) > 1 {
		return true
	}
	for _, name := range typeNames(specs[group[0]].Type, specs) {
		if name == group[0] {
			return true
		}
	}
	return false
}

// components gives the strongly connected components of a graph, each after those that it refers to.
func components(nodes []string, next func(string) []string) [][]string {
	index, low, onStack := make(map[string]int), make(map[string]int), make(map[string]bool)
	var stack []string
	var found [][]string
	var visit func(v string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack = append(stack, v)
		onStack[v] = true
		for _, w := range next(v) {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if onStack[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] == index[v] {
			var group []string
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack[w] = false
				group = append(group, w)
				if w == v {
					break
				}
			}
			found = append(found, group)
		}
	}
	for _, v := range nodes {
		if index[v] == 0 {
			visit(v)
		}
	}
	return found
}
