package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/spherelab/spherelab/tracker"
)

// mostExperiments is how many experiments a page lists.
const mostExperiments = 500

type experimentPage struct {
	List []experiment
	More int // experiments that are not listed
	CSV  string
}

// experiment is an experiment with its newest run.
type experiment struct {
	Name, Address string
	Runs          int
	Newest        tracker.RunInfo // the zero RunInfo if it has no runs
	Start         time.Time
}

// experimentNames are the experiments that a form offers, and the one of the address, which need not be there.
func (s *site) experimentNames(ctx context.Context, v listView) ([]string, error) {
	names, err := s.store.Experiments(ctx)
	if v.experiment != "" && !slices.Contains(names, v.experiment) {
		names = append(names, v.experiment)
	}
	return names, err
}

func (s *site) experimentList(r *http.Request) (p experimentPage, err error) {
	names, err := s.store.Experiments(r.Context())
	if err != nil {
		return p, err
	}
	p.CSV = "/experiments.csv"
	if len(names) > mostExperiments {
		names, p.More = names[:mostExperiments], len(names)-mostExperiments
	}
	for _, name := range names {
		list, err := s.list(r.Context(), listView{experiment: name}, nil, 0, 1)
		if err != nil {
			return p, err
		}
		e := experiment{Name: name, Address: "/?" + url.Values{"experiment": {name}}.Encode(), Runs: list.Total}
		if len(list.Runs) > 0 {
			e.Newest, e.Start = list.Runs[0], list.Runs[0].Start
		}
		p.List = append(p.List, e)
	}
	return p, nil
}

// experiments lists the experiments.
func (s *site) experiments(w http.ResponseWriter, r *http.Request) error {
	p, err := s.experimentList(r)
	if err == nil {
		s.render(w, http.StatusOK, "experiments", p)
	}
	return err
}

func (s *site) experimentsCSV(w http.ResponseWriter, r *http.Request) error {
	p, err := s.experimentList(r)
	if err != nil {
		return err
	}
	rows := [][]string{{"experiment", "runs", "newest_run", "start"}}
	for _, e := range p.List {
		rows = append(rows, []string{e.Name, strconv.Itoa(e.Runs), e.Newest.ID, timestamp(e.Start)})
	}
	writeCSV(w, "experiments.csv", rows)
	return nil
}
