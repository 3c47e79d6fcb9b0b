package web

import (
	"net/http"
)

// mostComputing is how many requests compute with models at once, and mostWaiting how many more wait for that. A model
// uses every core, so more of them would only hold what the other pages need.
const (
	mostComputing = 4
	mostWaiting   = 12
)

// computing lets a few requests at a time compute.
type computing struct{ running, waiting chan struct{} }

func newComputing() computing {
	return computing{make(chan struct{}, mostComputing), make(chan struct{}, mostWaiting)}
}

// do computes in answer to a request when there is a place, unless the reader goes before. A link of another site
// computes nothing: it could be on any page, many times.
func (c computing) do(r *http.Request, f func() error) error {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return forbiddenError{"a link of another site has led here, so nothing is computed: ask again on this page"}
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
		return busyError{"models answer as many questions as they can at once; try again in a while"}
	}
	select {
	case c.running <- struct{}{}:
		return nil
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// forbiddenError says why a request is not served.
type forbiddenError struct{ text string }

func (e forbiddenError) Error() string { return e.text }

// busyError says that the server has too much to do.
type busyError struct{ text string }

func (e busyError) Error() string { return e.text }

// modelError is why a run's model cannot be used.
type modelError struct{ err error }

func (e modelError) Error() string { return "the model of this run cannot be used: " + e.err.Error() }
func (e modelError) Unwrap() error { return e.err }
