package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// Answerer answers questions with the models of runs.
type Answerer interface {
	// CanAsk reports whether a run has a model that answers, without loading it.
	CanAsk(run tracker.RunInfo) bool
	// Ask answers a question. It returns an error if the question is wrong.
	Ask(ctx context.Context, run tracker.RunInfo, q Question) (Answer, error)
	// WriteCSV writes the whole answer to a question.
	WriteCSV(ctx context.Context, run tracker.RunInfo, q Question, w io.Writer) error
	// Explain explains a whole fact. It returns an error if the fact is wrong.
	Explain(ctx context.Context, run tracker.RunInfo, fact Question) (Explanation, error)
	// Draws reports whether Draw has a picture for a question, without loading a model.
	Draws(run tracker.RunInfo, q Question) bool
	// Draw draws the answer to a question.
	Draw(ctx context.Context, run tracker.RunInfo, q Question) (chart.Chart, error)
	// Cuts returns the names of cuts that a reader may choose for a run that CanAsk.
	Cuts(run tracker.RunInfo) []string
	// PrecisionCut returns the name of the cut that promises a precision between 0 and 1.
	PrecisionCut(precision float64) string
	// Names returns some of the names of a run's graph that begin with what is typed: of relations, or of entities.
	Names(ctx context.Context, run tracker.RunInfo, relations bool, typed string) ([]string, error)
}

// Question is HEAD, RELATION and TAIL, of which one is "?", or an expression alone.
type Question struct {
	Head, Relation, Tail string
	Expression           string
	Cut                  string // "" is the default
}

// Answer is an answer in the form that people read.
type Answer struct {
	Title  string // the question as the program understood it
	Cut    string // the cut that decided
	Counts string
	Tables []Table
	Notes  []string
}

// byPrecision is the form's value for a cut by a wanted precision, and usualPrecision the slider's first value.
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
	CSV       string
	Picture   *picture
	Explore   string // address of the answer in the model's space, "" for none
}

// question returns the question in an address, and the wanted precision.
func (s *site) question(query url.Values) (q Question, precision string, err error) {
	text := func(name string) string { return strings.TrimSpace(query.Get(name)) }
	q = Question{Head: text("head"), Relation: text("relation"), Tail: text("tail"), Expression: text("q"), Cut: text("cut")}
	precision = cmp.Or(text("precision"), usualPrecision)
	wanted, err := strconv.ParseFloat(precision, 64)
	if err != nil || !(wanted > 0 && wanted < 1) {
		return q, precision, badRequestError{"precision must be a number between 0 and 1"}
	}
	if q.Cut == byPrecision {
		q.Cut = s.o.Answerer.PrecisionCut(wanted)
	}
	return q, precision, nil
}

// isAsked reports whether the address has a question.
func (q Question) isAsked() bool { return q.Head+q.Relation+q.Tail+q.Expression != "" }

// ask shows the form for questions, and the answer to the question in the address.
func (s *site) ask(w http.ResponseWriter, r *http.Request) error {
	run, err := s.findAnswering(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	p := askPage{Run: run, Cuts: s.o.Answerer.Cuts(run), Chosen: strings.TrimSpace(query.Get("cut"))}
	if p.Question, p.Precision, err = s.question(query); err != nil {
		return err
	}
	if p.Chosen != "" && p.Chosen != byPrecision && !slices.Contains(p.Cuts, p.Chosen) {
		p.Cuts = append(slices.Clone(p.Cuts), p.Chosen) // with another size
	}
	code := http.StatusOK
	if p.Question.isAsked() {
		q := completeQuestion(p.Question)
		var answer Answer
		err := s.computing.do(r, func() (err error) {
			answer, err = s.o.Answerer.Ask(r.Context(), run, q)
			return err
		})
		switch {
		case r.Context().Err() != nil:
			return r.Context().Err()
		case err != nil:
			p.Wrong, p.Next, code = err.Error(), s.words(hint.Of(err)), status(questionError(err))
		default:
			for i := range answer.Tables {
				answer.Tables[i].link(run, query)
			}
			p.Answer = &answer
			p.CSV = "/runs/" + run.ID + "/answers.csv?" + query.Encode()
			if spot, ok := q.spot(); ok && s.o.Explorer != nil && s.o.Explorer.Explores(run) {
				p.Explore = spot.at(run, nil)
			}
			if s.o.Answerer.Draws(run, q) {
				drawn := newPicture("The answer in the plane", "/runs/"+run.ID+"/circles", query)
				p.Picture = &drawn
			}
		}
	}
	s.render(w, code, "ask", p)
	return nil
}

// readQuestion returns the run and the question of an address, which must have a question.
func (s *site) readQuestion(r *http.Request) (tracker.RunInfo, Question, error) {
	run, err := s.findAnswering(r)
	if err != nil {
		return run, Question{}, err
	}
	q, _, err := s.question(r.URL.Query())
	if err == nil && !q.isAsked() {
		err = badRequestError{"this address has no question"}
	}
	return run, completeQuestion(q), err
}

// answersCSV writes the whole answer to the question of an address.
func (s *site) answersCSV(w http.ResponseWriter, r *http.Request) error {
	run, q, err := s.readQuestion(r)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := s.computing.do(r, func() error {
		return questionError(s.o.Answerer.WriteCSV(r.Context(), run, q, &b))
	}); err != nil {
		return err
	}
	headCSV(w, "answers.csv")
	_, _ = b.WriteTo(w) // the reader may have gone
	return nil
}

// questionError is an error in a question.
func questionError(err error) error {
	if err == nil || status(err) != http.StatusInternalServerError {
		return err
	}
	return badRequestError{err.Error()}
}

// circles draws the answer to the question of an address.
func (s *site) circles(format string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		run, q, err := s.readQuestion(r)
		if err != nil {
			return err
		}
		if !s.o.Answerer.Draws(run, q) {
			return notFoundError{"there is no picture of this question"}
		}
		var c chart.Chart
		if err := s.computing.do(r, func() (err error) {
			c, err = s.o.Answerer.Draw(r.Context(), run, q)
			return questionError(err)
		}); err != nil {
			return err
		}
		return sendChart(w, r, c, format, "circles")
	}
}

// completeQuestion returns the question with "?" in its only empty field.
func completeQuestion(q Question) Question {
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

// findAnswering returns the run of an address, which must have a model that answers.
func (s *site) findAnswering(r *http.Request) (tracker.RunInfo, error) {
	run, err := s.store.FindRun(r.Context(), r.PathValue("run"))
	if err != nil {
		return run, err
	}
	if s.o.Answerer == nil || !s.o.Answerer.CanAsk(run) {
		return run, s.whyNotAnswering(run)
	}
	return run, nil
}

// whyNotAnswering returns why a run has no model to ask, and what to do.
func (s *site) whyNotAnswering(run tracker.RunInfo) error {
	why := "it is on the machine that trained the run, whose own pages can be asked, or was removed"
	command := ""
	if s.o.Reader != nil {
		command = s.o.Reader.Command(run)
	}
	switch run.Status {
	case string(tracker.Running):
		why, command = "the run is still running; ask when it has ended", ""
	case string(tracker.Failed):
		why = "the run failed"
	case string(tracker.Killed):
		why = "the run was stopped"
	}
	return runError{notFoundError{"run " + title(run) + " has no trained model on this machine: " + why}, run, command}
}

// names sends completions of a name as JSON.
func (s *site) names(w http.ResponseWriter, r *http.Request) error {
	run, err := s.findAnswering(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	var list []string
	if err := s.computing.do(r, func() (err error) {
		list, err = s.o.Answerer.Names(r.Context(), run, query.Get("kind") == "relation", query.Get("typed"))
		if err != nil {
			err = modelError{err}
		}
		return err
	}); err != nil {
		return err
	}
	if list == nil {
		list = []string{}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list) // the reader may have gone
	return nil
}
