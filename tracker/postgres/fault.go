package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/storage"
	"github.com/spherelab/spherelab/tracker/pgprivate"
)

// stateOf returns the SQLSTATE of a server's error, or "" for other errors.
func stateOf(err error) string {
	if e, ok := errors.AsType[*pq.Error](err); ok {
		return string(e.Code)
	}
	return ""
}

func isNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// isUnreachable reports whether err means that there is no working connection, not that the server refused.
func isUnreachable(err error) bool {
	if pqErr, ok := errors.AsType[*pq.Error](err); ok {
		return transientState(string(pqErr.Code))
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
	case "55P03", "55006", // a lock is not available, or something is in use; the rest of its class is not transient
		"25006", "25P03": // the server is read only, as a standby is until it is promoted; a session was idle
		return true
	}
	return false
}

// Transient reports whether an error of the database, as its driver returns it, may vanish after a while.
func Transient(err error) bool { return tracker.Transient(fault(err)) }

// fault returns what an error of the database, or of the storage of artifacts, means.
func fault(err error) error {
	if tracker.IsFinal(err) {
		return err
	}
	if f := storage.StorageFault(err); f != nil {
		return f
	}
	f := &tracker.Fault{Err: err, Code: tracker.CodeInternal, Said: DriverText(err),
		Trouble: stateTrouble(stateOf(err))}
	if stateOf(err) != "" || strings.HasPrefix(err.Error(), "pq: ") {
		f.Text = f.Said
	}
	if missing, ok := errors.AsType[*pgprivate.NotFoundError](err); ok {
		f.Code, f.Said, f.Bare = tracker.CodeUnavailable, missing.Error(), true
	} else if isUnreachable(err) || errors.Is(err, context.DeadlineExceeded) {
		f.Code, f.Said = tracker.CodeUnavailable, f.Trouble+": "+f.Said
	}
	f.Temporary = isUnreachable(err) || isAny(err, context.DeadlineExceeded, sql.ErrTxDone)
	f.Refused = stateOf(err) != "" && !f.Temporary
	return f
}

// stateTrouble returns what a transient error with this SQLSTATE means.
func stateTrouble(state string) string {
	switch {
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

// DriverText returns the text of an error in one line, without the driver's prefix and without passwords.
func DriverText(err error) string {
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
	return tracker.Redact(strings.Join(strings.Fields(text), " "))
}

// isFileError reports whether err is about a file of this machine.
func isFileError(err error) bool {
	_, isPath := errors.AsType[*fs.PathError](err)
	_, isLink := errors.AsType[*os.LinkError](err)
	return isPath || isLink
}

const (
	uniqueViolation = "23505" // the SQLSTATE of a row that exists already
	queryCanceled   = "57014" // of a statement that was stopped
)
