package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/spherelab/spherelab/tracker"
)

// maxExperiments is the max number of experiments that a page lists.
const maxExperiments = 500

type experimentPage struct {
	List []experiment
	More int // number of experiments that are only in the CSV
	CSV  string
}

// experiment is an experiment with the addresses of its runs.
type experiment struct {
	tracker.ExperimentInfo
	Address string
}

// experimentNames returns the experiments that a form offers, and the one of the address, which may not exist.
func (s *site) experimentNames(ctx context.Context, v listView) ([]string, error) {
	names, err := s.store.Experiments(ctx)
	if v.experiment != "" && !slices.Contains(names, v.experiment) {
		names = append(names, v.experiment)
	}
	return names, err
}

func (s *site) experimentList(r *http.Request) (p experimentPage, err error) {
	list, err := s.store.ExperimentInfos(r.Context())
	for _, e := range list {
		p.List = append(p.List, experiment{e, "/?" + url.Values{"experiment": {e.Name}}.Encode()})
	}
	return p, err
}

// experiments lists the experiments.
func (s *site) experiments(w http.ResponseWriter, r *http.Request) error {
	p, err := s.experimentList(r)
	p.CSV = "/experiments.csv"
	if len(p.List) > maxExperiments {
		p.List, p.More = p.List[:maxExperiments], len(p.List)-maxExperiments
	}
	if err == nil {
		s.render(w, http.StatusOK, "experiment", p)
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
		rows = append(rows, []string{e.Name, strconv.Itoa(e.Runs), e.Newest.ID, timestamp(e.Newest.Start)})
	}
	writeCSV(w, "experiments.csv", rows)
	return nil
}

// experiment redirects from MLflow's number of an experiment to the table of its runs.
func (s *site) experiment(w http.ResponseWriter, r *http.Request) error {
	p, err := s.experimentList(r)
	if err != nil {
		return err
	}
	for _, e := range p.List {
		if e.ID == r.PathValue("experiment") {
			http.Redirect(w, r, e.Address, http.StatusSeeOther)
			return nil
		}
	}
	return notFoundError{"there is no experiment with this number, or it was deleted"}
}
