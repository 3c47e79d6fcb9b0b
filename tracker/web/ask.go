package web

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// Answerer answers questions with the models of runs.
type Answerer interface {
	// CanAsk reports whether a run has a model that answers, without loading it.
	CanAsk(run tracker.RunInfo) bool
	// Ask answers a question. Its errors say what is wrong with the question.
	Ask(ctx context.Context, run tracker.RunInfo, q Question) (Answer, error)
	// Cuts are the names of cuts that a reader may choose.
	Cuts() []string
	// PrecisionCut is the name of the cut that promises a precision between 0 and 1.
	PrecisionCut(precision float64) string
	// Names are some of the names of a run's graph that begin with what is typed: of relations, or of entities.
	Names(ctx context.Context, run tracker.RunInfo, relations bool, typed string) ([]string, error)
}

// Question is HEAD, RELATION and TAIL, of which one is "?", or an expression alone.
type Question struct {
	Head, Relation, Tail string
	Expression           string
	Cut                  string // "" is the run's
}

// Answer is an answer for people.
type Answer struct {
	Title  string // the question as it was understood
	Counts string
	Tables []Table
	Notes  []string
}

// byPrecision is the choice of a cut by a wanted precision, and usualPrecision what the slider shows first.
const (
	byPrecision    = "precision"
	usualPrecision = "0.8"
)

type askPage struct {
	Run       tracker.RunInfo
	Question  Question
	Cuts      []string
	Chosen    string // cut, or byPrecision
	Precision string // wanted
	Answer    *Answer
	Wrong     string // what is wrong with the question
	Next      string // what to do about it
	CSV       []string
}

// ask shows the form for questions, and the answer to the one in the address.
func (s *site) ask(w http.ResponseWriter, r *http.Request) error {
	run, err := s.answering(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	text := func(name string) string { return strings.TrimSpace(query.Get(name)) }
	p := askPage{Run: run, Cuts: s.o.Answerer.Cuts(), Question: Question{Head: text("head"), Relation: text("relation"),
		Tail: text("tail"), Expression: text("q"), Cut: text("cut")}, Chosen: text("cut"), Precision: cmp.Or(text("precision"), usualPrecision)}
	if p.Chosen != "" && p.Chosen != byPrecision && !slices.Contains(p.Cuts, p.Chosen) {
		p.Cuts = append(slices.Clone(p.Cuts), p.Chosen) // of another size
	}
	code := http.StatusOK
	precision, err := strconv.ParseFloat(p.Precision, 64)
	if err != nil || !(precision > 0 && precision < 1) {
		return badRequestError{"precision must be a number between 0 and 1"}
	}
	if p.Chosen == byPrecision {
		p.Question.Cut = s.o.Answerer.PrecisionCut(precision)
	}
	if q := p.Question; q.Head+q.Relation+q.Tail+q.Expression != "" {
		answer, err := s.o.Answerer.Ask(r.Context(), run, completed(q))
		switch {
		case r.Context().Err() != nil:
			return r.Context().Err()
		case err != nil:
			p.Wrong, p.Next, code = err.Error(), s.words(hint.Of(err)), http.StatusBadRequest
		default:
			p.Answer = &answer
		}
	}
	s.render(w, code, "ask", p)
	return nil
}

// completed is a question with "?" in its one empty field.
func completed(q Question) Question {
	if q.Expression != "" {
		return q
	}
	for _, field := range []*string{&q.Tail, &q.Head, &q.Relation} {
		if *field == "?" {
			return q
		}
	}
	for _, field := range []*string{&q.Tail, &q.Head, &q.Relation} {
		if *field == "" {
			*field = "?"
			return q
		}
	}
	return q
}

// answering finds the run of an address, which must have a model that answers.
func (s *site) answering(r *http.Request) (tracker.RunInfo, error) {
	run, err := s.store.FindRun(r.Context(), r.PathValue("run"))
	if err != nil {
		return run, err
	}
	if s.o.Answerer == nil || !s.o.Answerer.CanAsk(run) {
		return run, notFoundError{"run " + run.Name + " has no trained model on this machine"}
	}
	return run, nil
}

// names completes a name, as JSON.
func (s *site) names(w http.ResponseWriter, r *http.Request) error {
	run, err := s.answering(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	list, err := s.o.Answerer.Names(r.Context(), run, query.Get("kind") == "relation", query.Get("typed"))
	if err != nil {
		return err
	}
	if list == nil {
		list = []string{}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list) // the reader may have gone
	return nil
}
