package run

import (
	"runtime"
	"slices"
	"strings"
)

// Finish is deferred by a call that compiled code makes of a function of a cell. If the call has not returned, compiled
// code gets its panic, unless that would end the program.
func (l *Loan) Finish(returned *bool) {
	switch {
	case *returned:
	case l.isOutermost():
		l.contain(recover())
	default:
		l.unwind()
	}
}

// contain ends a goroutine that compiled code started and that called a function of a cell. A panic there would end the
// program: it ends the cell instead, since compiled code may wait for the goroutine. A panic that compiled code on the
// goroutine recovers is left to it.
func (l *Loan) contain(value any) {
	if len(l.trace) == 0 {
		l.keepTrace()
	}
	trace := l.trace
	l.Return()
	if value == nil { // runtime.Goexit
		return
	}
	_, interrupted := value.(Interrupted)
	below := slices.DeleteFunc(stack(), interpreter)
	if !interrupted && slices.ContainsFunc(below, func(name string) bool { return slices.Contains(recovering, name) }) {
		panic(value)
	}
	if plain(below) || !l.Exec.fail(value, trace) {
		report(l.G, value, trace)
	}
	runtime.Goexit()
}

// recovering are the functions of the standard library that recover a panic of any function that they call.
var recovering = []string{
	"net/http.(*conn).serve", "net/http.(*http2serverConn).runHandler", "net/http.(*timeoutHandler).ServeHTTP.func1",
	"fmt.(*pp).handleMethods", "text/template.safeCall", "encoding/gob.(*Decoder).Decode", "net/rpc.(*service).call",
}

// plain reports whether only the end of a goroutine is awaited, so that it can be treated like one that a cell
// starts by a go statement.
func plain(stack []string) bool {
	return !slices.ContainsFunc(stack, func(name string) bool {
		switch name {
		case "sync.(*WaitGroup).Go.func1", "time.goFunc", "context.(*afterFuncCtx).cancel.func1":
			return false
		}
		return true
	})
}

// stack lists the functions that are active on the calling goroutine, the innermost first, without the runtime's.
func stack() (names []string) {
	const some = 256
	pcs := make([]uintptr, some)
	n := runtime.Callers(0, pcs)
	for n == len(pcs) { // a deep stack is walked few times
		pcs = make([]uintptr, len(pcs)*8)
		n = runtime.Callers(0, pcs)
	}
	frames := runtime.CallersFrames(pcs[max(0, n-some):n]) // only the oldest calls matter
	for {
		frame, more := frames.Next()
		name := frame.Function
		if name != "" && !strings.HasPrefix(name, "runtime.") && !strings.HasPrefix(name, "reflect.") {
			names = append(names, name)
		}
		if !more {
			return names
		}
	}
}

func interpreter(name string) bool { return strings.Contains(name, "/kernel/golang/") }

// foreignStack reports whether compiled code, and not a cell, started the calling goroutine.
func foreignStack() bool {
	names := stack()
	last := names[len(names)-1]
	return !strings.Contains(last, "/kernel/golang/run.") && !strings.Contains(last, "/kernel/golang/cell.")
}
