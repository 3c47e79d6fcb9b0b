package interp

import (
	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// names are the declared names at some moment.
type names struct {
	binds map[string]*fast.Bind
	types map[string]xreflect.Type
}

func noteNames(ir *fast.Interp) *names {
	n := &names{make(map[string]*fast.Bind, len(ir.Comp.Binds)), make(map[string]xreflect.Type, len(ir.Comp.Types))}
	for name, b := range ir.Comp.Binds {
		n.binds[name] = b
	}
	for name, t := range ir.Comp.Types {
		n.types[name] = t
	}
	return n
}

// restore takes back all declarations since.
func (n *names) restore(ir *fast.Interp) {
	binds, types := ir.Comp.Binds, ir.Comp.Types
	for name := range binds {
		if n.binds[name] == nil {
			delete(binds, name)
		}
	}
	for name, b := range n.binds {
		binds[name] = b
	}
	for name := range types {
		if n.types[name] == nil {
			delete(types, name)
		}
	}
	for name, t := range n.types {
		types[name] = t
	}
}

// restoreUnset takes back the declarations since that were compiled but not reached: their variables hold nothing, or what another type left there.
func (n *names) restoreUnset(ir *fast.Interp) {
	env := ir.PrepareEnv()
	for name, b := range ir.Comp.Binds {
		old := n.binds[name]
		if b == old {
			continue
		}
		if c := b.Desc.Class(); c != fast.VarBind && c != fast.FuncBind {
			continue
		}
		i := b.Desc.Index()
		if i < 0 || i >= len(env.Vals) {
			continue
		}
		if v := env.Vals[i]; v.IsValid() && (b.Type == nil || v.Type() == b.Type.ReflectType()) {
			continue
		}
		if old != nil {
			ir.Comp.Binds[name] = old
		} else {
			delete(ir.Comp.Binds, name)
		}
	}
}
