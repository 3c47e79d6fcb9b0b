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

// usualColumns are shown first, if any run has them. Results should be visible without scrolling, so they come before
// params that are also in a run's name.
var usualColumns = []string{"metric/loss", "metric/test/head_f1", "metric/test/tail_f1", "metric/test/mrr",
	"param/graph", "param/model", "param/variant", "param/seed"}

// isOwn reports whether only our runs have a usual column. Runs of other programs also have a loss and a seed, and
// other columns that describe them.
func isOwn(column string) bool {
	switch column {
	case "metric/loss", "param/model", "param/seed":
		return false
	}
	return slices.Contains(usualColumns, column)
}

// stateColumn is the column that Reader.State needs, besides what every run has.
const stateColumn = "param/config_hash"

// found returns the runs and the columns of a view. The columns are those of its address, otherwise the usual ones; for
// a view of some runs, those that any of them has. The values of further columns are read, but not shown. Metrics of
// sets, including the one that the view is sorted by, are at one cut.
func (s *site) found(ctx context.Context, v listView, all, more []string, offset, limit int) ([]string, tracker.Listed,
	oneCut, error) {
	read := func(v listView) ([]string, tracker.Listed, oneCut, error) {
		shown := v.chosen(all)
		at, err := s.oneCut(ctx, v, all, slices.Concat(shown, more))
		if err != nil {
			return shown, tracker.Listed{}, nil, err
		}
		shown, v.sort = at.columns(shown), at.column(v.sort)
		list, err := s.list(ctx, v, slices.Concat(shown, at.columns(more)), offset, limit)
		return shown, list, at, err
	}
	shown, list, at, err := read(v)
	if err != nil || len(list.Runs) == 0 || v.columns != nil ||
		v.search == "" && v.experiment == "" && slices.ContainsFunc(all, isOwn) {
		return shown, list, at, err
	}
	of := v
	if has := present(all, list.Runs); slices.ContainsFunc(has, isOwn) {
		of.columns = usual(has)
		return at.columns(of.chosen(nil)), list, at, nil
	}
	// Runs of another program: all of their keys are needed to decide what to show.
	runs, err := s.store.Runs(ctx, tracker.Filter{IDs: ids(list.Runs[:min(len(list.Runs), rowsPerPage)]),
		Deleted: v.deleted})
	if err != nil {
		return shown, list, at, err
	}
	of.columns = informativeColumns(present(all, runs), runs)
	return read(of)
}

// present returns the columns that any of the runs has.
func present(all []string, runs []tracker.RunInfo) []string {
	has := map[string]bool{}
	for _, run := range runs {
		for key := range run.Params {
			has["param/"+key] = true
		}
		for key := range run.Metrics {
			has["metric/"+withoutCut(key)] = true
		}
		for key := range run.Tags {
			has["tag/"+key] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(c string) bool { return !has[c] })
}

// usual returns the columns to show if the address does not name any.
func usual(all []string) []string {
	return slices.DeleteFunc(slices.Clone(usualColumns), func(c string) bool { return !slices.Contains(all, c) })
}

// maxTelling is the max number of params, and of metrics, that are shown of another program's runs.
const maxTelling = 4

// informativeColumns returns the most informative columns of another program's runs: the params that at least half of
// them have and in which they differ, then those that most of them have, and the metrics that most of them have.
func informativeColumns(present []string, runs []tracker.RunInfo) []string {
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
	list := prefixed("param/", distinguishing([][]map[string]string{common}, nil, maxTelling))
	for i, count := range []map[string]int{params, metrics} {
		maps.DeleteFunc(count, func(c string, _ int) bool {
			return !slices.Contains(present, c) || slices.Contains(list, c)
		})
		order := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
			return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
		})
		room := maxTelling - len(list)*(1-i)
		list = append(list, order[:min(len(order), room)]...)
	}
	return list
}

// list reads what a view shows.
func (s *site) list(ctx context.Context, v listView, columns []string, offset, limit int) (tracker.Listed, error) {
	return s.store.List(ctx, tracker.Listing{Search: v.search, Experiment: v.experiment, Sort: v.sort,
		Ascending: v.ascending, Columns: columns, Offset: offset, Limit: limit, Fold: v.fold, Within: v.within,
		Deleted: v.deleted, Unarchived: !v.archived && !v.deleted})
}

// filesTake is how many times as long as a page a file of a search may take, because it has all runs.
const filesTake = 10

// within limits how long the searches of a request may take together. The database stops a longer one, which would slow
// down other requests.
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

// handler answers a request, or returns an error.
type handler = func(http.ResponseWriter, *http.Request) error
