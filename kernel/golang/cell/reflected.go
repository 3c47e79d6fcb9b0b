package cell

import (
	"go/constant"
	"go/token"
	"go/types"
	"path"
	"reflect"
	"strings"

	"github.com/spherelab/spherelab/kernel/golang/compile"
)

// reflection makes packages for the type checker out of tables of values and types, for linked packages without export
// data: ours, and those that others link in. Parameters have no names, and generic functions are missing.
type reflection struct {
	m     *importer
	named map[reflect.Type]*types.Named
	open  []*types.Package // packages that are being made
}

// declarePackage makes a package of its table.
func (r *reflection) declarePackage(path string, table compile.Table) *types.Package {
	p := r.pkg(path, table.Name)
	r.m.whole[path] = true
	scope := p.Scope()
	for name, rt := range table.Types {
		taken := table.Values[name].IsValid() && !twice(table, name)
		if token.IsExported(name) && !taken && scope.Lookup(name) == nil {
			r.declareType(p, name, rt)
		}
	}
	for name, text := range table.Constants {
		if v, t := readConstant(text); v != nil {
			scope.Insert(types.NewConst(token.NoPos, p, name, t, v))
		}
	}
	for name, v := range table.Values {
		if twice(table, name) {
			name += doubled
		}
		if scope.Lookup(name) == nil && v.IsValid() {
			scope.Insert(r.object(p, name, v))
		}
	}
	p.MarkComplete()
	return p
}

// offers reports whether cells may name a type: not what the table of a package leaves out.
func (r *reflection) offers(path, name string) bool {
	table, ok := r.m.library.Table(path)
	return !ok || table.Types[name] != nil
}

// doubled ends the names of functions whose name a type has too: package lab has lab.Graph("x") and *lab.Graph. In
// cells a call means the function.
const doubled = "·"

func twice(table compile.Table, name string) bool {
	return table.Types[name] != nil && table.Values[name].IsValid() && table.Values[name].Kind() == reflect.Func
}

func (r *reflection) declareType(p *types.Package, name string, rt reflect.Type) {
	t := r.typ(rt)
	if n, ok := t.(*types.Named); ok && n.Obj().Name() == name && n.Obj().Pkg() == p {
		return // it is in the scope already
	}
	alias := types.NewTypeName(token.NoPos, p, name, nil)
	types.NewAlias(alias, t)
	p.Scope().Insert(alias)
}

// object declares a function, a variable or a typed constant.
func (r *reflection) object(p *types.Package, name string, v reflect.Value) types.Object {
	t := r.typ(v.Type())
	switch sig, ok := t.(*types.Signature); {
	case v.CanAddr():
		return types.NewVar(token.NoPos, p, name, t)
	case ok:
		return types.NewFunc(token.NoPos, p, name, sig)
	}
	if c := constantOf(v); c != nil {
		return types.NewConst(token.NoPos, p, name, t, c)
	}
	return types.NewVar(token.NoPos, p, name, t)
}

func constantOf(v reflect.Value) constant.Value {
	switch {
	case v.Kind() == reflect.Bool:
		return constant.MakeBool(v.Bool())
	case v.Kind() == reflect.String:
		return constant.MakeString(v.String())
	case v.CanInt():
		return constant.MakeInt64(v.Int())
	case v.CanUint():
		return constant.MakeUint64(v.Uint())
	case v.CanFloat():
		return constant.MakeFloat64(v.Float())
	}
	return nil
}

// readConstant reads a constant of a table: its kind, a colon and its value.
func readConstant(text string) (constant.Value, types.Type) {
	kind, value, _ := strings.Cut(text, ":")
	switch kind {
	case "bool":
		return constant.MakeBool(value == "true"), types.Typ[types.UntypedBool]
	case "string":
		return constant.MakeString(value), types.Typ[types.UntypedString]
	case "int":
		return constant.MakeFromLiteral(value, token.INT, 0), types.Typ[types.UntypedInt]
	case "rune":
		return constant.MakeFromLiteral(value, token.INT, 0), types.Typ[types.UntypedRune]
	case "float":
		above, below, ok := strings.Cut(value, "/")
		v := constant.MakeFromLiteral(above, token.FLOAT, 0)
		if ok {
			v = constant.BinaryOp(v, token.QUO, constant.MakeFromLiteral(below, token.FLOAT, 0))
		}
		return v, types.Typ[types.UntypedFloat]
	}
	return nil, nil
}

// pkg returns a package that types may be declared in.
func (r *reflection) pkg(at, name string) *types.Package {
	if p, ok := r.m.known[at]; ok {
		return p
	}
	if name == "" {
		table, _ := r.m.library.Table(at)
		if name = table.Name; name == "" {
			name = path.Base(at)
		}
	}
	p := types.NewPackage(at, name)
	r.m.known[at] = p
	r.open = append(r.open, p)
	return p
}

var basicKinds = map[reflect.Kind]types.BasicKind{
	reflect.Bool: types.Bool, reflect.String: types.String, reflect.UnsafePointer: types.UnsafePointer,
	reflect.Int: types.Int, reflect.Int8: types.Int8, reflect.Int16: types.Int16, reflect.Int32: types.Int32,
	reflect.Int64: types.Int64, reflect.Uint: types.Uint, reflect.Uint8: types.Uint8, reflect.Uint16: types.Uint16,
	reflect.Uint32: types.Uint32, reflect.Uint64: types.Uint64, reflect.Uintptr: types.Uintptr,
	reflect.Float32: types.Float32, reflect.Float64: types.Float64,
	reflect.Complex64: types.Complex64, reflect.Complex128: types.Complex128,
}

// typ is a compiled type for the type checker.
func (r *reflection) typ(rt reflect.Type) types.Type {
	switch {
	case rt == reflect.TypeFor[error]():
		return types.Universe.Lookup("error").Type()
	case rt.PkgPath() != "" && rt.Name() != "":
		return r.declaredType(rt)
	}
	return r.form(rt)
}

// form is the type without its name.
func (r *reflection) form(rt reflect.Type) types.Type {
	if kind, ok := basicKinds[rt.Kind()]; ok {
		return types.Typ[kind]
	}
	switch rt.Kind() {
	case reflect.Pointer:
		return types.NewPointer(r.typ(rt.Elem()))
	case reflect.Slice:
		return types.NewSlice(r.typ(rt.Elem()))
	case reflect.Array:
		return types.NewArray(r.typ(rt.Elem()), int64(rt.Len()))
	case reflect.Map:
		return types.NewMap(r.typ(rt.Key()), r.typ(rt.Elem()))
	case reflect.Chan:
		return types.NewChan(map[reflect.ChanDir]types.ChanDir{
			reflect.BothDir: types.SendRecv, reflect.SendDir: types.SendOnly, reflect.RecvDir: types.RecvOnly,
		}[rt.ChanDir()], r.typ(rt.Elem()))
	case reflect.Func:
		return r.signature(rt, nil, 0)
	case reflect.Struct:
		return r.structure(rt)
	}
	methods := make([]*types.Func, rt.NumMethod())
	for i := range methods {
		m := rt.Method(i)
		methods[i] = types.NewFunc(token.NoPos, r.owner(m.PkgPath), m.Name, r.signature(m.Type, nil, 0))
	}
	return types.NewInterfaceType(methods, nil).Complete()
}

func (r *reflection) owner(path string) *types.Package {
	if path == "" {
		return nil
	}
	return r.pkg(path, "")
}

// signature leaves out the first parameters, which are a method's receiver.
func (r *reflection) signature(rt reflect.Type, recv *types.Var, skip int) *types.Signature {
	var in, out []*types.Var
	for i := skip; i < rt.NumIn(); i++ {
		in = append(in, types.NewParam(token.NoPos, nil, "", r.typ(rt.In(i))))
	}
	for i := range rt.NumOut() {
		out = append(out, types.NewParam(token.NoPos, nil, "", r.typ(rt.Out(i))))
	}
	return types.NewSignatureType(recv, nil, nil, types.NewTuple(in...), types.NewTuple(out...), rt.IsVariadic())
}

func (r *reflection) structure(rt reflect.Type) types.Type {
	fields, tags := make([]*types.Var, rt.NumField()), make([]string, rt.NumField())
	for i := range fields {
		f := rt.Field(i)
		fields[i] = types.NewField(token.NoPos, r.owner(f.PkgPath), f.Name, r.typ(f.Type), f.Anonymous)
		tags[i] = string(f.Tag)
	}
	return types.NewStruct(fields, tags)
}

// declaredType finds the type in the export data of its package, or makes it.
func (r *reflection) declaredType(rt reflect.Type) types.Type {
	if n, ok := r.named[rt]; ok {
		return n
	}
	if data, err := r.m.library.Export(rt.PkgPath()); err == nil && len(data) > 0 {
		if p, err := r.m.Import(rt.PkgPath()); err == nil {
			if obj, ok := p.Scope().Lookup(rt.Name()).(*types.TypeName); ok {
				return obj.Type()
			}
		}
	}
	if strings.Contains(rt.Name(), "[") && rt.NumMethod() == 0 {
		return r.form(rt) // an instance of a generic type
	}
	p := r.pkg(rt.PkgPath(), "")
	name := types.NewTypeName(token.NoPos, p, rt.Name(), nil)
	n := types.NewNamed(name, nil, nil)
	r.named[rt] = n
	r.m.learn(name, rt)
	if token.IsExported(rt.Name()) && p.Scope().Lookup(rt.Name()) == nil {
		if r.offers(p.Path(), name.Name()) {
			p.Scope().Insert(name)
		}
	}
	n.SetUnderlying(r.form(rt).Underlying())
	if rt.Kind() == reflect.Interface {
		return n
	}
	for m := range reflect.PointerTo(rt).Methods() {
		var recv types.Type = types.NewPointer(n)
		if _, ok := rt.MethodByName(m.Name); ok {
			recv = n
		}
		v := types.NewParam(token.NoPos, p, "", recv)
		n.AddMethod(types.NewFunc(token.NoPos, p, m.Name, r.signature(m.Type, v, 1)))
	}
	return n
}
