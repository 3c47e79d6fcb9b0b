// Package kernel is a Jupyter kernel without a language. It serves front ends (JupyterLab, Notebook, VS Code, nbclient)
// over the sockets of package wire and passes the code of cells to an [Engine]. The engine evaluates and completes code
// and
// renders values. This package does the rest: ordering, streams, input, history, interrupts and shutdown.
//
// [Serve] runs a kernel from a connection file until it is shut down.
package kernel

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spherelab/spherelab/kernel/display"
)

// Engine evaluates the cells of one language.
//
// Start, Execute and Close are called by one goroutine, always the same one, and never at the same time. Every other
// method may be called by any goroutine at any moment after Start, also while Execute runs.
type Engine interface {
	// Start creates the interpreter, on the goroutine that will evaluate cells. io stays valid until Close.
	Start(io IO) error
	// Execute evaluates one cell. ctx ends when the user interrupts the cell. An error that the user's code caused is a
	// *CellError; any other error is a fault of the engine and is shown to the user as such. ctx may have ended
	// already.
	Execute(ctx context.Context, cell Cell) (Result, error)
	// Complete offers completions at the cursor. The cursor and the offsets of the answer count unicode code points.
	Complete(code string, cursor int) Completion
	// Inspect documents what is at the cursor (code points). Detail 0 is a signature with its documentation, 1 may add
	// the source. It returns false if nothing is known.
	Inspect(code string, cursor, detail int) (display.Data, bool)
	// IsComplete reports whether the code is "complete", "incomplete" (then indent is what the next line should start
	// with) or "invalid".
	IsComplete(code string) (status, indent string)
	// Interrupt ends the running Execute as soon as possible, without waiting for it. Its ctx ended just before. It may
	// come when Execute has just been called or is just returning, so one that came too late must not reach the next
	// cell: Execute starts by forgetting it. An engine that cannot end a cell writes that to the cell's Stderr.
	Interrupt()
	// Info describes the language, for kernel_info_reply. It is also called before and during Start.
	Info() LanguageInfo
	// Declared lists what cells have declared, sorted. If the process dies, the next cell reports these names as lost.
	Declared() []string
	// Close frees what Start made.
	Close() error
}

// Cell is one execute_request as the engine sees it.
type Cell struct {
	Code         string
	Number       int  // the execution count shown next to the cell
	Silent       bool // nothing of it is shown or counted
	StoreHistory bool
}

// Result is the value of a cell's last expression, rendered. HasValue false means that the cell has none and nothing is
// shown.
type Result struct {
	Data     display.Data
	HasValue bool
	// Payload is the payload of execute_reply: a request to the front end besides the output. {"source":
	// "set_next_input", "text": ..., "replace": true} puts text into the cell. Most cells have none.
	Payload []map[string]any
}

// CellError is an error caused by the user's code: it does not compile, it panicked, it was interrupted.
type CellError struct {
	Name      string   // kind of error, one word
	Value     string   // the message
	Traceback []string // cell:line, source line, call stack of the cell's functions; nil means just name and value
}

// Error returns name and message on one line.
func (e *CellError) Error() string {
	if e.Value == "" {
		return e.Name
	}
	return e.Name + ": " + strings.TrimSpace(e.Value)
}

// Completion is the answer to a completion request: Matches replace the code points Start to End of the code. Types,
// when given, has one entry for each match ("function", "module", "variable", "keyword", ...).
type Completion struct {
	Matches    []string
	Start, End int
	Types      []string
}

// LanguageInfo is what front ends need to know about a language.
type LanguageInfo struct {
	Name           string // "go"
	Version        string // version of the language
	MIMEType       string // "text/x-go"
	FileExtension  string // ".go"
	PygmentsLexer  string // highlighting in nbconvert; empty means Name
	CodeMirrorMode string // highlighting in browsers; empty means Name
	Implementation string // name of the implementation: "spherelab"
	ImplVersion    string // version of the implementation
	Banner         string // shown by consoles at the start
	HelpLinks      []HelpLink
}

// HelpLink is an entry of the front end's Help menu.
type HelpLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// IO is how an engine and the code of cells talk to the front end. All methods are safe for concurrent use. What is
// written belongs to the running cell or, between cells, to the last one, so output of goroutines that outlive their
// cell still appears.
type IO interface {
	// Stdout and Stderr take output of any size; it is sent in batches, in order, and never dropped: a writer that is
	// faster than the front end waits.
	Stdout() io.Writer
	Stderr() io.Writer
	// Bind returns the IO of the cell that runs now: what is written to it belongs to that cell, also after its end.
	// Otherwise output belongs to the cell that runs when it is written.
	Bind() IO
	// Display shows data. With a "display_id" in Transient, Update can replace it later.
	Display(d display.Data) error
	// Update replaces every display with the "display_id" that is in d.Transient; without one it fails.
	Update(d display.Data) error
	// ClearOutput removes the output of the cell, at once or (wait) when the next output arrives.
	ClearOutput(wait bool) error
	// ReadLine asks the front end for one line of input, without the line's end. It fails with ErrNoStdin when the
	// cell's front end takes no input and with ctx's error when ctx ends.
	ReadLine(ctx context.Context, prompt string, isPassword bool) (string, error)
}

// The errors of IO.
var (
	// ErrNoStdin is ReadLine's error when the front end takes no input.
	ErrNoStdin = errors.New("this front end does not take input")
	// ErrInterrupted is the cause with which a cell's context ends. A writer that waits for a slow front end gets it
	// when the cell is interrupted.
	ErrInterrupted = errors.New("interrupted")
)
