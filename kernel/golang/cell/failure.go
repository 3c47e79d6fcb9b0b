package cell

import (
	"fmt"
	"go/token"
)

// Error is an error in the text of a cell, in the compiler's words.
type Error struct {
	Cell         string // the name of the cell
	Line, Column int    // from 1
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Cell, e.Line, e.Column, e.Message)
}

// errorAt makes an error at a place of a parsed file.
func errorAt(fset *token.FileSet, pos token.Pos, message string) error {
	at := fset.Position(pos)
	return &Error{Cell: at.Filename, Line: at.Line, Column: at.Column, Message: message}
}

// Place is a place in a cell. Omitted is how many calls are left out here; the rest is then empty.
type Place struct {
	Name    string // the function
	Cell    string
	Line    int
	Omitted int
}

// Ended is the end of a cell that was interrupted or exited.
type Ended struct {
	Cause error // run.Interrupted or run.Exited
	Calls []Place
}

func (e *Ended) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *Ended) Unwrap() error { return e.Cause }

// Panic is a panic that ended a cell or one of its goroutines.
type Panic struct {
	Value any
	Text  string  // the value as Go prints it
	Calls []Place // the innermost first
}

func (p *Panic) Error() string { return "panic: " + p.Text }
