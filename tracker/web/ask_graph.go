package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/hint"
)

// GraphAnswerer finds the runs that answer for graphs.
type GraphAnswerer interface {
	// Graphs returns the names of the graphs that a reader may ask.
	Graphs() ([]string, error)
	// Answering returns the id of the run that answers for one of Graphs. It makes the run if there is none, which
	// takes seconds to minutes.
	Answering(ctx context.Context, graph string) (runID string, err error)
}

type askGraphPage struct {
	Graphs []string
	Graph  string // the chosen graph
	Wrong  string // why the reader cannot ask it
	Next   string // what to do about it
}

// askGraph shows the form in which a reader asks a graph without naming a run.
func (s *site) askGraph(w http.ResponseWriter, _ *http.Request) error {
	p := askGraphPage{}
	if err := s.graphs(&p); err != nil {
		return err
	}
	s.render(w, http.StatusOK, "ask_graph", p)
	return nil
}

// graphs sets the names to choose from.
func (s *site) graphs(p *askGraphPage) (err error) {
	if s.o.Graphs == nil {
		return notFoundError{"these pages ask no graph without a run"}
	}
	p.Graphs, err = s.o.Graphs.Graphs()
	return err
}

// toAnswering redirects to the run that answers for the graph of a form. It reads only graphs of the list: a form must
// not name any file of the machine.
func (s *site) toAnswering(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(w, r); err != nil {
		return err
	}
	p := askGraphPage{Graph: strings.TrimSpace(r.PostForm.Get("graph"))}
	if err := s.graphs(&p); err != nil {
		return err
	}
	if !slices.Contains(p.Graphs, p.Graph) {
		return badRequestError{"the form names no graph of the list"}
	}
	// It may take minutes, so it does not take the place of a request that answers questions.
	id, err := s.o.Graphs.Answering(r.Context(), p.Graph)
	switch {
	case r.Context().Err() != nil:
		return r.Context().Err()
	case err != nil:
		p.Wrong, p.Next = err.Error(), s.words(hint.Of(err))
		s.render(w, status(questionError(err)), "ask_graph", p)
		return nil
	}
	http.Redirect(w, r, "/runs/"+id+"/ask", http.StatusSeeOther)
	return nil
}
