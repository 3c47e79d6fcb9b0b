package notebook

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/kernel"
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
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	end := func() {
		cancel(kernel.ErrInterrupted)
		x.Stop()
	}
	stop := context.AfterFunc(ctx, end)
	defer stop()
	e.ctx = own
	e.current.Store(&end)
	defer e.current.Store(nil)
	name := cellName(c.Number)
	e.mu.Lock()
	e.sources[name] = c.Code
	e.mu.Unlock()
	values, err := e.session.Run(name, c.Code, x)
	if err != nil {
		return kernel.Result{}, e.failure(err)
	}
	var r kernel.Result
	if !c.Silent {
		e.session.Do(func() { r, err = e.result(name, values) })
	}
	if x.Stopped() { // compiled code, like package fmt, may have caught the panic that ends the cell
		return kernel.Result{}, e.failure(run.Interrupted{})
	}
	return r, err
}

func cellName(number int) string { return fmt.Sprintf("cell [%d]", number) }

// result renders what the cell ends with: nothing for nil, a trailing nil error is left out.
func (e *Engine) result(name string, values []any) (r kernel.Result, err error) {
	defer func() { // methods of the cell's types run here
		if fault := recover(); fault != nil {
			r, err = kernel.Result{}, e.failure(&cell.Panic{Value: fault, Text: fmt.Sprint(fault)})
		}
	}()
	ending, n := e.session.Ending(), len(values)
	switch {
	case ending.Prints:
		return kernel.Result{}, nil
	case n > 1 && ending.Fails && values[n-1] != nil:
		return kernel.Result{}, &kernel.CellError{Name: "Error", Value: e.session.Text(values[n-1]),
			Traceback: []string{"Error: " + e.session.Text(values[n-1]), name}}
	case n > 1 && ending.Fails:
		values = values[:n-1]
	}
	nils := 0
	texts := make([]string, len(values))
	for i, v := range values {
		if v == nil {
			nils++
		}
		texts[i] = e.session.Text(v)
	}
	switch {
	case nils == len(values):
		return kernel.Result{}, nil
	case len(values) == 1:
		return kernel.Result{Data: e.render(values[0]), HasValue: true}, nil
	}
	data := display.MakeData(display.MIMETypeText, strings.Join(texts, " "))
	return kernel.Result{Data: data, HasValue: true}, nil
}

// failure is an error of a cell as front ends show it.
func (e *Engine) failure(err error) *kernel.CellError {
	var exit run.Exited
	var text *cell.Error
	var panicked *cell.Panic
	switch {
	case errors.As(err, new(run.Interrupted)):
		const message = "the cell was interrupted; variables keep the values they had"
		return &kernel.CellError{Name: "Interrupted", Value: message, Traceback: []string{"Interrupted: " + message}}
	case errors.As(err, &exit):
		message := exit.Error() + " (the kernel continues; restart it from the menu)"
		return &kernel.CellError{Name: "Exit", Value: message, Traceback: []string{"Exit: " + message}}
	case errors.As(err, &text):
		places := []cell.Place{{Cell: text.Cell, Line: text.Line}}
		return e.cellError("CompileError", text.Message, places)
	case errors.As(err, &panicked):
		return e.cellError("Panic", panicked.Text, panicked.Calls)
	}
	return &kernel.CellError{Name: "Error", Value: err.Error(), Traceback: []string{err.Error()}}
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
		source, ok := e.sources[c.Cell]
		if !ok {
			continue
		}
		where := fmt.Sprintf("%s:%d", c.Cell, c.Line)
		if f := strings.TrimPrefix(c.Name, "main."); f != "" && !strings.HasPrefix(f, "cell·") {
			where += " in " + f
		}
		lines = append(lines, where)
		if all := strings.Split(source, "\n"); c.Line > 0 && c.Line <= len(all) {
			lines = append(lines, "    "+strings.TrimSpace(all[c.Line-1]))
		}
	}
	return lines
}

// goroutinePanic reports the panic of a goroutine that a cell started.
func (e *Engine) goroutinePanic(p *cell.Panic) {
	lines := append([]string{"panic in a goroutine started by a cell: " + p.Text}, e.trace(p.Calls)...)
	_, _ = e.io.Stderr().Write([]byte(strings.Join(lines, "\n") + "\n")) // the server handles a front end that is gone
}
