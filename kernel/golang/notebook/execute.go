package notebook

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/command"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/golang/cell"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Execute evaluates one cell. An error that the code caused is a *kernel.CellError.
func (e *Engine) Execute(ctx context.Context, c kernel.Cell) (kernel.Result, error) {
	if err := e.capture(); err != nil {
		return kernel.Result{}, err
	}
	defer e.flush()
	x := run.NewExecution(nil)
	x.Output = e.output()
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	x.Broke = func() { cancel(nil) }
	defer x.End()
	r := &running{e, x, cellName(c.Number)}
	ended := make(chan struct{})
	defer close(ended)
	var once sync.Once
	var warned atomic.Bool
	end := func() {
		once.Do(func() {
			cancel(kernel.ErrInterrupted)
			x.Stop()
			go e.warn(r.name, ended, &warned)
		})
	}
	again := func() {
		end()
		if warned.Load() {
			x.Stop() // also its deferred calls
			time.AfterFunc(grace, x.Leave)
		}
	}
	stop := context.AfterFunc(ctx, end)
	defer stop()
	e.ctx = own
	e.last.Store(&own)
	e.stdin.Forget()
	e.current.Store(&again)
	defer e.current.Store(nil)
	e.note(r.name, c.Code)
	e.counted(c.Number)
	result, err := e.evaluate(r, c)
	// Compiled code, like package fmt, may have caught the panic that ends the cell, or the cell ended by its context
	// before x was stopped.
	if err == nil && (x.IsStopped() || errors.Is(context.Cause(own), kernel.ErrInterrupted)) {
		err = run.Interrupted{}
	}
	if err != nil {
		failure := e.failure(err)
		// own ends before x, so that a command may fail by it while x is not stopped yet.
		if own.Err() != nil && !broken(x) {
			failure = kernel.Blame(failure)
		}
		return kernel.Result{}, failure
	}
	return result, nil
}

// broken reports whether a panic of a goroutine that compiled code started has ended the cell.
func broken(x *run.Execution) bool {
	_, _, ok := x.Fault()
	return ok
}

// evaluate runs the parts of a cell, commands and code, in order, and renders the value of the last one.
func (e *Engine) evaluate(r *running, c kernel.Cell) (kernel.Result, error) {
	var last command.Outcome
	var err error
	for _, p := range command.Split(c.Code) {
		if p.Command {
			last, err = e.command(r, p)
		} else {
			last = command.Outcome{}
			last.Value, err = r.Evaluate("", p.Text, p.Line)
		}
		if err != nil {
			return kernel.Result{}, err
		}
		if r.x.IsStopped() {
			return kernel.Result{}, run.Interrupted{}
		}
	}
	v, ok := last.Value.(values)
	switch {
	case c.Silent:
	case last.Payload != nil:
		return kernel.Result{Payload: last.Payload}, nil
	case last.Data != nil:
		return kernel.Result{Data: *last.Data, HasValue: true}, nil
	case ok:
		return e.shown(r, v)
	}
	return kernel.Result{}, nil
}

// shown returns what result returns, unless the cell is left behind in a method that shows a value.
func (e *Engine) shown(r *running, v values) (kernel.Result, error) {
	var result kernel.Result
	var fault error
	if err := e.session.Do(r.x, func() { result, fault = e.result(v) }); err != nil {
		return kernel.Result{}, err
	}
	return result, fault
}

// command runs one command line or cell magic.
func (e *Engine) command(r *running, p command.Part) (command.Outcome, error) {
	c := command.Cell{
		Context: e.ctx, Stdout: e.stdout.File, Stderr: e.stderr.File, Magics: e.options.Magics, Session: r,
	}
	out, err := c.Run(p)
	var failure *kernel.CellError
	switch {
	case err == nil, errors.As(err, &failure), errors.As(err, new(*cell.Error)), errors.As(err, new(*cell.Panic)),
		errors.As(err, new(*cell.Ended)), kernel.OwnFailure(err) != nil:
		return out, err
	case r.x.IsStopped():
		return out, run.Interrupted{}
	}
	name := kernel.ErrorName(err, kernel.NameCommand)
	return out, e.cellError(name, err.Error(), []cell.Place{{Cell: r.name, Line: p.Line}})
}

// note stores the text of a cell, for messages.
func (e *Engine) note(name, code string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sources[name] = code
}

// counted notes the number of a cell.
func (e *Engine) counted(number int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.number = max(e.number, number)
}

// patience is how long an interrupted cell may run before a message explains it: the cell is blocked in something
// without a context.
const patience = 1500 * time.Millisecond

// grace is how long it then may run after a further interrupt before it is left behind.
const grace = 300 * time.Millisecond

// warn writes a message if a cell does not end after an interrupt.
func (e *Engine) warn(name string, ended <-chan struct{}, warned *atomic.Bool) {
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case <-ended:
	case <-wait.C:
		fmt.Fprintf(e.io.Stderr(), "interrupt: %s is in compiled code that takes no context (a channel inside a library, a "+
			"file or network operation, a command that runs) and cannot be stopped, or in a deferred function. It ends "+
			"when that returns. Interrupt again to end the cell at once and to leave that behind.\n", name)
		warned.Store(true)
	}
}

// result renders what the cell ends with: nothing for nil, a trailing nil error is left out.
func (e *Engine) result(v values) (r kernel.Result, err error) {
	defer func() { // methods of the cell's types run here
		if fault := recover(); fault != nil {
			r, err = kernel.Result{}, e.session.Failure(fault)
		}
	}()
	ending, list := v.ending, v.list
	n := len(list)
	switch {
	case ending.Prints:
		return kernel.Result{}, nil
	case n > 1 && ending.Fails && list[n-1] != nil:
		return kernel.Result{}, e.endReturned(v)
	case n > 1 && ending.Fails:
		list = list[:n-1]
	}
	if !slices.ContainsFunc(list, func(v any) bool { return v != nil }) {
		return kernel.Result{}, nil
	}
	if len(list) == 1 {
		return kernel.Result{Data: e.render(list[0]), HasValue: true}, nil
	}
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = e.text(v)
	}
	data := display.MakeData(display.MIMETypeText, strings.Join(texts, " "))
	return kernel.Result{Data: data, HasValue: true}, nil
}

// endReturned ends a cell whose last call returned values and an error.
func (e *Engine) endReturned(v values) error {
	last := v.list[len(v.list)-1]
	name := kernel.NameError
	if err, ok := last.(error); ok {
		if failure := kernel.OwnFailure(err); failure != nil {
			return failure
		}
		name = kernel.ErrorName(err, name)
	}
	return e.cellError(name, e.session.Text(last), []cell.Place{{Cell: v.name, Line: v.ending.Line}})
}

// text returns how a value prints.
func (e *Engine) text(v any) string {
	if display.ContainsItself(reflect.ValueOf(v)) {
		if box, _, ok := e.session.Box(v); !ok || box.V == nil {
			return "a value of type " + e.session.TypeName(v) + " that contains itself"
		}
	}
	return display.Limited(e.session.Text(v))
}

// failure returns an error of a cell as front ends show it.
func (e *Engine) failure(err error) *kernel.CellError {
	var calls []cell.Place
	var ended *cell.Ended
	if errors.As(err, &ended) {
		calls = ended.Calls
	}
	var known *kernel.CellError
	var exit run.Exited
	var text *cell.Error
	var panicked *cell.Panic
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, new(run.Interrupted)):
		return e.cellError(kernel.NameInterrupted, "the cell was interrupted; variables keep the values they had", calls)
	case errors.As(err, &exit):
		return e.cellError(kernel.NameExit, exit.Error()+" (the kernel continues; restart it from the menu)", calls)
	case errors.As(err, &text):
		return e.cellError(kernel.NameCompile, text.Message, []cell.Place{{Cell: text.Cell, Line: text.Line}})
	case errors.As(err, &panicked):
		return e.endPanicked(panicked)
	}
	if failure := kernel.OwnFailure(err); failure != nil {
		return failure
	}
	return e.cellError(kernel.ErrorName(err, kernel.NameError), err.Error(), nil)
}

func (e *Engine) endPanicked(p *cell.Panic) *kernel.CellError {
	name := kernel.NamePanic
	switch value := p.Value.(type) {
	case noInput:
		name = "NoInput"
	case error:
		if failure := kernel.OwnFailure(value); failure != nil {
			return failure
		}
		name = kernel.ErrorName(value, name)
	}
	return e.cellError(name, p.Text, p.Calls)
}

func (e *Engine) cellError(name, message string, calls []cell.Place) *kernel.CellError {
	return &kernel.CellError{Name: name, Value: message, Traceback: append([]string{name + ": " + message},
		e.trace(calls)...)}
}

// trace writes the calls with their lines. What is not in a cell is left out, and the cell's own function has no name.
func (e *Engine) trace(calls []cell.Place) (lines []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range calls {
		if c.Omitted > 0 {
			lines = append(lines, fmt.Sprintf("... %d more calls ...", c.Omitted))
			continue
		}
		source, ok := e.sources[c.Cell]
		if !ok {
			source, ok = e.session.ModuleText(c.Cell)
		}
		if !ok {
			continue
		}
		where := fmt.Sprintf("%s:%d", c.Cell, c.Line)
		if f := functionName(c.Name); f != "" {
			where += " in " + f
		}
		lines = append(lines, where)
		if all := strings.Split(source, "\n"); c.Line > 0 && c.Line <= len(all) {
			lines = append(lines, "    "+strings.TrimSpace(all[c.Line-1]))
		}
	}
	return lines
}

// functionName returns the name of a function in its cell; "" is the cell's own.
func functionName(name string) string {
	name = strings.ReplaceAll(name, "main.", "")
	if strings.Contains(name, "$") {
		return "func literal"
	}
	if strings.HasPrefix(name, "cell·") {
		return ""
	}
	return name
}

// goroutinePanic reports the panic of a goroutine that a cell started.
func (e *Engine) goroutinePanic(p *cell.Panic) {
	head := "panic in a goroutine started by a cell: "
	if _, ok := p.Value.(run.Exited); ok {
		head = "a goroutine started by a cell ended (the kernel continues): "
	}
	lines := []string{head + p.Text}
	if err, ok := p.Value.(error); !ok || kernel.OwnFailure(err) == nil {
		lines = append(lines, e.trace(p.Calls)...)
	}
	e.flush()
	_, _ = e.here().Stderr().Write([]byte(strings.Join(lines, "\n") + "\n")) // the server handles a front end that has left
}
