package mlflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/storage"
	"github.com/spherelab/spherelab/tracker/rest"
)

// serverFault returns the Fault for an error of a tracking server, or of the storage of artifacts.
func serverFault(err error) error {
	if tracker.IsFinal(err) {
		return err
	}
	e, ok := errors.AsType[*rest.Error](err)
	if !ok {
		if f := storage.StorageFault(err); f != nil {
			return f
		}
		return otherFault(err)
	}
	text := tracker.Redact(strings.Join(strings.Fields(e.Message), " "))
	f := &tracker.Fault{Err: err, Code: tracker.CodeInternal, Said: text, Trouble: serverTrouble(e),
		Temporary: e.Transient(), Elsewhere: e.Again && e.Status != 0 || storage.IsBucketError(err),
		Refused: !e.Transient() && !e.IsDenied() && e.Status != 0}
	switch {
	case e.IsDenied():
		f.Code, f.Said = tracker.CodeUnavailable, "the tracking server refuses: "+text
		f.Next = []hint.Hint{{Action: hint.NameToken}}
	case e.Transient():
		f.Code, f.Said = tracker.CodeUnavailable, f.Trouble+": "+text
	case e.IsMissing():
		f.Code = tracker.CodeNotFound
	case e.Status == 0 || e.Code == "": // it is not a tracking server, or speaks another protocol
		f.Code = tracker.CodeUnavailable
	case e.Status == http.StatusBadRequest:
		f.Code, f.Said = tracker.CodeInvalid, "the tracking server refuses: "+text
	}
	return f
}

// otherFault returns the Fault for an error that is not an answer of the server, such as that of a file or a timeout.
func otherFault(err error) *tracker.Fault {
	text := tracker.Redact(strings.Join(strings.Fields(err.Error()), " "))
	f := &tracker.Fault{Err: err, Code: tracker.CodeInternal, Said: text, Trouble: "the database cannot be reached"}
	if isFileError(err) {
		return f
	}
	var netErr net.Error
	lost := errors.As(err, &netErr)
	for _, target := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNREFUSED, syscall.ENOENT, syscall.EPIPE,
		syscall.ECONNRESET, net.ErrClosed, context.DeadlineExceeded} {
		lost = lost || errors.Is(err, target)
	}
	if lost {
		f.Code, f.Said, f.Temporary = tracker.CodeUnavailable, f.Trouble+": "+text, true
	}
	return f
}

// serverTrouble returns what a transient answer means.
func serverTrouble(e *rest.Error) string {
	if e.Again && e.Status != 0 && e.Status < 500 {
		return fmt.Sprintf("the tracking server's address does not answer as one (status %d)", e.Status)
	}
	if e.Status != 0 {
		return fmt.Sprintf("the tracking server fails (status %d)", e.Status)
	}
	return "the tracking server cannot be reached"
}

// isFileError reports whether err is about a file of this machine.
func isFileError(err error) bool {
	_, isPath := errors.AsType[*fs.PathError](err)
	_, isLink := errors.AsType[*os.LinkError](err)
	return isPath || isLink
}
