package tracker

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/lib/pq"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker/bucket"
	"github.com/spherelab/spherelab/tracker/pgprivate"
	"github.com/spherelab/spherelab/tracker/rest"
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
	CodeSchema      Code = "schema"      // the database's tables are missing or too old
	CodeSQL         Code = "sql"         // the user's query is wrong
	CodeReadOnly    Code = "read_only"   // the user's query wants to change something
	CodeNoReader    Code = "no_reader"   // there is no SELECT-only role for the user's query
	CodeUnsupported Code = "unsupported" // not built
	CodeFenced      Code = "fenced"      // another worker has taken the run over
	CodeCanceled    Code = "canceled"    // the job was taken out of the queue
	CodeInternal    Code = "internal"    // anything else
)

// Error is what this package's functions return. Message says what is wrong, in words for people.
type Error struct {
	Code    Code
	Message string
	Err     error // the cause; may be nil
	Next    []hint.Hint
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Hints lists what may be done about the error.
func (e *Error) Hints() []hint.Hint { return e.Next }

// with adds hints to a new error.
func (e *Error) with(hints ...hint.Hint) *Error {
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

func errorf(code Code, err error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: err}
}

// stateOf returns the SQLSTATE of a server's error, else "".
func stateOf(err error) string {
	if e, ok := errors.AsType[*pq.Error](err); ok {
		return string(e.Code)
	}
	return ""
}

func isNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// unreachable reports whether err means that there is no working connection, and not that the server refused.
func unreachable(err error) bool {
	if pqErr, ok := errors.AsType[*pq.Error](err); ok {
		return transientState(string(pqErr.Code))
	}
	if e, ok := errors.AsType[*rest.Error](err); ok {
		return e.Transient()
	}
	if isBucketError(err) { // also a refusal: its reason is outside of this program, and files wait until it is gone
		return !bucket.Missing.Is(err) && !bucket.Invalid.Is(err)
	}
	if isFileError(err) { // a missing file is not a missing socket
		return false
	}
	var netErr net.Error
	return errors.As(err, &netErr) || isAny(err, driver.ErrBadConn, io.EOF, io.ErrUnexpectedEOF, syscall.ECONNREFUSED,
		syscall.ENOENT, syscall.EPIPE, syscall.ECONNRESET, net.ErrClosed, sql.ErrConnDone)
}

func isAny(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

// transientState reports whether trying again later can help with this SQLSTATE: connection lost, server starting or
// stopping, disk full, too many connections, deadlock, I/O error, a lock not available.
func transientState(state string) bool {
	if len(state) != 5 {
		return false
	}
	switch state[:2] {
	case "08", "53", "57", "58", "40", "XX":
		return true
	}
	switch state {
	case "55P03", "55006", // a lock is not available, something is in use; the rest of its class stays as it is
		"25006", "25P03": // the server is read only, as a standby is until it is promoted; a session stood still
		return true
	}
	return false
}

func isBucketError(err error) bool {
	_, ok := errors.AsType[*bucket.Error](err)
	return ok
}

// Transient reports whether an error of the database, as its driver gives it, may be gone after a while.
func Transient(err error) bool { return transient(err) }

// transient reports whether a failed call should be tried again later. An Error is final.
func transient(err error) bool {
	if _, final := errors.AsType[*Error](err); final {
		return false
	}
	return unreachable(err) || isAny(err, context.DeadlineExceeded, context.Canceled, sql.ErrTxDone)
}

// wrap turns a database error into an Error that says what was being done. An Error stays as it is.
func wrap(err error, doing string) error {
	if err == nil {
		return nil
	}
	if _, final := errors.AsType[*Error](err); final || errors.Is(err, context.Canceled) {
		return err
	}
	if missing, ok := errors.AsType[*pgprivate.NotFoundError](err); ok {
		return errorf(CodeUnavailable, err, "%s", missing.Error())
	}
	if e, ok := wrapServer(err, doing); ok {
		return e
	}
	if isBucketError(err) {
		return errorf(CodeUnavailable, err, "%s: %s", doing, plain(err))
	}
	if unreachable(err) || errors.Is(err, context.DeadlineExceeded) {
		return errorf(CodeUnavailable, err, "%s: %s: %s", doing, trouble(err), plain(err))
	}
	return errorf(CodeInternal, err, "%s: %s", doing, plain(err))
}

// trouble says what a transient error means.
func trouble(err error) string {
	if e, ok := errors.AsType[*rest.Error](err); ok {
		if e.Again && e.Status != 0 && e.Status < 500 {
			return fmt.Sprintf("the tracking server's address does not answer as one (status %d)", e.Status)
		}
		if e.Status != 0 {
			return fmt.Sprintf("the tracking server fails (status %d)", e.Status)
		}
		return "the tracking server cannot be reached"
	}
	if isBucketError(err) {
		return "its artifacts cannot be stored"
	}
	switch state := stateOf(err); {
	case strings.HasPrefix(state, "40"): // a deadlock, for example
		return "programs changed the same rows at the same time"
	case state == "55P03", state == "55006":
		return "another program holds a lock"
	case state == "53100":
		return "the database's disk is full"
	case strings.HasPrefix(state, "53"):
		return "the database has too much to do"
	}
	return "the database cannot be reached"
}

// plain is the text of an error in one line, without the driver's prefix and without passwords.
func plain(err error) string {
	text := strings.TrimPrefix(err.Error(), "pq: ")
	if pqErr, ok := errors.AsType[*pq.Error](err); ok {
		text = pqErr.Message
		if pqErr.Detail != "" {
			text += " (" + pqErr.Detail + ")"
		}
		if pqErr.Code == "53100" { // disk_full
			text += "; free space on the database server's disk"
		}
	}
	if errors.Is(err, pq.ErrSSLNotSupported) {
		text = "the server has no TLS; on a network that you trust add sslmode=disable to the address, after ?"
	}
	return redact(strings.Join(strings.Fields(text), " "))
}

// isUndecided reports whether a tracking server's address answered, and not in the words of the API.
func isUndecided(err error) bool {
	e, ok := errors.AsType[*rest.Error](err)
	return ok && e.Again && e.Status != 0
}

// isPermanent reports whether the database answered and refused the records for good.
func isPermanent(err error) bool {
	_, final := errors.AsType[*Error](err)
	if e, ok := errors.AsType[*rest.Error](err); ok {
		return !final && !e.Transient() && !e.Denied() && e.Status != 0
	}
	return final || stateOf(err) != "" && !transient(err)
}
