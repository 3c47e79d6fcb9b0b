package interp

import (
	"context"
	"go/token"
	"strings"

	"github.com/cosmos72/gomacro/base"
	basereflect "github.com/cosmos72/gomacro/base/reflect"
	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/command"
	"github.com/spherelab/spherelab/kernel/display"
)

// Execute evaluates one cell. An error is always a *kernel.CellError.
func (e *Engine) Execute(ctx context.Context, cell kernel.Cell) (result kernel.Result, err error) {
	x, end := e.begin(ctx, cell.Number)
	defer end()
	if err := e.capture(); err != nil {
		return kernel.Result{}, asCellError(err)
	}
	defer e.flush()
	defer func() {
		if failure := e.runDefers(x); failure != nil && err == nil {
			result, err = kernel.Result{}, failure
		}
	}()
	v, failure := e.evaluate(x, cell.Code)
	if failure != nil {
		return kernel.Result{}, failure
	}
	if cell.Silent {
		return kernel.Result{}, nil
	}
	return e.result(x, v)
}

// value is what a cell ends with.
type value struct {
	values  []xreflect.Value
	types   []xreflect.Type
	data    *display.Data    // of a command
	payload []map[string]any // what a command asks of the front end
}

// evaluate runs the parts of a cell, commands and code, in order.
func (e *Engine) evaluate(x *execution, code string) (value, *kernel.CellError) {
	var last value
	for _, p := range command.Split(code) {
		var failure *kernel.CellError
		if p.Command {
			last, failure = e.command(x, p)
		} else {
			last, failure = e.evaluateCode(x, p.Text, p.Line)
		}
		if failure != nil {
			return value{}, x.blame(failure)
		}
		if x.interrupted.Load() {
			return value{}, e.runtimeError(x, base.SigInterrupt, nil, token.NoPos)
		}
	}
	return last, nil
}

// evaluateCode compiles a piece of code as a whole, then runs it.
func (e *Engine) evaluateCode(x *execution, text string, firstLine int) (value, *kernel.CellError) {
	if strings.TrimSpace(text) == "" {
		return value{}, nil
	}
	p, failure := e.compile(x.number, text, firstLine)
	defer e.sources.release(p.src)
	if failure != nil {
		return value{}, failure
	}
	v, failure := e.runProgram(x, p)
	if failure == nil {
		failure = e.returnedError(p, v)
	}
	if failure != nil {
		return value{}, failure
	}
	switch n := len(v.values); {
	case p.last == silent, p.last == prints:
		return value{}, nil
	case p.last == commaOK && n > 1:
		v.values, v.types = v.values[:1], v.types[:1]
	}
	return v, nil
}

// runProgram runs a program. If it fails, names that it did not get to are not declared.
func (e *Engine) runProgram(x *execution, p program) (value, *kernel.CellError) {
	v, failure := e.runChunks(x, p.src, p.chunks)
	defer e.keepValues()
	if failure != nil {
		e.code.Lock()
		p.before.restoreUnset(e.ir)
		e.code.Unlock()
		return value{}, failure
	}
	return v, nil
}

// returnedError ends a cell whose last call returned values and an error.
func (e *Engine) returnedError(p program, v value) *kernel.CellError {
	n := len(v.values)
	if p.last != returns || n < 2 || isNil(v.values[n-1]) || v.types[n-1] == nil || !v.types[n-1].IdenticalTo(e.ir.Comp.TypeOfError()) {
		return nil
	}
	err, ok := basereflect.ValueInterface(v.values[n-1]).(error)
	if !ok {
		return nil
	}
	if failure := kernel.OwnFailure(err); failure != nil {
		return failure
	}
	nodes := p.chunks[len(p.chunks)-1].nodes
	line, _ := p.src.line(nodes[len(nodes)-1].Pos())
	return cellError(kernel.ErrorName(err, kernel.NameError), panicMessage(err), p.src, line)
}

// runChunks runs compiled code. The values are those of the last chunk.
func (e *Engine) runChunks(x *execution, src *source, chunks []chunk) (v value, failure *kernel.CellError) {
	top := token.NoPos
	defer func() {
		if r := recover(); r != nil {
			failure = e.runtimeError(x, r, src, top)
		}
		e.resetRun()
	}()
	for _, c := range chunks {
		v = value{}
		if c.expr == nil {
			continue
		}
		top = c.nodes[0].Pos()
		x.top.Store(int64(top))
		v.values, v.types = e.runExpr(x, c.expr)
		if _, ok := expression(c.nodes[len(c.nodes)-1]); !ok {
			v = value{}
		}
	}
	return v, nil
}

// runExpr is gomacro's RunExpr, except that the call stack is still there when it panics.
func (e *Engine) runExpr(x *execution, expr *fast.Expr) ([]xreflect.Value, []xreflect.Type) {
	fun := expr.AsXV(fast.COptKeepUntyped)
	e.resetRun()
	env := e.ir.PrepareEnv()
	if x.interrupted.Load() { // PrepareEnv has just cleared the signal
		panic(base.SigInterrupt)
	}
	env.IP, env.DebugPos = 0, nil
	e.run.CurrEnv = env
	v, vs := fun(env)
	return basereflect.PackValues(v, vs), basereflect.PackTypes(expr.Type, expr.Types)
}

// resetRun clears what a panic leaves behind in gomacro.
func (e *Engine) resetRun() {
	r := e.run
	r.Interrupt, r.CurrEnv, r.InstallDefer, r.DeferOfFun, r.PanicFun, r.Panic = nil, nil, nil, nil, nil, nil
	r.ExecFlags = 0
	r.Signals = base.Signals{}
}

// runDefers makes the deferred calls of a cell's top level, the last first.
func (e *Engine) runDefers(x *execution) (failure *kernel.CellError) {
	for i := len(x.defers) - 1; i >= 0; i-- {
		func() {
			defer func() {
				if r := recover(); r != nil && failure == nil {
					failure = e.runtimeError(x, r, nil, token.NoPos)
				}
				e.resetRun()
			}()
			x.defers[i]()
		}()
	}
	return failure
}

// result renders what the cell ends with: nothing for nil, a trailing nil error is left out.
func (e *Engine) result(x *execution, v value) (result kernel.Result, err error) {
	if v.payload != nil {
		return kernel.Result{Payload: v.payload}, nil
	}
	if v.data != nil {
		return kernel.Result{Data: *v.data, HasValue: true}, nil
	}
	defer func() { // methods of the cell's types run here
		if r := recover(); r != nil {
			result, err = kernel.Result{}, e.runtimeError(x, r, nil, token.NoPos)
		}
		e.resetRun()
	}()
	n := len(v.values)
	if len(v.types) < n { // the literal nil has no type
		v.types = append(v.types, make([]xreflect.Type, n-len(v.types))...)
	}
	if n > 0 && isNil(v.values[n-1]) && (n == 1 || v.types[n-1] != nil && v.types[n-1].IdenticalTo(e.ir.Comp.TypeOfError())) {
		n--
	}
	switch n {
	case 0:
		return kernel.Result{}, nil
	case 1:
		return kernel.Result{Data: e.render(v.values[0], v.types[0]), HasValue: true}, nil
	}
	texts := make([]string, n)
	nils := 0
	for i := range texts {
		if isNil(v.values[i]) {
			nils++
			texts[i] = "<nil>"
		} else {
			texts[i] = e.text(v.values[i], v.types[i])
		}
	}
	if nils == n {
		return kernel.Result{}, nil
	}
	return kernel.Result{Data: display.MakeData(display.MIMETypeText, strings.Join(texts, " ")), HasValue: true}, nil
}

func isNil(v xreflect.Value) bool {
	x := basereflect.ValueInterface(v)
	return x == nil
}
