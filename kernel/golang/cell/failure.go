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

// placed makes an error at a place of a parsed file.
func placed(fset *token.FileSet, pos token.Pos, message string) error {
	at := fset.Position(pos)
	return &Error{Cell: at.Filename, Line: at.Line - headLines, Column: at.Column, Message: message}
}

// Place is a place in a cell.
type Place struct {
	Name string // the function
	Cell string
	Line int
}

// Panic is a panic that ended a cell or one of its goroutines.
type Panic struct {
	Value any
	Text  string  // the value as Go prints it
	Calls []Place // the innermost first
}

func (p *Panic) Error() string { return "panic: " + p.Text }
