package compile

import (
	"go/types"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// boxer puts values of a layout into an `any`.
func boxer(rt reflect.Type) func(unsafe.Pointer) any {
	word := layout.TypeWord(rt)
	box := func(data unsafe.Pointer) (v any) {
		*(*layout.Eface)(unsafe.Pointer(&v)) = layout.Eface{Type: word, Data: data}
		return v
	}
	switch classOf(rt) {
	case classPointer:
		return func(p unsafe.Pointer) any { return box(*(*unsafe.Pointer)(p)) }
	case class64:
		return func(p unsafe.Pointer) any {
			v := any(*(*uint64)(p))
			(*layout.Eface)(unsafe.Pointer(&v)).Type = word
			return v
		}
	case classString:
		return func(p unsafe.Pointer) any {
			v := any(*(*string)(p))
			(*layout.Eface)(unsafe.Pointer(&v)).Type = word
			return v
		}
	}
	return func(p unsafe.Pointer) any { return reflect.NewAt(rt, p).Elem().Interface() }
}

// ifaceValue reads an interface with methods.
func ifaceValue(p unsafe.Pointer) (v any) {
	i := (*layout.Iface)(p)
	if i.Table != nil {
		*(*layout.Eface)(unsafe.Pointer(&v)) = layout.Eface{Type: i.Table.Type, Data: i.Data}
	}
	return v
}

// unwrap gives the value of a cell that a proxy holds.
func (c *Compiler) unwrap(v any) any {
	if p, ok := v.(bridge.Proxy); ok {
		return p.Cell()
	}
	if c.generates.Load() && v != nil {
		if _, ok := c.generated.Load((*layout.Eface)(unsafe.Pointer(&v)).Type); ok {
			return bridge.Object(v)
		}
	}
	return v
}

// setter writes an `any` as an interface of a type. The value is known to implement it.
func (c *Compiler) setter(t types.Type) func(to unsafe.Pointer, v any) {
	if c.Types.Eface(t) {
		return func(to unsafe.Pointer, v any) { *(*any)(to) = v }
	}
	rt := c.Types.Of(t)
	var tables sync.Map // type word -> *layout.Table
	return func(to unsafe.Pointer, v any) {
		if v == nil {
			*(*layout.Iface)(to) = layout.Iface{}
			return
		}
		v = c.proxied(rt, v)
		e := (*layout.Eface)(unsafe.Pointer(&v))
		if table, ok := tables.Load(e.Type); ok {
			*(*layout.Iface)(to) = layout.Iface{Table: table.(*layout.Table), Data: e.Data}
			return
		}
		reflect.NewAt(rt, to).Elem().Set(reflect.ValueOf(v))
		tables.Store(e.Type, (*layout.Iface)(to).Table)
	}
}

// proxied gives a value the methods that compiled code sees.
func (c *Compiler) proxied(iface reflect.Type, v any) any {
	rt := reflect.TypeOf(v)
	typ, ok := c.Types.Back(rt)
	if !ok || !c.hasCell(typ) {
		return v
	}
	box := bridge.Box{V: v, S: c}
	if p, ok := bridge.New(iface, box, c.methodNames(rt, typ)); ok {
		return p
	}
	generated, ok := c.library.Proxy(iface.PkgPath(), iface.Name())
	if !ok {
		panic(message("values of cells cannot be a " + iface.String() + " of compiled code"))
	}
	p := c.proxies.of(generated, box)
	c.generated.Store((*layout.Eface)(unsafe.Pointer(&p)).Type, true)
	c.generates.Store(true)
	return p
}

// methodNames lists the exported methods of a cell's type.
func (c *Compiler) methodNames(rt reflect.Type, typ types.Type) map[string]string {
	if known, ok := c.names.Load(rt); ok {
		return known.(map[string]string)
	}
	c.build.Lock()
	set := c.Program.MethodSets.MethodSet(typ)
	c.build.Unlock()
	names := map[string]string{}
	for i := range set.Len() {
		obj := set.At(i).Obj()
		if obj.Exported() {
			names[obj.Name()] = layout.Name(set.At(i).Type())
		}
	}
	c.names.Store(rt, names)
	return names
}

func (b *body) makeInterface(i *ssa.MakeInterface) {
	d, x := b.slot(i), b.operand(i.X)
	box := boxer(b.Types.Of(i.X.Type()))
	if b.Types.Eface(i.Type()) {
		b.emit(func(f unsafe.Pointer) { *at[any](f, d) = box(unsafe.Add(f, x)) })
		return
	}
	set, pos := b.setter(i.Type()), i.Pos()
	b.emit(func(f unsafe.Pointer) {
		site(f, pos)
		set(unsafe.Add(f, d), box(unsafe.Add(f, x)))
	})
}

// changeType copies a value. Interfaces of equal methods may lie in memory in two ways.
func (b *body) changeType(i *ssa.ChangeType) {
	if types.IsInterface(i.Type()) && b.Types.Eface(i.Type()) != b.Types.Eface(i.X.Type()) {
		b.betweenInterfaces(i, i.X)
		return
	}
	b.emit(copyStep(b.Types.Of(i.Type()), b.slot(i), b.operand(i.X)))
}

func (b *body) changeInterface(i *ssa.ChangeInterface) { b.betweenInterfaces(i, i.X) }

func (b *body) betweenInterfaces(to, from ssa.Value) {
	d, x := b.slot(to), b.operand(from)
	read, set := b.asAny(from.Type()), b.setter(to.Type())
	b.emit(func(f unsafe.Pointer) { set(unsafe.Add(f, d), read(unsafe.Add(f, x))) })
}

func (b *body) typeAssert(i *ssa.TypeAssert) {
	d, x, pos := b.slot(i), b.operand(i.X), i.Pos()
	read := b.asAny(i.X.Type())
	if _, ok := i.AssertedType.Underlying().(*types.Interface); ok {
		b.assertInterface(i, d, x)
		return
	}
	rt := b.Types.Of(i.AssertedType)
	word, direct, move, clear := layout.TypeWord(rt), layout.Direct(rt), moverOf(rt), clearer(rt)
	take := func(to, data unsafe.Pointer) {
		if direct {
			*(*unsafe.Pointer)(to) = data
		} else {
			move(to, data)
		}
	}
	if i.CommaOk {
		okAt := d + b.Types.Of(i.Type()).Field(1).Offset
		b.emit(func(f unsafe.Pointer) {
			v := read(unsafe.Add(f, x))
			e := (*layout.Eface)(unsafe.Pointer(&v))
			ok := e.Type == word
			if ok {
				take(unsafe.Add(f, d), e.Data)
			} else {
				clear(unsafe.Add(f, d))
			}
			*at[bool](f, okAt) = ok
		})
		return
	}
	inter, want := layout.Name(i.X.Type()), layout.Name(i.AssertedType)
	b.emit(func(f unsafe.Pointer) {
		v := read(unsafe.Add(f, x))
		e := (*layout.Eface)(unsafe.Pointer(&v))
		if e.Type != word {
			have := ""
			if v != nil {
				have = b.DynamicName(reflect.TypeOf(v))
			}
			failedAssertion(f, pos, inter, have, want, "")
		}
		take(unsafe.Add(f, d), e.Data)
	})
}

func (b *body) assertInterface(i *ssa.TypeAssert, d, x uintptr) {
	pos, read, set := i.Pos(), b.asAny(i.X.Type()), b.setter(i.AssertedType)
	want := i.AssertedType
	name, bound := layout.Name(want), bindsMethod(i)
	if i.CommaOk {
		okAt := d + b.Types.Of(i.Type()).Field(1).Offset
		b.emit(func(f unsafe.Pointer) {
			v := read(unsafe.Add(f, x))
			ok := v != nil && b.missing(reflect.TypeOf(v), want) == ""
			if !ok {
				v = nil
			}
			set(unsafe.Add(f, d), v)
			*at[bool](f, okAt) = ok
		})
		return
	}
	b.emit(func(f unsafe.Pointer) {
		v := read(unsafe.Add(f, x))
		if v == nil && bound {
			nilPointer(f, pos)
		}
		if v == nil {
			failedAssertion(f, pos, "", "", name, "")
		}
		if m := b.missing(reflect.TypeOf(v), want); m != "" {
			failedAssertion(f, pos, "", b.DynamicName(reflect.TypeOf(v)), name, m)
		}
		set(unsafe.Add(f, d), v)
	})
}

// bindsMethod tells whether an assertion is go/ssa's test for nil before it makes a method value, the next step but a
// conversion. In generic code that test has no place.
func bindsMethod(i *ssa.TypeAssert) bool {
	if i.CommaOk || !i.Pos().IsValid() {
		return !i.CommaOk
	}
	steps, bound := i.Block().Instrs, i.X
	next := slices.Index(steps, ssa.Instruction(i)) + 1
	if change, ok := steps[next].(*ssa.ChangeInterface); ok && change.X == bound {
		bound = change
		next++
	}
	closure, ok := steps[next].(*ssa.MakeClosure)
	return ok && slices.Contains(closure.Bindings, bound)
}

type implementsKey struct {
	rt    reflect.Type
	iface types.Type
}

// missing names the first method of an interface that a dynamic type lacks, "" if it has all.
func (c *Compiler) missing(rt reflect.Type, want types.Type) string {
	iface := want.Underlying().(*types.Interface)
	if iface.NumMethods() == 0 {
		return ""
	}
	key := implementsKey{rt, want}
	if m, ok := c.implements.Load(key); ok {
		return m.(string)
	}
	m := c.findMissing(rt, iface)
	c.implements.Store(key, m)
	return m
}

func (c *Compiler) findMissing(rt reflect.Type, iface *types.Interface) string {
	if typ, ok := c.Types.Back(rt); ok {
		if m, _ := types.MissingMethod(typ, iface, true); m != nil {
			return m.Name()
		}
		return ""
	}
	for m := range iface.Methods() {
		have, ok := rt.MethodByName(m.Name())
		if !ok || !c.sameSignature(have.Type, m.Signature()) {
			return m.Name()
		}
	}
	return ""
}

// sameSignature compares a compiled method, whose receiver comes first, with a signature.
func (c *Compiler) sameSignature(have reflect.Type, want *types.Signature) bool {
	w := c.Types.Of(want)
	if have.NumIn()-1 != w.NumIn() || have.NumOut() != w.NumOut() || have.IsVariadic() != w.IsVariadic() {
		return false
	}
	for i := range w.NumIn() {
		if have.In(i+1) != w.In(i) {
			return false
		}
	}
	for i := range w.NumOut() {
		if have.Out(i) != w.Out(i) {
			return false
		}
	}
	return true
}
