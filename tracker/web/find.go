package web

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/spherelab/spherelab/tracker"
)

// usualColumns are shown first, where any run has them. Results are to be in sight without scrolling, so they come
// before params that a run's name has as well.
var usualColumns = []string{"metric/loss", "metric/test/head_f1", "metric/test/tail_f1", "metric/test/mrr",
	"param/graph", "param/model", "param/variant", "param/seed"}

// isOwn reports whether a usual column is one that only our runs have. Those of other programs have a loss and a seed
// as well, and more that says what they are.
func isOwn(column string) bool {
	switch column {
	case "metric/loss", "param/model", "param/seed":
		return false
	}
	return slices.Contains(usualColumns, column)
}

// stateColumn is what Reader.State must know of a run beside what every run has.
const stateColumn = "param/config_hash"

// found lists what a view shows, and the columns that it has: those of its address, else the usual ones. Where the view
// is of some runs alone, these are the ones that any of them has. The values of more columns are read, but not shown.
func (s *site) found(ctx context.Context, v listView, all, more []string, offset, limit int) ([]string, tracker.Listed,
	error) {
	shown := v.chosen(all)
	list, err := s.list(ctx, v, slices.Concat(shown, more), offset, limit)
	if err != nil || len(list.Runs) == 0 || v.columns != nil ||
		v.search == "" && v.experiment == "" && slices.ContainsFunc(all, isOwn) {
		return shown, list, err
	}
	if has := present(all, list.Runs); slices.ContainsFunc(has, isOwn) {
		return v.chosen(usual(has)), list, nil
	}
	// Runs of another program: only all of their keys say what there is to show.
	runs, err := s.store.Runs(ctx, tracker.Filter{IDs: ids(list.Runs[:min(len(list.Runs), rowsPerPage)])})
	if err != nil {
		return shown, list, err
	}
	of := v
	of.columns = telling(present(all, runs), runs)
	shown = of.chosen(nil)
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
	return slices.DeleteFunc(slices.Clone(usualColumns), func(c string) bool { return !slices.Contains(all, c) })
}

// mostTelling is how many params and how many metrics of another program's runs are shown.
const mostTelling = 4

// telling are the columns of another program's runs that say most: the params that at least half of them have and in
// which they differ, then those that most have, and the metrics that most have.
func telling(present []string, runs []tracker.RunInfo) []string {
	params, metrics := map[string]int{}, map[string]int{} // how many runs have them
	for _, run := range runs {
		for key := range run.Params {
			params["param/"+key]++
		}
		for key := range run.Metrics {
			metrics["metric/"+key]++
		}
	}
	common := make([]map[string]string, len(runs))
	for i, run := range runs {
		common[i] = maps.Clone(run.Params)
		maps.DeleteFunc(common[i], func(key, _ string) bool { return 2*params["param/"+key] < len(runs) })
	}
	list := prefixed("param/", apart([][]map[string]string{common}, nil, mostTelling))
	for i, count := range []map[string]int{params, metrics} {
		maps.DeleteFunc(count, func(c string, _ int) bool {
			return !slices.Contains(present, c) || slices.Contains(list, c)
		})
		order := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
			return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
		})
		room := mostTelling - len(list)*(1-i)
		list = append(list, order[:min(len(order), room)]...)
	}
	return list
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
