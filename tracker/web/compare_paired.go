package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// Comparer compares two runs on the same queries.
type Comparer interface {
	// PairedCuts returns the cuts at which two runs can be compared, none if they cannot. It does not load a model.
	PairedCuts(a, b tracker.RunInfo) []string
	// Pair answers the queries with the models of both runs. It returns b's values, a's values, and b's minus a's with
	// intervals. cut "" is the run's own. exact has the same with every digit.
	Pair(ctx context.Context, a, b tracker.RunInfo, cut string) (shown, exact Table, err error)
}

// pairView is the part of a comparison that answers queries with two models.
type pairView struct {
	Cuts  []choice
	Table *Table // nil: not requested
	CSV   string
	Wrong string // why there is no table
	Next  string // what to do about it
}

// compareQueries returns nil if two runs cannot be compared query by query.
func (s *site) compareQueries(r *http.Request, runs []tracker.RunInfo, query url.Values) (*pairView, error) {
	if len(runs) != 2 || s.o.Comparer == nil {
		return nil, nil
	}
	cuts := s.o.Comparer.PairedCuts(runs[0], runs[1])
	if len(cuts) == 0 {
		return nil, nil
	}
	cut := query.Get("cut")
	p := &pairView{CSV: "/paired.csv?" + url.Values{"run": ids(runs), "cut": {cut}}.Encode()}
	for _, name := range cuts {
		p.Cuts = append(p.Cuts, choice{Column: name, Label: name, Chosen: name == cut})
	}
	if query.Get("paired") != "1" {
		return p, nil
	}
	var shown Table
	err := s.computing.do(r, func() (err error) {
		shown, _, err = s.o.Comparer.Pair(r.Context(), runs[0], runs[1], cut)
		return err
	})
	switch {
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	case err != nil:
		p.Wrong, p.Next = err.Error(), s.words(hint.Of(err))
	default:
		p.Table = &shown
	}
	return p, nil
}

// pairedCSV writes the paired comparison of two runs with exact numbers.
func (s *site) pairedCSV(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	runs, err := s.find(r.Context(), query["run"])
	if err != nil {
		return err
	}
	if len(runs) != 2 || s.o.Comparer == nil || len(s.o.Comparer.PairedCuts(runs[0], runs[1])) == 0 {
		return badRequestError{"only two runs with models on this machine and of the same graph can be compared query by query"}
	}
	var exact Table
	if err := s.computing.do(r, func() (err error) {
		_, exact, err = s.o.Comparer.Pair(r.Context(), runs[0], runs[1], query.Get("cut"))
		return questionError(err)
	}); err != nil {
		return err
	}
	t := Table{Columns: append([]Column{{Heading: "run_id"}, {Heading: "cut"}, {Heading: "against_run_id"},
		{Heading: "against_cut"}}, exact.Columns...)}
	var who []string
	for _, run := range []tracker.RunInfo{runs[1], runs[0]} {
		who = append(who, run.ID, cmp.Or(query.Get("cut"), run.Tags[tracker.TagCriterion]))
	}
	for _, row := range exact.Rows {
		t.Rows = append(t.Rows, slices.Concat(who, row))
	}
	writeTable(w, "paired.csv", "", t)
	return nil
}
