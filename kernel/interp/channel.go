package interp

import (
	"go/ast"
	"reflect"

	"github.com/cosmos72/gomacro/base"
	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// compileReceive compiles <-c.
func (e *Engine) compileReceive(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	ch, elem := channel(c, node.Args[0], reflect.RecvDir)
	return callWith(c, []xreflect.Type{ch.Type}, []xreflect.Type{elem}, []*fast.Expr{ch}, func(args []reflect.Value) []reflect.Value {
		v, _ := e.receive(args[0])
		return []reflect.Value{v}
	})
}

// compileReceiveOK compiles v, ok := <-c.
func (e *Engine) compileReceiveOK(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	ch, elem := channel(c, node.Args[0], reflect.RecvDir)
	return callWith(c, []xreflect.Type{ch.Type}, []xreflect.Type{elem, c.TypeOfBool()}, []*fast.Expr{ch}, func(args []reflect.Value) []reflect.Value {
		v, ok := e.receive(args[0])
		return []reflect.Value{v, reflect.ValueOf(ok)}
	})
}

// compileSend compiles c <- v.
func (e *Engine) compileSend(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	ch, elem := channel(c, node.Args[0], reflect.SendDir)
	v := c.Expr1(node.Args[1], nil)
	if !v.Const() && (v.Type == nil || !v.Type.AssignableTo(elem)) {
		c.Errorf("cannot send <%v> to a channel of <%v>", v.Type, elem)
	}
	e.convertTo(c, v, elem)
	return callWith(c, []xreflect.Type{ch.Type, elem}, nil, []*fast.Expr{ch, v}, func(args []reflect.Value) []reflect.Value {
		e.send(args[0], args[1])
		return nil
	})
}

// compileSent compiles the value of a send that is a case of a select statement.
func (e *Engine) compileSent(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	_, elem := channel(c, node.Args[0], reflect.SendDir)
	v := c.Expr1(node.Args[1], nil)
	if !v.Const() && (v.Type == nil || !v.Type.AssignableTo(elem)) {
		c.Errorf("cannot send <%v> to a channel of <%v>", v.Type, elem)
	}
	e.convertTo(c, v, elem)
	return callWith(c, []xreflect.Type{elem}, []xreflect.Type{elem}, []*fast.Expr{v}, func(args []reflect.Value) []reflect.Value { return args })
}

func channel(c *fast.Comp, node ast.Expr, dir reflect.ChanDir) (*fast.Expr, xreflect.Type) {
	ch := c.Expr1(node, nil)
	if ch.Type == nil || ch.Type.Kind() != reflect.Chan {
		c.Errorf("not a channel: %v <%v>", node, ch.Type)
	}
	if ch.Type.ChanDir()&dir == 0 {
		c.Errorf("wrong direction of channel: %v <%v>", node, ch.Type)
	}
	return ch, ch.Type.Elem()
}

// compileEnded compiles to a channel that is closed by the cell's interrupt, nil on other goroutines.
func (e *Engine) compileEnded(c *fast.Comp, _ fast.Symbol, _ *ast.CallExpr) *fast.Call {
	return constantCall(c, e.ended)
}

func (e *Engine) ended() <-chan struct{} {
	if x := e.current.Load(); x != nil && e.onSession() {
		return x.ctx.Done()
	}
	return nil
}

// receive receives from ch. On the evaluating goroutine an interrupt ends the wait.
func (e *Engine) receive(ch reflect.Value) (reflect.Value, bool) {
	done := e.ended()
	if done == nil {
		return ch.Recv()
	}
	if !ch.IsNil() {
		if v, ok := ch.TryRecv(); v.IsValid() {
			return v, ok
		}
	}
	chosen, v, ok := reflect.Select([]reflect.SelectCase{
		{Dir: reflect.SelectRecv, Chan: ch},
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(done)},
	})
	if chosen == 1 {
		panic(base.SigInterrupt)
	}
	return v, ok
}

// send sends v to ch. On the evaluating goroutine an interrupt ends the wait.
func (e *Engine) send(ch, v reflect.Value) {
	done := e.ended()
	if done == nil {
		ch.Send(v)
		return
	}
	if !ch.IsNil() && ch.TrySend(v) {
		return
	}
	chosen, _, _ := reflect.Select([]reflect.SelectCase{
		{Dir: reflect.SelectSend, Chan: ch, Send: v},
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(done)},
	})
	if chosen == 1 {
		panic(base.SigInterrupt)
	}
}
