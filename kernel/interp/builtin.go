package interp

import (
	"go/ast"
	"go/token"
	"math"
	"reflect"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

type compileFunc = func(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call

// declareBuiltins adds what newer Go has predeclared, and the builtins that rewritten code calls. A builtin's compile function sees the types of its
// arguments, which the rewriting cannot.
func (e *Engine) declareBuiltins() {
	top := e.ir.Comp.TopComp()
	declare := func(name string, min, max uint16, compile compileFunc) {
		top.DeclBuiltin0(name, fast.Builtin{Compile: compile, ArgMin: min, ArgMax: max})
	}
	declare("min", 1, math.MaxUint16, compileExtreme("min", token.LSS))
	declare("max", 1, math.MaxUint16, compileExtreme("max", token.GTR))
	declare("clear", 1, 1, compileClear)
	declare(nameRange, 1, 1, e.compileRange)
	declare(nameGo, 1, math.MaxUint16, e.compileGo)
	declare(nameDefer, 1, math.MaxUint16, e.compileDefer)
	declare(nameCall, 1, math.MaxUint16, e.compilePrintCall)
	declare(nameDisplay, 1, math.MaxUint16, e.compileDisplayCall)
	declare(nameValue, 1, 1, e.compileValue)
	declare(nameSame, 1, 1, compileSame)
	declare(nameSent, 2, 2, e.compileSent)
	declare(nameArgs, 1, math.MaxUint16, e.compileArgsCall)
	declare(nameElem, 2, 2, e.compileElem)
	declare(nameTwin, 1, math.MaxUint16, e.compileTwin)
	declare(nameOne, 2, 2, e.compileOne)
	declare(nameType, 1, 1, e.compileTypeName)
	declare(nameIs, 2, 2, e.compileErrorsIs)
	declare(nameAs, 2, 2, e.compileErrorsAs)
	declare(nameRecover, 1, 1, func(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
		call := constantCall(c, e.recovered)
		call.Args = []*fast.Expr{c.Expr1(node.Args[0], nil)}
		return call
	})
	declare(namePanicked, 1, 1, func(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
		call := constantCall(c, func(r interface{}) {
			switch {
			case r == nil:
			case e.onSession(): // no goroutine after all: the cell fails
				panic(r)
			default:
				e.goroutinePanic(asRuntimeError(r), nil)
			}
		})
		call.Args = []*fast.Expr{c.Expr1(node.Args[0], nil)}
		return call
	})
	declare(nameReceive, 1, 1, e.compileReceive)
	declare(nameRecvOK, 1, 1, e.compileReceiveOK)
	declare(nameSend, 2, 2, e.compileSend)
	declare(nameEnded, 0, 0, e.compileEnded)
	declare(nameStop, 0, 0, func(c *fast.Comp, _ fast.Symbol, _ *ast.CallExpr) *fast.Call {
		return constantCall(c, e.stopIfInterrupted)
	})
}

// constantCall calls a compiled function; the caller adds the arguments.
func constantCall(c *fast.Comp, f interface{}) *fast.Call {
	t := c.TypeOf(f)
	v := xreflect.ValueOf(f)
	call := &fast.Call{Fun: &fast.Expr{Lit: fast.Lit{Type: t}, Fun: func(*fast.Env) xreflect.Value { return v }}}
	for i := 0; i < t.NumOut(); i++ {
		call.OutTypes = append(call.OutTypes, t.Out(i))
	}
	return call
}

// callWith calls a compiled function made for these arguments: results have the given types.
func callWith(c *fast.Comp, in, out []xreflect.Type, args []*fast.Expr, f func(args []reflect.Value) []reflect.Value) *fast.Call {
	t := c.Universe.FuncOf(in, out, false)
	v := xreflect.MakeValue(reflect.MakeFunc(t.ReflectType(), f))
	return &fast.Call{
		Fun:      &fast.Expr{Lit: fast.Lit{Type: t}, Fun: func(*fast.Env) xreflect.Value { return v }},
		Args:     args,
		OutTypes: out,
	}
}

// compileSame compiles a value that is only passed on.
func compileSame(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	types := []xreflect.Type{arg.Type}
	return callWith(c, types, types, []*fast.Expr{arg}, func(args []reflect.Value) []reflect.Value { return args })
}

// compileExtreme compiles min and max. All constant: the result is a constant. Otherwise constants take the type of the first argument that has one.
func compileExtreme(name string, better token.Token) compileFunc {
	return func(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
		args := c.Exprs(node.Args)
		var t xreflect.Type
		for _, arg := range args {
			if !arg.Untyped() && t == nil {
				t = arg.Type
			}
		}
		if t == nil { // untyped constants: an integer and a float give a float
			for _, arg := range args {
				if d := arg.DefaultType(); t == nil || d.Kind() == reflect.Float64 {
					t = d
				}
			}
		}
		if !ordered(t.Kind()) {
			c.Errorf("%s of %v: its arguments must be numbers or strings", name, t)
		}
		in := make([]xreflect.Type, len(args))
		for i, arg := range args {
			if arg.NumOut() != 1 || arg.Type == nil || !arg.Untyped() && !arg.Type.IdenticalTo(t) {
				c.Errorf("%s of different types: %v and %v", name, t, arg.Type)
			}
			arg.To(c, t)
			in[i] = t
		}
		return callWith(c, in, []xreflect.Type{t}, args, func(values []reflect.Value) []reflect.Value {
			best := values[0]
			for _, v := range values[1:] {
				if less(v, best) == (better == token.LSS) && !equal(v, best) || isNaN(v) {
					best = v
				}
				if isNaN(best) {
					break
				}
			}
			return []reflect.Value{best}
		})
	}
}

func ordered(k reflect.Kind) bool {
	return k >= reflect.Int && k <= reflect.Float64 || k == reflect.String
}

func isNaN(v reflect.Value) bool { return v.CanFloat() && math.IsNaN(v.Float()) }

func equal(a, b reflect.Value) bool { return !less(a, b) && !less(b, a) && !isNaN(a) && !isNaN(b) }

func less(a, b reflect.Value) bool {
	switch {
	case a.CanInt():
		return a.Int() < b.Int()
	case a.CanUint():
		return a.Uint() < b.Uint()
	case a.CanFloat():
		return a.Float() < b.Float()
	}
	return a.String() < b.String()
}

// compileClear compiles clear of a map or a slice.
func compileClear(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	if k := arg.Type.Kind(); k != reflect.Map && k != reflect.Slice {
		c.Errorf("clear of %v: its argument must be a map or a slice", arg.Type)
	}
	return callWith(c, []xreflect.Type{arg.Type}, nil, []*fast.Expr{arg}, func(values []reflect.Value) []reflect.Value {
		values[0].Clear()
		return nil
	})
}

// compileRange compiles a range statement according to the type of what is ranged over. Its statements go into c, the call itself does nothing.
func (e *Engine) compileRange(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	carried := node.Args[0].(*ast.FuncLit).Body.List[0]
	labeled, _ := carried.(*ast.LabeledStmt)
	n, _ := carried.(*ast.RangeStmt)
	if labeled != nil {
		n = labeled.Stmt.(*ast.RangeStmt)
	}
	c.Pos = n.Pos()
	x := c.Expr1(n.X, nil)
	t := x.Type
	if x.Untyped() {
		t = x.DefaultType()
	}
	if t == nil {
		c.Errorf("range over nil")
	}
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Uintptr:
		c.Stmt(rangeInt(n, labeled))
	case k == reflect.Chan:
		c.Stmt(rangeChannel(n, labeled))
	case k == reflect.Func:
		c.Errorf("the interpreter has no range over functions (iterators): call it instead, like f(func(x T) bool { ...; return true })")
	default:
		c.Stmt(carried)
	}
	return constantCall(c, func() {})
}

// rangeInt is a counting loop: for i := range n { body } with a copy of the counter where the body could change or keep it.
func rangeInt(n *ast.RangeStmt, labeled *ast.LabeledStmt) ast.Stmt {
	pos := n.Pos()
	limit, counter := ident("·n", pos), "·i"
	key, _ := n.Key.(*ast.Ident)
	body := n.Body
	switch {
	case n.Key == nil || key != nil && key.Name == "_":
	case n.Tok == token.DEFINE && key != nil && !assigned(body, key.Name) && !captures(body):
		counter = key.Name
	default:
		take := &ast.AssignStmt{Lhs: []ast.Expr{n.Key}, TokPos: pos, Tok: n.Tok, Rhs: []ast.Expr{ident(counter, pos)}}
		body = &ast.BlockStmt{Lbrace: body.Lbrace, List: []ast.Stmt{take, &ast.BlockStmt{Lbrace: body.Lbrace, List: orEmpty(body), Rbrace: body.Rbrace}}, Rbrace: body.Rbrace}
	}
	zero := &ast.BinaryExpr{X: limit, OpPos: pos, Op: token.SUB, Y: limit} // of the limit's type
	loop := &ast.ForStmt{
		For:  pos,
		Init: &ast.AssignStmt{Lhs: []ast.Expr{ident(counter, pos)}, TokPos: pos, Tok: token.DEFINE, Rhs: []ast.Expr{zero}},
		Cond: &ast.BinaryExpr{X: ident(counter, pos), OpPos: pos, Op: token.LSS, Y: limit},
		Post: &ast.IncDecStmt{X: ident(counter, pos), TokPos: pos, Tok: token.INC},
		Body: body,
	}
	return once(limit, n, withLabel(labeled, loop))
}

// rangeChannel receives until the channel is closed, in a way that an interrupt can stop.
func rangeChannel(n *ast.RangeStmt, labeled *ast.LabeledStmt) ast.Stmt {
	pos := n.Pos()
	channel, ok := ident("·c", pos), ident("·ok", pos)
	value, tok := n.Key, n.Tok
	if value == nil {
		value = ident("_", pos)
	}
	next := &ast.CallExpr{Fun: ident(nameRecvOK, pos), Lparen: pos, Args: []ast.Expr{channel}, Rparen: pos}
	var first []ast.Stmt
	if tok == token.ASSIGN {
		declare := &ast.GenDecl{TokPos: pos, Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{ok}, Type: ident("bool", pos)}}}
		first = append(first, &ast.DeclStmt{Decl: declare})
	} else {
		tok = token.DEFINE
	}
	first = append(first,
		&ast.AssignStmt{Lhs: []ast.Expr{value, ok}, TokPos: pos, Tok: tok, Rhs: []ast.Expr{next}},
		&ast.IfStmt{If: pos, Cond: &ast.UnaryExpr{OpPos: pos, Op: token.NOT, X: ok}, Body: &ast.BlockStmt{Lbrace: pos, List: []ast.Stmt{&ast.BranchStmt{TokPos: pos, Tok: token.BREAK}}, Rbrace: pos}},
		&ast.BlockStmt{Lbrace: n.Body.Lbrace, List: orEmpty(n.Body), Rbrace: n.Body.Rbrace})
	loop := &ast.ForStmt{For: pos, Body: &ast.BlockStmt{Lbrace: n.Body.Lbrace, List: first, Rbrace: n.Body.Rbrace}}
	return once(channel, n, withLabel(labeled, loop))
}

// once evaluates what is ranged over, once, into a variable for the loop.
func once(name *ast.Ident, n *ast.RangeStmt, loop ast.Stmt) ast.Stmt {
	define := &ast.AssignStmt{Lhs: []ast.Expr{name}, TokPos: n.Pos(), Tok: token.DEFINE, Rhs: []ast.Expr{n.X}}
	return &ast.BlockStmt{Lbrace: n.Pos(), List: []ast.Stmt{define, loop}, Rbrace: n.End()}
}

func withLabel(labeled *ast.LabeledStmt, loop ast.Stmt) ast.Stmt {
	if labeled == nil {
		return loop
	}
	return &ast.LabeledStmt{Label: labeled.Label, Colon: labeled.Colon, Stmt: loop}
}
