package mlflow

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// stream writes an answer that may be too large for memory, part by part. It holds no connection to the database
// between the parts, so a slow client blocks nothing.
type stream func(ctx context.Context, w *bufio.Writer) error

// send sends a stream. It returns an error that occurs before anything was sent. A later error cuts the answer off, so
// that the client does not mistake the part for the whole.
func (a *API) send(w http.ResponseWriter, r *http.Request, s stream) error {
	out := &noting{ResponseWriter: w}
	buffer := bufio.NewWriterSize(out, 64<<10)
	w.Header().Set("Content-Type", "application/json")
	err := s(r.Context(), buffer)
	if err == nil {
		_ = buffer.Flush() // the client may be gone
		return nil
	}
	if !out.hasBegun {
		return err
	}
	if r.Context().Err() == nil && out.failed == nil {
		a.say(fmt.Sprintf("%s %s: the answer is broken off: %v", r.Method, r.URL.Path, err))
	}
	panic(http.ErrAbortHandler)
}

// noting remembers whether an answer has begun, and why it could not be sent.
type noting struct {
	http.ResponseWriter
	hasBegun bool
	failed   error
}

func (n *noting) Write(b []byte) (int, error) {
	n.hasBegun = true
	size, err := n.ResponseWriter.Write(b)
	if err != nil {
		n.failed = err
	}
	return size, err
}

// writeList writes items of a list in JSON. isFirst is true for the first part of the list.
func writeList[T any](w *bufio.Writer, items []T, isFirst bool) error {
	for i, item := range items {
		raw, err := json.Marshal(item)
		if err != nil {
			return err
		}
		if i > 0 || !isFirst {
			_ = w.WriteByte(',') // the next write returns the error again
		}
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
	return nil
}

// writeEnd ends an answer with its last list, and a token if there are more pages.
func writeEnd(w *bufio.Writer, token string) error {
	_ = w.WriteByte(']') // the next write returns the error again
	if token != "" {
		fmt.Fprintf(w, `,"next_page_token":%q`, token) // base64 needs no escapes
	}
	_, err := w.WriteString("}")
	return err
}
