// Package web shows runs in a browser. It is an http.Handler of server-rendered pages, one stylesheet and a little
// JavaScript of our own. The pages can be read and used without JavaScript. The package does not listen, and it knows
// nothing about models: interfaces explain what a run means.
package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// Store is the part of a tracker that the pages use.
type Store interface {
	List(ctx context.Context, l tracker.Listing) (tracker.Listed, error)
	Columns(ctx context.Context) ([]string, error)
	Experiments(ctx context.Context) ([]string, error)
	ExperimentInfos(ctx context.Context) ([]tracker.ExperimentInfo, error)
	FindRun(ctx context.Context, ref string) (tracker.RunInfo, error)
	Runs(ctx context.Context, f tracker.Filter) ([]tracker.RunInfo, error)
	Curve(ctx context.Context, runID, key string, steps *tracker.Steps, columns int) (tracker.Curve, error)
	Relations(ctx context.Context, runID string) ([]tracker.RelationResult, error)
	Params(ctx context.Context, ids, keys []string) (map[string]map[string]string, error)
	Cuts(ctx context.Context, l tracker.Listing, metric string) ([]tracker.Cut, error)
	Best(ctx context.Context, ids, metrics []string) (map[string]map[string]tracker.Point, error)
	ConfigKeys(ctx context.Context, ids []string) (map[string]string, error)
	Pulse(ctx context.Context, runID string) (tracker.Pulse, error)
	Store(ctx context.Context, runID string, r tracker.Records) error
	DeleteTag(ctx context.Context, runID, key string) error
	TagRuns(ctx context.Context, runIDs []string, key, value string) error
	Rename(ctx context.Context, runID, name string) error
	RefuseLive(ctx context.Context, runID string) error
	DeleteRuns(ctx context.Context, runIDs []string) (at int64, err error)
	RestoreRuns(ctx context.Context, runIDs []string) error
	Deletion(ctx context.Context, at int64) (runIDs []string, err error)
	MoveRuns(ctx context.Context, runIDs []string, experiment string) error
	Objects(ctx context.Context, run tracker.RunInfo) ([]tracker.Object, error)
	Fetch(ctx context.Context, run tracker.RunInfo, only ...string) error
}

// Options are what the program that serves the pages provides to them.
type Options struct {
	Words func([]hint.Hint) string // returns what a reader may do next; nil: the pages suggest nothing
	// First returns the command that makes a run, in an experiment unless that is ""; nil: not known.
	First      func(experiment string) string
	Reader     Reader        // explains runs; nil: the pages have what every run has
	Answerer   Answerer      // answers questions; nil: there is no page for questions
	Graphs     GraphAnswerer // finds or makes the run that answers for a graph; nil: no page asks for one
	Explorer   Explorer      // lays out spaces of models; nil: no page shows them
	Comparer   Comparer      // compares runs query by query; nil: no page does
	SweepTag   string        // the tag with the sweep of a run, "" for none
	TrialTag   string        // the tag that a sweep's runs have if they are trials of a search, "" for none
	Cuts       []string      // cuts at which runs with different own cuts are compared, the preferred one first
	SearchTime time.Duration // how long the searches of a page may take; 0: half a minute
	Say        func(string)  // receives notices of one line, for the server's log; nil: nothing does
}

// site answers requests.
type site struct {
	store     Store
	o         Options
	computing computing
}

// searchTime is the default time limit of a search.
const searchTime = 30 * time.Second

// policy lets a page load from its own server only. Pages have no inline scripts, styles or pictures.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// New returns the pages of a store. The caller has to decide who may connect, and to refuse requests from pages of
// other sites.
func New(store Store, o Options) http.Handler {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	o.SearchTime = cmp.Or(o.SearchTime, searchTime)
	if o.First == nil {
		o.First = func(string) string { return "" }
	}
	s := &site{store, o, newComputing()}
	search := func(h handler) handler { return within(o.SearchTime, h) }
	file := func(h handler) handler { return within(filesTake*o.SearchTime, h) }
	mux := http.NewServeMux()
	mux.Handle("GET /static/", http.StripPrefix("/static/", newStatic()))
	mux.HandleFunc("GET /{$}", s.page(search(s.runs)))
	mux.HandleFunc("GET /runs.csv", s.page(file(s.runsCSV)))
	mux.HandleFunc("GET /runs/{run}", s.page(s.run))
	mux.HandleFunc("GET /runs/{run}/run.csv", s.page(s.runCSV))
	mux.HandleFunc("GET /runs/{run}/relations.csv", s.page(s.relationsCSV))
	mux.HandleFunc("GET /runs/{run}/results/{table}", s.page(s.resultCSV))
	mux.HandleFunc("GET /runs/{run}/figure/{figure}", s.page(s.figure))
	mux.HandleFunc("GET /runs/{run}/artifacts/{file...}", s.page(s.artifact))
	mux.HandleFunc("GET /runs/{run}/events", s.page(s.events))
	for _, format := range []string{"svg", "png", "pdf"} {
		mux.HandleFunc("GET /curve."+format, s.page(s.curve(format)))
		mux.HandleFunc("GET /parallel."+format, s.page(search(s.parallel(format))))
		mux.HandleFunc("GET /scatter."+format, s.page(search(s.scatter(format))))
		mux.HandleFunc("GET /importance."+format, s.page(search(s.importance(format))))
		mux.HandleFunc("GET /runs/{run}/circles."+format, s.page(s.circles(format)))
		mux.HandleFunc("GET /runs/{run}/sight."+format, s.page(s.sightPicture(format)))
	}
	mux.HandleFunc("GET /runs/{run}/ask", s.page(s.ask))
	mux.HandleFunc("GET /runs/{run}/explain", s.page(s.explain))
	mux.HandleFunc("GET /runs/{run}/explore", s.page(s.explore))
	mux.HandleFunc("GET /runs/{run}/space.json", s.page(s.space))
	mux.HandleFunc("GET /ask", s.page(s.askGraph))
	mux.HandleFunc("POST /ask", s.page(s.toAnswering))
	mux.HandleFunc("GET /runs/{run}/answers.csv", s.page(s.answersCSV))
	mux.HandleFunc("GET /runs/{run}/names", s.page(s.names))
	mux.HandleFunc("POST /runs/{run}/note", s.page(s.saveNote))
	mux.HandleFunc("POST /runs/{run}/tags", s.page(s.saveTag))
	mux.HandleFunc("POST /runs/{run}/name", s.page(s.saveName))
	mux.HandleFunc("POST /manage", s.page(s.manage))
	mux.HandleFunc("GET /groups", s.page(search(s.groups)))
	mux.HandleFunc("GET /groups.csv", s.page(file(s.groupsCSV)))
	mux.HandleFunc("POST /tags", s.page(s.saveTags))
	mux.HandleFunc("GET /experiments", s.page(s.experiments))
	mux.HandleFunc("GET /experiments/{experiment}", s.page(s.experiment))
	mux.HandleFunc("GET /experiments.csv", s.page(s.experimentsCSV))
	mux.HandleFunc("GET /params", s.page(search(s.params)))
	mux.HandleFunc("GET /params.csv", s.page(file(s.paramsCSV)))
	mux.HandleFunc("GET /compare", s.page(s.compare))
	mux.HandleFunc("GET /compare.csv", s.page(s.compareCSV))
	mux.HandleFunc("GET /compare/{table}", s.page(s.besideCSV))
	mux.HandleFunc("GET /paired.csv", s.page(s.pairedCSV))
	mux.HandleFunc("GET /", s.page(func(http.ResponseWriter, *http.Request) error {
		return notFoundError{"there is no such page"}
	}))
	return compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // without one, browsers hide the origin of a form from its own server
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "private, no-cache")
		if !readable(r) {
			s.showError(w, r, badRequestError{"this address has signs that are not text: a % stands there as %25"})
			return
		}
		mux.ServeHTTP(w, r)
	}))
}

// readable reports whether an address is text that a store can search for.
func readable(r *http.Request) bool {
	fine := func(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return false
	}
	for name, values := range query {
		if !fine(name) || slices.ContainsFunc(values, func(v string) bool { return !fine(v) }) {
			return false
		}
	}
	return fine(r.URL.Path)
}

// notFoundError is the error for a page, or a part of it, that does not exist.
type notFoundError struct{ text string }

func (e notFoundError) Error() string { return e.text }

// badRequestError is an error in an address or a form.
type badRequestError struct{ text string }

func (e badRequestError) Error() string { return e.text }

// conflictError is the error for a change to something that another user has changed meanwhile.
type conflictError struct{ text string }

func (e conflictError) Error() string { return e.text }

// runError is an error about a run, with a link to the run's page.
type runError struct {
	error
	run     tracker.RunInfo
	command string // that solves the problem, "" for none
}

func (e runError) Unwrap() error { return e.error }

// page shows the error of a handler that has not begun to write.
func (s *site) page(do func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := callHandler(do, w, r)
		if err == nil || r.Context().Err() != nil {
			return
		}
		s.showError(w, r, err)
	}
}

// callHandler calls the handler of a request. It turns a panic into an error, so that the reader sees an error page.
func callHandler(do handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			panic(p)
		default:
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return do(w, r)
}

// status returns the HTTP status of an error.
func status(err error) int {
	switch tracker.ErrorCode(err) {
	case tracker.CodeInvalid, tracker.CodeUnsupported:
		return http.StatusBadRequest
	case tracker.CodeNotFound:
		return http.StatusNotFound
	case tracker.CodeConflict, tracker.CodeBusy, tracker.CodeAmbiguous:
		return http.StatusConflict
	case tracker.CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	if errors.As(err, new(notFoundError)) {
		return http.StatusNotFound
	}
	if errors.As(err, new(badRequestError)) || errors.As(err, new(*chart.LimitError)) {
		return http.StatusBadRequest
	}
	if errors.As(err, new(conflictError)) {
		return http.StatusConflict
	}
	if errors.As(err, new(forbiddenError)) {
		return http.StatusForbidden
	}
	if errors.As(err, new(busyError)) {
		return http.StatusServiceUnavailable
	}
	if errors.As(err, new(modelError)) {
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

// showError shows what is wrong with a request. Errors of the server go to its log only: they may contain what a reader
// must not know.
func (s *site) showError(w http.ResponseWriter, r *http.Request, err error) {
	code, text := status(err), err.Error()
	if limit, ok := errors.AsType[*chart.LimitError](err); ok {
		text = limit.Reason()
	}
	if code == http.StatusInternalServerError {
		s.o.Say(fmt.Sprintf("%s %q: %v", r.Method, r.URL.Path, err))
		text = "the server could not make this page; its own log says why"
	}
	data := struct {
		Status     string
		Text, Next string
		Run        tracker.RunInfo
		Command    string
	}{Status: http.StatusText(code), Text: text, Next: s.words(hint.Of(err))}
	if of, ok := errors.AsType[runError](err); ok {
		data.Run, data.Command = of.run, of.command
	}
	s.render(w, code, "error", data)
}

func (s *site) words(list []hint.Hint) string {
	if s.o.Words == nil {
		return ""
	}
	return s.o.Words(list)
}
