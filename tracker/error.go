package tracker

import (
	"errors"
	"fmt"
)

// Code says what kind of failure an Error is, for programs.
type Code string

// The codes.
const (
	CodeInvalid     Code = "invalid"     // the caller's value cannot be stored: too long, malformed, not allowed
	CodeConflict    Code = "conflict"    // something else is stored already: a param, a point, a deleted experiment
	CodeNotFound    Code = "not_found"   // no such run, experiment or key
	CodeAmbiguous   Code = "ambiguous"   // several runs fit
	CodeBusy        Code = "busy"        // another program writes this run
	CodeUnavailable Code = "unavailable" // the database cannot be reached
	CodeSpooled     Code = "spooled"     // the database cannot be reached; the records are safe in the spool
	CodeSchema      Code = "schema"      // the database's tables are not what we need
	CodeSQL         Code = "sql"         // the user's query is wrong
	CodeReadOnly    Code = "read_only"   // the user's query wants to change something
	CodeNoReader    Code = "no_reader"   // there is no SELECT-only role for the user's query
	CodeUnsupported Code = "unsupported" // not built
	CodeInternal    Code = "internal"    // anything else
)

// Error is what this package's functions return. Message is complete and meant for people.
type Error struct {
	Code    Code
	Message string
	Err     error // the cause, may be nil
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// ErrorCode returns the code of the first Error in err's chain; CodeInternal for other errors and "" for nil.
func ErrorCode(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

func fail(code Code, err error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: err}
}
