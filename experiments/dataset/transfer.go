package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	longestWait  = 30 * time.Second
	largestBytes = 1 << 30 // far more than any file of a known set has
)

// getFile brings one file to work/NAME, by way of work/NAME.part.
func getFile(ctx context.Context, f File, url, work string, o Options) error {
	final := filepath.Join(work, f.Name)
	partial := final + ".part"
	if info, err := os.Stat(final); err == nil {
		if checkFile(final, f) == nil {
			o.Progress(f.Name, info.Size(), info.Size())
			return nil
		}
		// The file was right when it was renamed: something has changed it since.
		if err := os.Remove(final); err != nil {
			return err
		}
	}
	if checkFile(partial, f) == nil { // everything had arrived when the last call ended
		return os.Rename(partial, final)
	}
	for again := false; ; again = true {
		t := transfer{file: f.Name, url: url, path: partial, Options: o}
		if err := t.run(ctx); err != nil {
			return err
		}
		err := checkFile(partial, f)
		if err == nil {
			return os.Rename(partial, final)
		}
		wrong, ok := errors.AsType[*DigestError](err)
		if !ok {
			return err
		}
		if err := os.Remove(partial); err != nil {
			return err
		}
		if !t.wasResumed || again {
			return &DigestError{File: f.Name, Expected: wrong.Expected, Got: wrong.Got, Lines: wrong.Lines,
				Triples: wrong.Triples}
		}
		// The pieces do not fit together: the source changed between them, or the first was damaged. Start over once.
	}
}

// transfer is the download of one file, in one or more requests.
type transfer struct {
	Options
	file, url, path string
	wasResumed      bool // the file was put together from several requests
}

// finalError is a failure that another try would repeat.
type finalError struct{ error }

func (e finalError) Unwrap() error { return e.error }

// run requests until the file is complete.
func (t *transfer) run(ctx context.Context) error {
	best, failures := int64(-1), 0
	for {
		size, err := t.request(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted: %w", ctx.Err())
		}
		if final, ok := errors.AsType[finalError](err); ok {
			return final.error
		}
		// A source that breaks off but sends something new each time may continue. Others get a limited number of
		// tries.
		if size > best {
			if best >= 0 {
				failures = 0
			}
			best = size
		}
		failures++
		if failures >= t.Tries {
			return fmt.Errorf("given up after %d tries: %w", failures, err)
		}
		wait := min(t.Wait<<min(failures-1, 10), longestWait)
		if status, ok := errors.AsType[*statusError](err); ok && status.wait > wait {
			wait = min(status.wait, longestWait)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("interrupted: %w", ctx.Err())
		case <-time.After(wait):
		}
	}
}

// statusError is the error for an answer without content.
type statusError struct {
	status string
	wait   time.Duration // from the header Retry-After
}

func (e *statusError) Error() string { return "the server answered " + e.status }

// errStalled is the cause of a request that was ended because the source had stopped sending.
var errStalled = errors.New("the source sent nothing for too long")

// request downloads the missing rest and appends it. It returns the size of the file on disk, and nil when the file is
// complete.
func (t *transfer) request(ctx context.Context) (size int64, err error) {
	out, err := os.OpenFile(t.path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return 0, finalError{err}
	}
	defer func() {
		if closeErr := out.Close(); err == nil && closeErr != nil {
			err = finalError{closeErr}
		}
	}()
	if size, err = out.Seek(0, io.SeekEnd); err != nil {
		return 0, finalError{err}
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(t.StallTimeout, func() {
		cancel(fmt.Errorf("%w (%v)", errStalled, t.StallTimeout))
	})
	defer watchdog.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url, nil)
	if err != nil {
		return size, finalError{err}
	}
	// With compression in transit, sizes and ranges would not be those of the file.
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "spherelab")
	if size > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", size))
	}
	resp, err := t.Client.Do(req)
	if err != nil {
		return size, because(ctx, err)
	}
	defer resp.Body.Close() // read to its end or given up

	total := int64(-1)
	switch resp.StatusCode {
	case http.StatusOK:
		// The whole file, even if only a part was requested.
		if size > 0 {
			if err := out.Truncate(0); err != nil {
				return size, finalError{err}
			}
			if _, err := out.Seek(0, io.SeekStart); err != nil {
				return size, finalError{err}
			}
		}
		size, t.wasResumed = 0, false
		total = resp.ContentLength
	case http.StatusPartialContent:
		start, all, ok := contentRange(resp.Header.Get("Content-Range"))
		if !ok || start != size {
			return t.discard(out, fmt.Errorf("the server sent the part %q instead of the one from byte %d",
				resp.Header.Get("Content-Range"), size))
		}
		t.wasResumed = true
		total = all
	case http.StatusRequestedRangeNotSatisfiable:
		// There is nothing more to fetch: the file is complete, or longer than its source.
		if _, all, ok := contentRange(resp.Header.Get("Content-Range")); ok && all == size && size > 0 {
			t.wasResumed = true
			return size, nil
		}
		return t.discard(out, errors.New("the part on disk does not belong to the file at the source"))
	default:
		err := &statusError{status: resp.Status, wait: retryAfter(resp.Header.Get("Retry-After"))}
		if resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests ||
			resp.StatusCode == http.StatusRequestTimeout {
			return size, err
		}
		return size, finalError{err}
	}
	if total > largestBytes {
		return size, finalError{fmt.Errorf("the source offers %d bytes, far more than the file has", total)}
	}
	return t.copy(ctx, out, resp.Body, watchdog, size, total)
}

// copy appends the body to the file; total is -1 if it is not known.
func (t *transfer) copy(ctx context.Context, out *os.File, body io.Reader, watchdog *time.Timer, size,
	total int64) (int64, error) {
	t.Progress(t.file, size, total)
	buf := make([]byte, 1<<16)
	for {
		n, readErr := body.Read(buf)
		if n > 0 {
			watchdog.Reset(t.StallTimeout)
			written, err := out.Write(buf[:n])
			size += int64(written)
			if err != nil {
				return size, finalError{err}
			}
			if size > largestBytes {
				return size, finalError{errors.New("the source sends far more than the file has")}
			}
			t.Progress(t.file, size, total)
		}
		if readErr == io.EOF {
			break
		}
		if readErr != nil {
			return size, because(ctx, fmt.Errorf("broke off after %d bytes: %w", size, readErr))
		}
	}
	if total >= 0 && size < total {
		return size, fmt.Errorf("broke off after %d of %d bytes", size, total)
	}
	if err := out.Sync(); err != nil {
		return size, finalError{err}
	}
	return size, nil
}

// discard empties the file so that the next request starts over.
func (t *transfer) discard(out *os.File, why error) (int64, error) {
	if err := out.Truncate(0); err != nil {
		return 0, finalError{err}
	}
	return 0, why
}

// because replaces "context canceled" by its cause.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// contentRange reads "bytes 5-9/10" and "bytes */10"; all is -1 where the header has "*" for it.
func contentRange(header string) (start, all int64, ok bool) {
	rest, ok := strings.CutPrefix(header, "bytes ")
	if !ok {
		return 0, 0, false
	}
	span, size, ok := strings.Cut(rest, "/")
	if !ok {
		return 0, 0, false
	}
	all = -1
	if size != "*" {
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil || n < 0 {
			return 0, 0, false
		}
		all = n
	}
	if span == "*" {
		return 0, all, true
	}
	first, _, ok := strings.Cut(span, "-")
	if !ok {
		return 0, 0, false
	}
	start, err := strconv.ParseInt(first, 10, 64)
	if err != nil || start < 0 {
		return 0, 0, false
	}
	return start, all, true
}

// retryAfter reads a number of seconds; dates are not understood.
func retryAfter(header string) time.Duration {
	n, err := strconv.Atoi(header)
	if err != nil || n < 0 || n > 3600 {
		return 0
	}
	return time.Duration(n) * time.Second
}
