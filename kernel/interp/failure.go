package interp

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/cosmos72/gomacro/base"
	"github.com/cosmos72/gomacro/fast"

	"github.com/spherelab/spherelab/kernel"
)

// exit is the panic value by which os.Exit ends a cell: ending the kernel would lose the session.
type exit struct{ code int }

// stopped is the panic value by which a replaced function ends a cell with a message of its own.
type stopped struct{ name, message string }

// position is how gomacro's messages start.
var position = regexp.MustCompile(`^` + fileName + `:(\d+):(\d+): ?`)

// compileError turns what gomacro's parser or compiler panicked with into a cell error with line and source.
func (e *Engine) compileError(r interface{}, src *source) *kernel.CellError {
	message := fmt.Sprint(r)
	switch r := r.(type) {
	case *kernel.CellError:
		return r
	case scanner.ErrorList:
		if len(r) > 0 {
			message = fmt.Sprintf("%s:%d:%d: %s", fileName, r[0].Pos.Line, r[0].Pos.Column, r[0].Msg)
		}
	case error:
		message = r.Error()
	}
	line := 0
	if m := position.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = message[len(m[0]):]
	} else if pos := e.ir.Comp.Pos; e.sources.find(pos) == src {
		line, _ = src.line(pos)
	}
	return cellError(kernel.NameCompile, e.hint(clarify(message), src, line), src, line)
}

// cellError is an error at a line of the running cell; line 0 is unknown.
func cellError(name, message string, src *source, line int) *kernel.CellError {
	err := &kernel.CellError{Name: name, Value: message}
	err.Traceback = []string{name + ": " + message}
	if line > 0 && src != nil {
		err.Traceback = append(err.Traceback, fmt.Sprintf("cell [%d]:%d", src.number, line))
		if text := lineOf(src.shown, line-src.firstLine); text != "" {
			err.Traceback = append(err.Traceback, "    "+strings.TrimSpace(text))
		}
	}
	return err
}

// runtimeError turns a panic of running code into a cell error with the call stack.
func (e *Engine) runtimeError(x *execution, r interface{}, src *source, top token.Pos) *kernel.CellError {
	frames := e.sources.stack(e.run.CurrEnv, top)
	name, message := kernel.NamePanic, panicMessage(r)
	switch r := r.(type) {
	case *kernel.CellError:
		return r
	case base.Signal:
		if x.interrupted.Load() {
			name, message = kernel.NameInterrupted, "the cell was interrupted; variables keep the values they had"
		} else if x.tooDeep.Load() {
			message = fmt.Sprintf("stack overflow: more than %d calls deep", deepest)
		}
	case exit:
		name, message = kernel.NameExit, fmt.Sprintf("exit status %d (the kernel continues; restart it from the menu)", r.code)
	case stopped:
		name, message = r.name, r.message
	case error:
		if failure := kernel.OwnFailure(r); failure != nil {
			return failure
		}
		name = kernel.ErrorName(r, name)
	}
	err := &kernel.CellError{Name: name, Value: message}
	err.Traceback = append([]string{name + ": " + message}, trace(frames)...)
	return err
}

// panicMessage is the text of a panic value: errors and Stringers as such, also those defined in cells.
func panicMessage(r interface{}) string {
	defer func() { _ = recover() }() // a panic inside Error or String must not hide the first one
	switch r := asRuntimeError(r).(type) {
	case error:
		return r.Error()
	case fmt.Stringer:
		return r.String()
	default:
		return fmt.Sprint(r)
	}
}

// mistake is what compiled code panics with as a runtime.Error.
type mistake string

func (m mistake) Error() string { return "runtime error: " + string(m) }

// RuntimeError marks a mistake as a runtime.Error.
func (mistake) RuntimeError() {}

var _ runtime.Error = mistake("")

// mistakes are the messages of package reflect, by which the interpreter works, and what compiled code says.
var mistakes = []struct{ reflect, text string }{
	{"slice index out of range", "index out of range"},
	{"array index out of range", "index out of range"},
	{"string index out of range", "index out of range"},
	{"index out of bounds", "slice bounds out of range"},
	{"negative len", "makeslice: len out of range"},
	{"negative cap", "makeslice: cap out of range"},
	{"len > cap", "makeslice: cap out of range"},
	{"allocation size out of range", "makeslice: len out of range"},
	{"Method on nil interface value", "invalid memory address or nil pointer dereference"},
	{"call of nil function", "invalid memory address or nil pointer dereference: call of a nil function"},
}

// asRuntimeError gives a panic value of the interpreter the form that compiled Go gives it.
func asRuntimeError(r interface{}) interface{} {
	text := ""
	switch r := r.(type) {
	case string:
		text = r
	case *reflect.ValueError:
		if r.Kind == reflect.Invalid {
			return mistake("invalid memory address or nil pointer dereference")
		}
		text = r.Error()
	case runtime.Error:
		if text = r.Error(); !strings.Contains(text, "reflect") {
			return r
		}
	default:
		return r
	}
	if !strings.HasPrefix(text, "reflect") && !strings.HasPrefix(text, "runtime: alloc") && !strings.HasPrefix(text, "Method on nil") {
		return r
	}
	for _, m := range mistakes {
		if strings.Contains(text, m.reflect) {
			return mistake(m.text)
		}
	}
	if _, ok := r.(string); ok {
		return strings.TrimPrefix(text, "reflect: ")
	}
	return r
}

// trace writes a call stack.
func trace(c calls) []string {
	var lines []string
	for i, f := range c.frames {
		if c.omitted > 0 && i == shownHead {
			lines = append(lines, fmt.Sprintf("... %d more calls ...", c.omitted))
		}
		where := fmt.Sprintf("cell [%d]:%d", f.number, f.line)
		if f.name != "" {
			where += " in " + f.name
		}
		lines = append(lines, where, "    "+strings.TrimSpace(f.text))
	}
	return lines
}

// where says at which line the cell is, for messages.
func (e *Engine) where() string {
	if raceDetector {
		return "somewhere"
	}
	top := token.NoPos
	if x := e.current.Load(); x != nil {
		top = token.Pos(x.top.Load())
	}
	frames := e.sources.stack(e.run.CurrEnv, top).frames
	if len(frames) == 0 {
		return "at its current line"
	}
	f := frames[0]
	return fmt.Sprintf("at cell [%d]:%d (%s)", f.number, f.line, strings.TrimSpace(f.text))
}

// goroutinePanic reports the panic of a goroutine that a cell started.
func (e *Engine) goroutinePanic(r interface{}, env *fast.Env) {
	if _, ok := r.(base.Signal); ok {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "panic in a goroutine started by a cell: %s\n", panicMessage(r))
	if err, ok := r.(error); ok && kernel.OwnFailure(err) != nil {
		env = nil
	}
	for _, line := range trace(e.sources.stack(env, token.NoPos)) {
		b.WriteString(line + "\n")
	}
	_, _ = e.io.Stderr().Write([]byte(b.String()))
}

// asCellError wraps an error of a command.
func asCellError(err error) *kernel.CellError {
	var cell *kernel.CellError
	if errors.As(err, &cell) {
		return cell
	}
	if failure := kernel.OwnFailure(err); failure != nil {
		return failure
	}
	return cellError(kernel.ErrorName(err, kernel.NameCommand), err.Error(), nil, 0)
}
