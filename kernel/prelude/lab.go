package prelude

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/experiments/lab/session"
	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/assist"
	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/display"
	sphere "github.com/spherelab/spherelab/spherE"
)

const (
	labPath     = module + "/experiments/lab"
	sessionPath = labPath + "/session"
	spherePath  = module + "/spherE"
	trackerPath = module + "/tracker"
)

// withLab is the interpreter with the session of package lab.
type withLab struct {
	kernel.Engine
	cell *cell
}

// Start starts the interpreter.
func (n *withLab) Start(io kernel.IO) error {
	n.cell.start(io)
	return n.Engine.Start(io)
}

// Execute runs a cell, which package lab then knows as the running one.
func (n *withLab) Execute(ctx context.Context, c kernel.Cell) (kernel.Result, error) {
	end := n.cell.begin(ctx)
	defer end()
	return n.Engine.Execute(ctx, c)
}

// cell implements lab.Cell, the running cell.
type cell struct {
	mu    sync.Mutex
	io    kernel.IO
	ctx   context.Context // of the running cell or the last one
	shown map[string]bool // displays by id
}

func newCell() *cell { return &cell{ctx: context.Background(), shown: map[string]bool{}} }

func (c *cell) start(io kernel.IO) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.io = io
}

// begin makes a cell the running one. Only an interrupt ends its context, since goroutines of a cell may outlive the
// cell.
func (c *cell) begin(ctx context.Context) (end func()) {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ctx = own
	return func() { stop() }
}

// Context implements lab.Cell.
func (c *cell) Context() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ctx
}

// Show implements lab.Cell. It ignores errors: a training should not end because the front end has left.
func (c *cell) Show(id string, data map[string]interface{}) {
	c.mu.Lock()
	io, again := c.io, c.shown[id]
	c.shown[id] = true
	c.mu.Unlock()
	if io == nil {
		return
	}
	d := display.WithID(display.Data{Data: data}, id)
	if again {
		_ = io.Update(d)
	} else {
		_ = io.Display(d)
	}
}

// notOfCells are the names of package lab that cells do not need: those that make a session, wrap values, or return
// errors to programs.
var notOfCells = []string{"Query", "New", "View", "Options", "Session", "Cell",
	"Completer", "NewCompleter", "Literal"}

// labWords completes literals of cells that are arguments of package lab.
func labWords(c *session.Completer) assist.Words {
	return func(a assist.Argument) ([]string, int) {
		function, ours := strings.CutPrefix(a.Function, labPath+".")
		if !ours {
			function, ours = strings.CutPrefix(a.Function, sessionPath+".") // a method
		}
		if !ours {
			return nil, 0
		}
		return c.Words(session.Literal{Function: function, Operand: a.Operand, Value: a.Value, Index: a.Index,
			Before: a.Before, Nested: a.Nested, Typed: a.Typed})
	}
}

// labSource is package lab as cells see it: types and functions of package session, and the exported methods of a
// session as functions. Package lab itself has these functions for a session of its own.
func labSource(generated bindings.Source, s *session.Session) bindings.Source {
	methods := sessionMethods(s)
	source := generated
	source.Path, source.Name = labPath, "lab"
	source.Table = func() bindings.Table {
		p := generated.Table()
		for _, name := range notOfCells {
			delete(p.Values, name)
			delete(p.Types, name)
		}
		maps.Copy(p.Values, methods)
		return p
	}
	source.Docs = func() map[string]string {
		docs := maps.Clone(generated.Docs())
		for name := range methods {
			text := sessionDoc(docs, name)
			if ofType, ok := docs[name]; ok { // lab.Graph is a function and a type
				text += "\n\n" + ofType
			}
			docs[name] = text
		}
		return docs
	}
	return source
}

// sessionMethods are the exported methods of a session, bound to it.
func sessionMethods(s *session.Session) map[string]reflect.Value {
	methods := map[string]reflect.Value{}
	v := reflect.ValueOf(s)
	for i := range v.NumMethod() {
		methods[v.Type().Method(i).Name] = v.Method(i)
	}
	return methods
}

// sessionDoc turns the documentation of a session's method into that of a function.
func sessionDoc(docs map[string]string, name string) string {
	return strings.Replace(docs["Session."+name], "func (s *Session) ", "func ", 1)
}

// trackerSource is package tracker with the function SQL, which queries the kernel's tracker.
func trackerSource(generated bindings.Source, s *session.Session, docs func() map[string]string) bindings.Source {
	source := generated
	source.Table = func() bindings.Table {
		p := generated.Table()
		p.Values["SQL"] = reflect.ValueOf(s.SQL)
		return p
	}
	source.Docs = func() map[string]string {
		all := maps.Clone(generated.Docs())
		all["SQL"] = strings.Replace(sessionDoc(docs(), "SQL"), "lab.SQL(", "tracker.SQL(", 1)
		return all
	}
	return source
}

// sphereSource is package sphere whose function Register keeps the text of the cells with a model.
func sphereSource(generated bindings.Source, text func() string) bindings.Source {
	source := generated
	source.Table = func() bindings.Table {
		p := generated.Table()
		p.Values["Register"] = reflect.ValueOf(func(r sphere.Registration) {
			r.Source = cmp.Or(r.Source, text())
			sphere.Register(r)
		})
		return p
	}
	return source
}

// withSession adds package lab with functions of a session, which the package of its types also documents, and gives
// package tracker one. text returns the cells so far.
func withSession(sources []bindings.Source, s *session.Session, text func() string) []bindings.Source {
	for i, source := range sources {
		switch source.Path {
		case sessionPath:
			sources = append(sources, labSource(source, s))
		case spherePath:
			sources[i] = sphereSource(source, text)
		case trackerPath:
			sources[i] = trackerSource(source, s, docsOf(sources, sessionPath))
		}
	}
	return sources
}

func docsOf(sources []bindings.Source, path string) func() map[string]string {
	return sources[slices.IndexFunc(sources, func(s bindings.Source) bool { return s.Path == path })].Docs
}
