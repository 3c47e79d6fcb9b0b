package tracker

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/spherelab/spherelab/internal/hint"
)

// Fault is an error of a driver, classified by its backend, so that the tracker knows what to do: wait, give up, or
// keep the records. Wrap turns it into an Error that says what was being done.
type Fault struct {
	Err error // of the driver

	Code Code        // of the Error
	Said string      // what the Error says after what was being done
	Bare bool        // Said is the whole message
	Next []hint.Hint // of the Error

	Text    string // the store's words, if the text of Err is not for people
	Trouble string // what it means to people

	Temporary bool // trying again later may help
	Refused   bool // the store answered and refuses the records permanently
	Elsewhere bool // the store's own answer is unknown: something in front of it or next to it fails
}

func (f *Fault) Error() string { return f.Err.Error() }

func (f *Fault) Unwrap() error { return f.Err }

// IsFinal reports whether an error is already an Error, or an end of a context.
func IsFinal(err error) bool {
	if err == nil {
		return true
	}
	if _, done := errors.AsType[*Fault](err); done {
		return true
	}
	_, done := errors.AsType[*Error](err)
	return done || errors.Is(err, context.Canceled)
}

// Transient reports whether a failed call should be tried again later. An Error is final.
func Transient(err error) bool {
	if _, final := errors.AsType[*Error](err); final {
		return false
	}
	if f, ok := errors.AsType[*Fault](err); ok && f.Temporary {
		return true
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// Wrap turns an error of a backend into an Error that says what was being done. It returns an Error unchanged.
func Wrap(err error, doing string) error {
	if err == nil {
		return nil
	}
	if _, final := errors.AsType[*Error](err); final || errors.Is(err, context.Canceled) {
		return err
	}
	if f, ok := errors.AsType[*Fault](err); ok {
		if f.Bare {
			return Errorf(f.Code, err, "%s", f.Said).With(f.Next...)
		}
		return Errorf(f.Code, err, "%s: %s", doing, f.Said).With(f.Next...)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Errorf(CodeUnavailable, err, "%s: %s: %s", doing, trouble(err), Plain(err))
	}
	return Errorf(CodeInternal, err, "%s: %s", doing, Plain(err))
}

// trouble returns what a transient error means.
func trouble(err error) string {
	if f, ok := errors.AsType[*Fault](err); ok && f.Trouble != "" {
		return f.Trouble
	}
	return "the database cannot be reached"
}

// Plain returns the text of an error in one line, without the driver's prefix and without passwords.
func Plain(err error) string {
	text := err.Error()
	if f, ok := errors.AsType[*Fault](err); ok && f.Text != "" {
		text = f.Text
	}
	return Redact(strings.Join(strings.Fields(text), " "))
}

// isElsewhere reports whether an error leaves open what the store itself would answer.
func isElsewhere(err error) bool {
	f, ok := errors.AsType[*Fault](err)
	return ok && f.Elsewhere
}

// isPermanent reports whether the store answered and refused the records permanently.
func isPermanent(err error) bool {
	if _, final := errors.AsType[*Error](err); final {
		return true
	}
	f, ok := errors.AsType[*Fault](err)
	return ok && f.Refused
}

// isFileError reports whether err is about a file of this machine and not about the database.
func isFileError(err error) bool {
	_, isPath := errors.AsType[*fs.PathError](err)
	_, isLink := errors.AsType[*os.LinkError](err)
	_, newer := errors.AsType[*newerSpoolError](err)
	return isPath || isLink || newer
}

// A password in an option ends at a blank, in a URL also at &. In libpq's key=value form it may be quoted.
var (
	secretKey      = `(?i)((?:^|[^a-z])(?:ssl|pg)?password\s*=\s*)`
	secretOption   = regexp.MustCompile(secretKey + `('(?:[^'\\]|\\.)*'|[^\s]*)`)
	secretURLQuery = regexp.MustCompile(secretKey + `[^&\s]*`)
)

// Redact replaces the passwords of URLs and of connection options in s by ***.
func Redact(s string) string {
	if !strings.Contains(s, "://") {
		return secretOption.ReplaceAllString(s, "${1}***")
	}
	s = secretURLQuery.ReplaceAllString(s, "${1}***")
	head, rest, _ := strings.Cut(s, "://")
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return s
	}
	user, _, has := strings.Cut(rest[:at], ":")
	if has {
		user += ":***"
	}
	return head + "://" + user + rest[at:]
}
