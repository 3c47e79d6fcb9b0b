package web

import (
	"net/http"
)

// maxComputing is the max number of requests that compute with models at once, and maxWaiting the max number of others
// that wait. A model uses every core, so more would only slow the other pages down.
const (
	maxComputing = 4
	maxWaiting   = 12
)

// computing limits how many requests compute at once.
type computing struct{ running, waiting chan struct{} }

func newComputing() computing {
	return computing{make(chan struct{}, maxComputing), make(chan struct{}, maxWaiting)}
}

// do calls compute for a request as soon as there is a place, unless the reader has left. A link from another site
// computes nothing: it could be on any page, many times.
func (c computing) do(r *http.Request, f func() error) error {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return forbiddenError{"nothing is computed for a link from another site: ask again on this page"}
	}
	select {
	case c.running <- struct{}{}:
	default:
		if err := c.wait(r); err != nil {
			return err
		}
	}
	defer func() { <-c.running }()
	return f()
}

// wait takes a place as soon as there is one.
func (c computing) wait(r *http.Request) error {
	select {
	case c.waiting <- struct{}{}:
		defer func() { <-c.waiting }()
	default:
		return busyError{"too many questions are being answered; try again in a while"}
	}
	select {
	case c.running <- struct{}{}:
		return nil
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// forbiddenError is the error for a request that is not allowed.
type forbiddenError struct{ text string }

func (e forbiddenError) Error() string { return e.text }

// busyError is the error of an overloaded server.
type busyError struct{ text string }

func (e busyError) Error() string { return e.text }

// modelError is the error for a model that cannot be used.
type modelError struct{ err error }

func (e modelError) Error() string { return "the model of this run cannot be used: " + e.err.Error() }
func (e modelError) Unwrap() error { return e.err }
