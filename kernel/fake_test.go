package kernel

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spherelab/spherelab/kernel/display"
)

// fake is an engine for a language of one command per line, so that the tests of the wire need no interpreter:
//
//	print TEXT, eprint TEXT    to stdout, stderr, with the line's end
//	raw HEX                    bytes to stdout
//	lines N                    N numbered lines
//	flood N                    N bytes to stdout in pieces
//	value TEXT, html TEXT      the cell's value
//	nan                        a value that is not JSON
//	error NAME TEXT            a CellError
//	fault TEXT                 an error of the engine
//	panic TEXT                 a panic of the engine
//	loop                       runs until it is interrupted by Interrupt
//	wait                       runs until its context ends
//	die                        ends the process by a panic
//	deaf                       heeds neither; ends when the test closes the channel
//	show ID TEXT, update ID TEXT, clear
//	input PROMPT, password PROMPT
//	later TEXT                 a goroutine prints it when the test says so
//	next TEXT, page TEXT       a payload
//	gate                       waits for the test to send on the channel; heeds nothing else
//	mark                       tells the test that the cell got here
type fake struct {
	io      IO
	release chan struct{} // closed by the test: deaf cells end
	later   chan struct{} // each value lets one goroutine print
	printed chan struct{} // the goroutine has printed
	marks   chan struct{}
	gate    chan struct{} // each value lets one gate end
	slow    chan struct{} // when set, Complete waits for it

	mu        sync.Mutex
	interrupt chan struct{} // closed by Interrupt
	calls     int
}

func newFake() *fake {
	return &fake{release: make(chan struct{}), later: make(chan struct{}), printed: make(chan struct{}, 100),
		marks: make(chan struct{}, 1000), gate: make(chan struct{})}
}

func (f *fake) Start(io IO) error  { f.io = io; return nil }
func (f *fake) Close() error       { return nil }
func (f *fake) Declared() []string { return []string{"b", "α"} }

func (f *fake) Interrupt() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.interrupt != nil {
		close(f.interrupt)
		f.interrupt = nil
	}
}

func (f *fake) Info() LanguageInfo {
	return LanguageInfo{Name: "fake", Version: "1.0", MIMEType: "text/x-fake", FileExtension: ".fake",
		Implementation: "fakeimpl", ImplVersion: "2.0",
		Banner: "a fake", PygmentsLexer: "text", CodeMirrorMode: "text",
		HelpLinks: []HelpLink{{Text: "help", URL: "https://example.org"}}}
}

func (f *fake) Execute(ctx context.Context, cell Cell) (Result, error) {
	interrupt := make(chan struct{})
	f.mu.Lock()
	f.interrupt = interrupt
	f.calls++
	f.mu.Unlock()
	var result Result
	for number, line := range strings.Split(cell.Code, "\n") {
		command, rest, _ := strings.Cut(line, " ")
		first, second, _ := strings.Cut(rest, " ")
		if err := f.line(ctx, interrupt, command, rest, first, second, &result); err != nil {
			if cell, ok := err.(*CellError); ok && cell.Traceback == nil {
				cell.Traceback = []string{fmt.Sprintf("cell:%d", number+1), line}
			}
			return Result{}, err
		}
	}
	return result, nil
}

func (f *fake) line(ctx context.Context, interrupt <-chan struct{}, command, rest, first, second string,
	result *Result) error {
	out := f.io.Stdout()
	switch command {
	case "", "#":
	case "print":
		fmt.Fprintln(out, rest)
	case "die":
		time.Sleep(200 * time.Millisecond) // what was printed is sent
		go panic("at once")
		select {}
	case "eprint":
		fmt.Fprintln(f.io.Stderr(), rest)
	case "raw":
		var b []byte
		if _, err := fmt.Sscanf(rest, "%x", &b); err != nil {
			return err
		}
		out.Write(b)
	case "lines":
		var n int
		fmt.Sscan(rest, &n)
		for i := range n {
			if _, err := fmt.Fprintf(out, "line %06d\n", i); err != nil {
				return &CellError{Name: "Interrupted", Value: err.Error()}
			}
		}
	case "flood":
		var n int
		fmt.Sscan(rest, &n)
		piece := []byte(strings.Repeat("x", 1<<16))
		for n > 0 {
			p := piece[:min(n, len(piece))]
			if _, err := out.Write(p); err != nil {
				return &CellError{Name: "Interrupted", Value: err.Error()}
			}
			n -= len(p)
		}
	case "value":
		*result = Result{Data: display.MakeData("text/plain", rest), HasValue: true}
	case "html":
		*result = Result{Data: display.HTML(rest), HasValue: true}
	case "nan":
		*result = Result{Data: display.MakeData("application/json", math.NaN()), HasValue: true}
	case "error":
		return &CellError{Name: first, Value: second}
	case "fault":
		return fmt.Errorf("fault: %s", rest)
	case "panic":
		panic(rest)
	case "loop", "wait", "deaf", "gate":
		return f.waiting(ctx, interrupt, command)
	case "show":
		return f.io.Display(display.WithID(display.HTML(second), first))
	case "plainshow":
		return f.io.Display(display.HTML(rest))
	case "update":
		return f.io.Update(display.WithID(display.HTML(second), first))
	case "badupdate":
		return f.io.Update(display.HTML(rest))
	case "clear":
		return f.io.ClearOutput(rest == "wait")
	case "input", "password":
		line, err := f.io.ReadLine(ctx, rest, command == "password")
		if err == io.EOF {
			line = "end of input"
		} else if err != nil {
			return &CellError{Name: "InputError", Value: err.Error()}
		}
		fmt.Fprintf(out, "read %q\n", line)
	case "later":
		go func() {
			<-f.later
			fmt.Fprintln(out, rest)
			f.printed <- struct{}{}
		}()
	case "sleepthen": // for clients that cannot signal: prints from a goroutine after the given time
		d, err := time.ParseDuration(first)
		if err != nil {
			return err
		}
		time.AfterFunc(d, func() { fmt.Fprintln(out, second) })
	case "next":
		result.Payload = []map[string]any{{"source": "set_next_input", "text": rest, "replace": true}}
	case "page":
		result.Payload = []map[string]any{{"source": "page", "data": map[string]any{"text/plain": rest}, "start": 0}}
	case "mark":
		f.mark()
	default:
		return &CellError{Name: "SyntaxError", Value: "unknown command " + command}
	}
	return nil
}

// waiting runs the commands that wait.
func (f *fake) waiting(ctx context.Context, interrupt <-chan struct{}, command string) error {
	switch command {
	case "loop":
		f.mark()
		<-interrupt
		return &CellError{Name: "Interrupted", Value: "by Interrupt"}
	case "wait":
		f.mark()
		<-ctx.Done()
		return &CellError{Name: "Interrupted", Value: context.Cause(ctx).Error()}
	case "deaf":
		f.mark()
		<-f.release
	case "gate":
		f.mark()
		<-f.gate
	}
	return nil
}

// evaluated is how many cells and expressions were evaluated.
func (f *fake) evaluated() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

func (f *fake) mark() {
	select {
	case f.marks <- struct{}{}:
	default:
	}
}

// Complete completes the word before the cursor to word+"one" and word+"two".
func (f *fake) Complete(code string, cursor int) Completion {
	if f.slow != nil {
		<-f.slow
	}
	runes := []rune(code)[:cursor]
	start := cursor
	for start > 0 && runes[start-1] != ' ' && runes[start-1] != '\n' {
		start--
	}
	word := string(runes[start:])
	if word == "panic" {
		panic("completion")
	}
	return Completion{Matches: []string{word + "one", word + "two"}, Start: start, End: cursor,
		Types: []string{"function", "keyword"}}
}

func (f *fake) Inspect(code string, cursor, detail int) (display.Data, bool) {
	if code == "" {
		return display.Data{}, false
	}
	return display.MakeData("text/plain", fmt.Sprintf("%d of %d, detail %d", cursor, utf8.RuneCountInString(code),
		detail)), true
}

func (f *fake) IsComplete(code string) (string, string) {
	switch {
	case strings.HasSuffix(code, "{"):
		return "incomplete", "\t"
	case strings.HasPrefix(code, "}"):
		return "invalid", ""
	}
	return "complete", ""
}
