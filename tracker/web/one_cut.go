package web

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

// oneCut has, by metric, the cut at which a page shows metrics of sets if its runs' own cuts differ.
type oneCut map[string]string

// oneCut chooses the cuts at which a view has the metrics among some columns. It considers all runs that the view has
// on any of its pages.
func (s *site) oneCut(ctx context.Context, v listView, all, columns []string) (oneCut, error) {
	at := oneCut{}
	for _, column := range columns {
		key, of := strings.CutPrefix(column, "metric/")
		metric := tracker.WithoutBest(key)
		if _, done := at[metric]; !of || done || !isOfSets(all, metric) {
			continue
		}
		list := tracker.Listing{Search: v.search, Experiment: v.experiment, Within: v.within, Deleted: v.deleted,
			Unarchived: !v.archived && !v.deleted}
		cuts, err := s.store.Cuts(ctx, list, withoutEnd(metric)) // an interval is at the cut of its value
		if err != nil {
			return nil, err
		}
		if cut, several := tracker.OneCut(cuts, s.o.Cuts); several {
			at[metric] = cut
		}
	}
	return at, nil
}

// isOfSets reports whether a metric without a cut in its key is one of sets, or an end of its interval. Such a metric
// also has numbers at other cuts.
func isOfSets(columns []string, metric string) bool {
	_, name, found := strings.Cut(withoutEnd(metric), "/")
	return found && !strings.Contains(name, "/") && slices.ContainsFunc(columns, func(c string) bool {
		parts := strings.Split(c, "/")
		return len(parts) == 4 && parts[0] == "metric" && parts[2] != "category" && parts[3] == name
	})
}

// key returns a metric, or the best value of one, at the cut of the page.
func (at oneCut) key(metric string) string {
	cut, several := at[tracker.WithoutBest(metric)]
	if !several {
		return metric
	}
	key, _ := tracker.CutKey(tracker.WithoutBest(metric), cut)
	if tracker.WithoutBest(metric) != metric {
		key, _ = tracker.BestKey(key)
	}
	return key
}

// column returns a column at the cut of the page.
func (at oneCut) column(column string) string {
	if key, of := strings.CutPrefix(column, "metric/"); of {
		return "metric/" + at.key(key)
	}
	return column
}

// columns returns columns at the cut of the page.
func (at oneCut) columns(list []string) []string {
	list = slices.Clone(list)
	for i, c := range list {
		list[i] = at.column(c)
	}
	return list
}

// note returns which metrics are at which cut, "" if all runs have the same cut.
func (at oneCut) note() string {
	var list []string
	for _, metric := range slices.Sorted(maps.Keys(at)) {
		if !isEnd(metric) {
			list = append(list, at.key(metric))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("The runs have metrics of sets at several cuts of their own. All are shown at one, whose name "+
		"follows @: %s. A run without that cut has no number there.", strings.Join(list, ", "))
}

// ofRuns returns the runs with their metrics of sets at one cut, chosen from these runs, instead of the cut of each.
func (at oneCut) ofRuns(runs []tracker.RunInfo) []tracker.RunInfo {
	runs = slices.Clone(runs)
	for i, run := range runs {
		runs[i].Metrics = maps.Clone(run.Metrics)
		for metric := range at {
			delete(runs[i].Metrics, metric)
			if value, has := run.AtCut(metric, at[metric]); has {
				runs[i].Metrics[at.key(metric)] = value
			}
		}
	}
	return runs
}

// comparedAt chooses the cuts at which runs are compared.
func (s *site) comparedAt(runs []tracker.RunInfo) oneCut {
	at := oneCut{}
	keys := keysOf(runs, func(r tracker.RunInfo) map[string]float64 { return r.Metrics })
	columns := prefixed("metric/", keys)
	for _, key := range keys {
		if !isOfSets(columns, key) {
			continue
		}
		if cut, several := tracker.OneCut(tracker.CutsOf(runs, withoutEnd(key)), s.o.Cuts); several {
			at[key] = cut
		}
	}
	return at
}

// at returns compared runs with the values of columns, and the columns, at one cut.
func (s *site) at(ctx context.Context, runs []tracker.RunInfo, columns []string) ([]tracker.RunInfo, []string, error) {
	at := s.comparedAt(runs)
	named := slices.Clone(runs)
	for i, run := range runs {
		named[i].Metrics = maps.Clone(run.Metrics)
		for _, column := range columns {
			key := tracker.WithoutBest(strings.TrimPrefix(column, "metric/"))
			metric, cut, _ := tracker.ParseCutKey(key)
			if value, has := run.AtCut(metric, cut); has {
				named[i].Metrics[key] = value
			}
		}
	}
	columns = at.columns(columns)
	runs, err := s.withBest(ctx, at.ofRuns(named), columns)
	return runs, columns, err
}

// atOneCut returns columns of the runs of a view at one cut.
func (s *site) atOneCut(ctx context.Context, v listView, columns []string) ([]string, error) {
	all, err := s.columns(ctx)
	if err != nil {
		return nil, err
	}
	at, err := s.oneCut(ctx, v, all, columns)
	return at.columns(columns), err
}

// endOf returns the key of an end of the interval of a metric, which may be at a cut. end is "_lo" or "_hi".
func endOf(metric, end string) string {
	if plain, cut, ok := tracker.ParseCutKey(metric); ok && tracker.WithoutBest(metric) == metric {
		if key, has := tracker.CutKey(plain+end, cut); has {
			return key
		}
	}
	return metric + end
}

// isEnd reports whether a metric is an end of an interval.
func isEnd(metric string) bool { return withoutEnd(withoutCut(metric)) != withoutCut(metric) }

// withoutEnd returns the metric of the key of an end of its interval, and any other key unchanged.
func withoutEnd(key string) string { return strings.TrimSuffix(strings.TrimSuffix(key, "_lo"), "_hi") }

// withoutCut returns the metric of a key that may be at a cut.
func withoutCut(key string) string {
	if metric, _, ok := tracker.ParseCutKey(key); ok {
		return metric
	}
	return key
}
