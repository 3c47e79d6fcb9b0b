package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// Explanation is what explains a fact, in the form that people read.
type Explanation struct {
	Title    string // the fact as the program understood it
	Verdict  string // how likely it is
	Evidence *Evidence
	Numbers  [][2]string // names and texts of what the model computes
	Places   []Place
	Notes    []string // on the fact
	Cut      []string // which cut decided, and why
}

// Evidence has the facts that support a fact.
type Evidence struct {
	Title string
	Kinds []Reasons // those that there are
	None  string    // says that there are none
	Notes []string
}

// Reasons are of one kind.
type Reasons struct {
	Heading string
	List    []Reason
}

// Reason is one thing that supports a fact.
type Reason struct {
	Text    string
	Numbers string // how strong it is, and how likely the fact is without it
	Facts   []Fact
}

// Fact is a fact of the graph, which has an explanation too.
type Fact struct {
	Text    string
	Asked   Question
	Address string // of its explanation; set by the page
}

// Place is where an entity of a fact stands among the answers to a query.
type Place struct {
	Query   string
	Asked   Question
	Text    string
	Nearest Table
	Address string // of the answers; set by the page
}

type explainPage struct {
	Run         tracker.RunInfo
	Question    Question
	Chosen      string // cut, or byPrecision
	Precision   string // wanted
	Explanation *Explanation
	Wrong       string // what is wrong with the fact
	Next        string // what to do about it
	Ask         string // address of the answers, where the fact has a gap
}

func (p explainPage) place() string { return p.Run.Experiment }

// chosenCut are the parts of a query that choose a cut.
func chosenCut(query url.Values) url.Values {
	chosen := url.Values{}
	for _, name := range []string{"cut", "precision"} {
		if query.Has(name) {
			chosen.Set(name, query.Get(name))
		}
	}
	return chosen
}

// address is that of a page of a run about a question, by the cut of a query.
func (q Question) address(run tracker.RunInfo, page string, query url.Values) string {
	values := chosenCut(query)
	for name, text := range map[string]string{"head": q.Head, "relation": q.Relation, "tail": q.Tail} {
		values.Set(name, text)
	}
	return "/runs/" + run.ID + "/" + page + "?" + values.Encode()
}

// isFact reports whether nothing of a fact is missing.
func (q Question) isFact() bool {
	for _, field := range []string{q.Head, q.Relation, q.Tail} {
		if field == "" || field == "?" {
			return false
		}
	}
	return true
}

// explain shows the form for facts, and the explanation of the fact in the address.
func (s *site) explain(w http.ResponseWriter, r *http.Request) error {
	run, err := s.findAnswering(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	p := explainPage{Run: run, Chosen: strings.TrimSpace(query.Get("cut"))}
	if p.Question, p.Precision, err = s.question(query); err != nil {
		return err
	}
	code := http.StatusOK
	switch q := p.Question; {
	case q.isFact():
		var x Explanation
		err := s.computing.do(r, func() (err error) {
			x, err = s.o.Answerer.Explain(r.Context(), run, q)
			return err
		})
		switch {
		case r.Context().Err() != nil:
			return r.Context().Err()
		case err != nil:
			p.Wrong, p.Next, code = err.Error(), s.words(hint.Of(err)), status(questionError(err))
		default:
			x.link(run, query)
			p.Explanation = &x
		}
	case q.isAsked():
		code = http.StatusBadRequest
		p.Wrong = "a fact has a head, a relation and a tail"
		p.Ask = q.address(run, "ask", query)
	}
	s.render(w, code, "explain", p)
	return nil
}

// link sets the addresses of an explanation.
func (x *Explanation) link(run tracker.RunInfo, query url.Values) {
	if x.Evidence != nil {
		for _, kind := range x.Evidence.Kinds {
			for _, reason := range kind.List {
				for i, f := range reason.Facts {
					reason.Facts[i].Address = f.Asked.address(run, "explain", query)
				}
			}
		}
	}
	for i := range x.Places {
		place := &x.Places[i]
		place.Address = place.Asked.address(run, "ask", query)
		place.Nearest.link(run, query)
	}
}

// link leads the rows of a table to the explanations of their facts.
func (t *Table) link(run tracker.RunInfo, query url.Values) {
	t.links = nil
	for _, q := range t.Facts {
		t.links = append(t.links, q.address(run, "explain", query))
	}
}

// Link returns the address to which a cell leads, "" if there is none.
func (t Table) Link(row, column int) string {
	if column > 0 || row >= len(t.links) {
		return ""
	}
	return t.links[row]
}
