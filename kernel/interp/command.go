package interp

import (
	"fmt"
	"go/token"
	"sort"
	"strings"

	"github.com/cosmos72/gomacro/base"
	"github.com/cosmos72/gomacro/fast"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/command"
)

// commands lets the commands of a cell use the session.
type commands struct {
	e *Engine
	x *execution
}

var _ command.Session = (*commands)(nil)

// Evaluate implements command.Session.
func (c *commands) Evaluate(_, code string, line int) (any, error) {
	v, failure := c.e.evaluateCode(c.x, code, line)
	if failure != nil {
		return nil, failure
	}
	return v, nil
}

// Interrupted implements command.Session.
func (c *commands) Interrupted() bool { return c.x.interrupted.Load() }

// Prepare implements command.Session.
func (c *commands) Prepare(code string, line int) (run func() error, done func(), err error) {
	p, failure := c.e.compile(c.x.number, code, line)
	if failure != nil {
		c.e.sources.release(p.src)
		return nil, nil, failure
	}
	run = func() error {
		if _, failure := c.e.runProgram(c.x, p); failure != nil {
			return failure
		}
		return nil
	}
	return run, func() { c.e.sources.release(p.src) }, nil
}

// command runs one command line or cell magic.
func (e *Engine) command(x *execution, p command.Part) (value, *kernel.CellError) {
	cell := command.Cell{
		Context: x.ctx, Stdout: e.stdout.File, Stderr: e.stderr.File, Magics: e.options.Magics, Session: &commands{e, x},
	}
	out, err := cell.Run(p)
	if err != nil {
		failure := asCellError(err)
		switch {
		case failure.Name != kernel.NameCommand:
		case x.interrupted.Load():
			failure = e.runtimeError(x, base.SigInterrupt, nil, token.NoPos)
		default:
			src := &source{number: x.number, shown: p.Text, firstLine: p.Line}
			failure = cellError(kernel.NameCommand, failure.Value, src, p.Line)
		}
		return value{}, failure
	}
	v, _ := out.Value.(value)
	v.data, v.payload = out.Data, out.Payload
	return v, nil
}

// Reset forgets everything the session declared. Goroutines that still run lose their variables; their panics are
// reported as any other's.
func (c *commands) Reset() {
	e := c.e
	e.code.Lock()
	defer e.code.Unlock()
	comp := e.ir.Comp
	env := e.ir.PrepareEnv()
	keep := make(map[int]bool)
	for name, b := range comp.Binds {
		if e.predeclared[name] != b {
			delete(comp.Binds, name)
		} else if b.Desc.Class() != fast.IntBind {
			keep[b.Desc.Index()] = true
		}
	}
	for name, b := range e.predeclared {
		comp.Binds[name] = b
		keep[b.Desc.Index()] = true
	}
	for name := range comp.Types {
		delete(comp.Types, name)
	}
	clear(e.typeTexts)
	clear(e.docs)
	for i := range env.Vals {
		if !keep[i] {
			env.Vals[i] = fast.None
		}
	}
}

// Names lists the user's names, sorted.
func (c *commands) Names() []command.Name {
	e := c.e
	e.code.Lock()
	comp := e.ir.Comp
	type item struct {
		name string
		bind *fast.Bind
	}
	var items []item
	var list []command.Name
	for name, b := range comp.Binds {
		if e.predeclared[name] != b && !strings.HasPrefix(name, "·") {
			items = append(items, item{name, b})
		}
	}
	for name, t := range comp.Types {
		list = append(list, command.Name{Name: name, Kind: "type", Text: underlying(t)})
	}
	env := e.ir.PrepareEnv()
	e.code.Unlock()
	for _, it := range items {
		n := command.Name{Name: it.name}
		switch b := it.bind; {
		case asImport(b) != nil:
			n.Kind, n.Text = "package", asImport(b).Path
		case b.Desc.Class() == fast.FuncBind:
			n.Kind, n.Text = "func", typeName(b.Type)
		case b.Desc.Class() == fast.ConstBind:
			n.Kind, n.Text = "const", fmt.Sprint(constant(b))
		default:
			n.Kind, n.Text = typeName(b.Type), "?"
			func() {
				defer func() { _ = recover() }() // a String method of the user's may panic
				n.Text = e.text(b.RuntimeValue(e.ir.Comp.CompGlobals, env), b.Type)
			}()
		}
		list = append(list, n)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// IsComplete says whether a cell can be run as it is.
func (e *Engine) IsComplete(code string) (status, indent string) {
	return command.Complete(code, e.parses)
}
