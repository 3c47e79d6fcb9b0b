package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/tracker"
)

// usualColumns are shown first, where any run has them.
var usualColumns = []string{"param/graph", "param/model", "param/variant", "param/seed", "metric/loss",
	"metric/test/head_f1", "metric/test/tail_f1", "metric/test/mrr"}

// stateColumn is what Reader.State must know of a run beside what every run has.
const stateColumn = "param/config_hash"

// found lists what a view shows, and the columns that it has: those of its address, else the usual ones. Where the view
// is of some runs alone, these are the ones that any of them has. The values of more columns are read, but not shown.
func (s *site) found(ctx context.Context, v listView, all, more []string, offset, limit int) ([]string, tracker.Listed,
	error) {
	shown := v.chosen(all)
	list, err := s.list(ctx, v, slices.Concat(shown, more), offset, limit)
	if err != nil || len(list.Runs) == 0 || v.columns != nil || v.search == "" && v.experiment == "" {
		return shown, list, err
	}
	isUsual := func(c string) bool { return slices.Contains(usualColumns, c) }
	if has := present(all, list.Runs); slices.ContainsFunc(has, isUsual) {
		return v.chosen(slices.DeleteFunc(has, func(c string) bool { return !isUsual(c) })), list, nil
	}
	// Runs of another program: only all of their keys say what there is to show.
	runs, err := s.store.Runs(ctx, tracker.Filter{IDs: ids(list.Runs[:min(len(list.Runs), rowsPerPage)])})
	if err != nil {
		return shown, list, err
	}
	shown = v.chosen(present(all, runs))
	list, err = s.list(ctx, v, slices.Concat(shown, more), offset, limit)
	return shown, list, err
}

// present are the columns that any of the runs has.
func present(all []string, runs []tracker.RunInfo) []string {
	has := map[string]bool{}
	for _, run := range runs {
		for key := range run.Params {
			has["param/"+key] = true
		}
		for key := range run.Metrics {
			has["metric/"+key] = true
		}
		for key := range run.Tags {
			has["tag/"+key] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(c string) bool { return !has[c] })
}

// usual are the columns to show where the address names none.
func usual(all []string) []string {
	usual := slices.DeleteFunc(slices.Clone(usualColumns), func(c string) bool { return !slices.Contains(all, c) })
	if len(usual) > 0 {
		return usual
	}
	var first []string // runs of another program
	for _, kind := range []string{"param/", "metric/"} {
		n := 0
		for _, c := range all {
			if strings.HasPrefix(c, kind) && n < 4 {
				first = append(first, c)
				n++
			}
		}
	}
	return first
}

// list reads what a view shows.
func (s *site) list(ctx context.Context, v listView, columns []string, offset, limit int) (tracker.Listed, error) {
	return s.store.List(ctx, tracker.Listing{Search: v.search, Experiment: v.experiment, Sort: v.sort,
		Ascending: v.ascending, Columns: columns, Offset: offset, Limit: limit, Fold: v.fold, Within: v.within})
}

// filesTake is how many times as long as a page a file of a search may take: it has all runs.
const filesTake = 10

// within bounds how long the searches of a request may take together. The database stops one that takes longer, which
// would keep it from others.
func within(most time.Duration, answer handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), most)
		defer cancel()
		err := answer(w, r.WithContext(ctx))
		if err != nil && ctx.Err() != nil && r.Context().Err() == nil {
			return busyError{fmt.Sprintf("the search takes longer than %v and was stopped: name an experiment, "+
				"search for less, or try again when the database has less to do", most)}
		}
		return err
	}
}

// handler answers a request, or says why not.
type handler = func(http.ResponseWriter, *http.Request) error
