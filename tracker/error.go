package tracker

import (
	"errors"
	"fmt"

	"github.com/spherelab/spherelab/internal/hint"
)

// Code is the kind of an Error, for programs.
type Code string

// The codes.
const (
	CodeInvalid     Code = "invalid"     // the caller's value cannot be stored: too long, malformed, not allowed
	CodeConflict    Code = "conflict"    // something different is already stored: a param, a point, a deleted experiment
	CodeNotFound    Code = "not_found"   // no such run, experiment or key
	CodeAmbiguous   Code = "ambiguous"   // several runs fit
	CodeBusy        Code = "busy"        // another program writes this run
	CodeUnavailable Code = "unavailable" // the database cannot be reached
	CodeSpooled     Code = "spooled"     // the database cannot be reached; the records are safe in the spool
	CodeSchema      Code = "schema"      // the database's tables are missing or too old
	CodeSQL         Code = "sql"         // the user's query is wrong
	CodeReadOnly    Code = "read_only"   // the user's query wants to change something
	CodeNoReader    Code = "no_reader"   // there is no SELECT-only role for the user's query
	CodeUnsupported Code = "unsupported" // not built
	CodeFenced      Code = "fenced"      // another worker has taken the run over
	CodeCanceled    Code = "canceled"    // the job was taken out of the queue
	CodeInternal    Code = "internal"    // anything else
)

// Error is the error that this package's functions return. Message is for people.
type Error struct {
	Code    Code
	Message string
	Err     error // the cause; may be nil
	Next    []hint.Hint
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Hints returns what may be done about the error.
func (e *Error) Hints() []hint.Hint { return e.Next }

// With adds hints to a new error.
func (e *Error) With(hints ...hint.Hint) *Error {
	e.Next = append(e.Next, hints...)
	return e
}

// ErrorCode returns the code of the first Error in err's chain; CodeInternal for other errors and "" for nil.
func ErrorCode(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

func Errorf(code Code, err error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: err}
}
