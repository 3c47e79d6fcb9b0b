package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spherelab/spherelab/tracker"
)

// How often the events of a run poll the store, and how long a page waits before it reconnects.
const (
	lookEvery  = time.Second
	againAfter = 3 * time.Second
)

// Follows reports whether a request asks for the events of a run, whose answer stays open until the run ends.
func Follows(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/runs/") && strings.HasSuffix(r.URL.Path, "/events") &&
		strings.Count(r.URL.Path, "/") == 3
}

// events tells a page, as server-sent events, when its run has new values ("change", with the step) and when it has
// ended ("end", with its state).
func (s *site) events(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	run, err := s.store.FindRun(ctx, r.PathValue("run"))
	if err != nil {
		return err
	}
	last, err := s.store.Pulse(ctx, run.ID)
	if err != nil {
		return err
	}
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprintf(w, "retry: %d\n\n", againAfter.Milliseconds())
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if last.Status != tracker.Running {
			run.Status = string(last.Status)
			fmt.Fprintf(w, "event: end\ndata: %s\n\n", plain(s.state(run)))
			return nil
		}
		if err := out.Flush(); err != nil {
			return nil // the page was closed
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		now, err := s.store.Pulse(ctx, run.ID)
		if err != nil {
			return nil // the page reconnects
		}
		if now != last && now.Status == tracker.Running {
			fmt.Fprintf(w, "event: change\ndata: %d\n\n", now.Step)
		}
		last = now
	}
}
