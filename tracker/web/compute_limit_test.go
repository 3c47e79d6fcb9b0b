package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// slow answers when it is let go.
type slow struct {
	oracle
	entered chan struct{}
	free    chan struct{}
}

func (s slow) Ask(ctx context.Context, run tracker.RunInfo, q web.Question) (web.Answer, error) {
	s.entered <- struct{}{}
	select {
	case <-s.free:
		return s.oracle.Ask(ctx, run, q)
	case <-ctx.Done():
		return web.Answer{}, ctx.Err()
	}
}

// Four questions are answered at once, and twelve more wait. Readers that go free their places, and other pages are
// made meanwhile. A link of another site computes nothing.
func TestFewComputeAtOnce(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	id := logRun(t, tr, tracker.RunSpec{Name: "one"})
	s := slow{oracle{true}, make(chan struct{}, 16), make(chan struct{})}
	h := web.New(tr, web.Options{Answerer: s})
	page := "/runs/" + id + "/ask"
	ask := func(ctx context.Context, site string) int {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, page+"?head=a&relation=r", nil)
		if site != "" {
			r.Header.Set("Sec-Fetch-Site", site)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	if code := ask(t.Context(), "cross-site"); code != http.StatusForbidden || len(s.entered) != 0 {
		t.Errorf("a link of another site: %d", code)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	codes := make(chan int, 20)
	for range 20 { // the last four find no place
		go func() { codes <- ask(ctx, "same-origin") }()
	}
	for range 4 {
		if code := <-codes; code != http.StatusServiceUnavailable {
			t.Errorf("one question too many: %d", code)
		}
	}
	if code, _, _ := get(t, h, "/"); code != http.StatusOK {
		t.Errorf("the table of runs next to many questions: %d", code)
	}
	if n := len(s.entered); n > 4 {
		t.Errorf("%d questions at once", n)
	}
	cancel()
	for range 16 {
		<-codes
	}
	close(s.free)
	if code := ask(t.Context(), "none"); code != http.StatusOK {
		t.Errorf("after the readers have gone: %d", code)
	}
}

// broken has models that cannot be used.
type broken struct {
	meaning
	oracle
}

func (broken) Figures(tracker.RunInfo) []string { return []string{"radii"} }
func (broken) Figure(context.Context, tracker.RunInfo, string) (chart.Chart, error) {
	return chart.Chart{}, errors.New("its graph is gone")
}
func (broken) Ask(context.Context, tracker.RunInfo, web.Question) (web.Answer, error) {
	panic("no such cut")
}
func (broken) Names(context.Context, tracker.RunInfo, bool, string) ([]string, error) {
	return nil, errors.New("its graph is gone")
}

// What is wrong with a run's model is said. What is wrong with the server is in its log alone.
func TestErrorsOfTheServer(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	id := logRun(t, tr, tracker.RunSpec{Name: "one"})
	var said []string
	b := broken{oracle: oracle{true}}
	h := web.New(tr, web.Options{Reader: b, Answerer: b, Say: func(line string) { said = append(said, line) }})
	for _, address := range []string{"/figure/radii.svg", "/names?kind=entity&typed=a"} {
		code, text, _ := get(t, h, "/runs/"+id+address)
		if code != http.StatusConflict || !strings.Contains(text, "its graph is gone") {
			t.Errorf("%s: %d %s", address, code, text)
		}
	}
	if len(said) != 0 {
		t.Errorf("the log has %q", said)
	}
	if code, text, _ := get(t, h, "/runs/"+id+"/ask?q=panic"); code != http.StatusInternalServerError ||
		!strings.Contains(text, "its own log says why") || !strings.Contains(text, `<a href="/">All runs</a>`) {
		t.Errorf("a question that ends in a panic: %d %s", code, text)
	}
	if len(said) != 1 || !strings.Contains(said[0], "panic: no such cut") {
		t.Errorf("the log of a panic has %q", said)
	}
	said = nil
	if _, err := tr.DB().ExecContext(t.Context(), `ALTER TABLE public.runs RENAME TO elsewhere`); err != nil {
		t.Fatal(err)
	}
	code, text, _ := get(t, h, "/")
	if code != http.StatusInternalServerError || strings.Contains(text, "public.runs") ||
		!strings.Contains(text, "its own log says why") {
		t.Errorf("%d %s", code, text)
	}
	if len(said) != 1 || !strings.Contains(said[0], "GET") || !strings.Contains(said[0], "runs") {
		t.Errorf("the log has %q", said)
	}
}
