package kernel

import "errors"

// Names of cell errors.
const (
	NameCompile     = "CompileError"
	NamePanic       = "Panic"
	NameInterrupted = "Interrupted"
	NameCommand     = "CommandError"
	NameExit        = "Exit"
	NameError       = "Error" // returned by the cell's last call
)

// SelfNamed is an error or panic value that has a name for its kind, and decides whether cell, line and calls are
// shown. They only distract if the message tells the user what to do.
type SelfNamed interface {
	error
	CellError() (name string, hasTrace bool)
}

// OwnFailure returns the failure of an error that is shown by its message alone, nil for any other.
func OwnFailure(err error) *CellError {
	var own SelfNamed
	if errors.As(err, &own) {
		if name, hasTrace := own.CellError(); !hasTrace {
			return &CellError{Name: name, Value: err.Error(), Traceback: []string{err.Error()}}
		}
	}
	return nil
}

// ErrorName returns the name of an error's kind, or the given name if it has none.
func ErrorName(err error, otherwise string) string {
	var own SelfNamed
	if errors.As(err, &own) {
		name, _ := own.CellError()
		return name
	}
	return otherwise
}

// Blame adds to a failure after an interrupt that the cell was interrupted: its code often fails because its context
// has ended.
func Blame(failure *CellError) *CellError {
	if failure.Name == NameInterrupted {
		return failure
	}
	value := "the cell was interrupted: " + failure.Value
	traceback := []string{NameInterrupted + ": " + value}
	if len(failure.Traceback) > 1 {
		traceback = append(traceback, failure.Traceback[1:]...) // behind name and message
	}
	return &CellError{Name: NameInterrupted, Value: value, Traceback: traceback}
}
