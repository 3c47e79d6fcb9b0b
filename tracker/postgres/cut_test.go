package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestMetricsAtOneCut: a key of CutKey is a metric at one cut for all runs, whether a run logged it below the cut's
// name, as a metric or as a result, or as its own. Another cut's number never stands in its place.
func TestMetricsAtOneCut(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	run := func(name, own string, at map[string]float64, metrics map[string]float64) string {
		r := startRun(t, tr, name)
		noError(t, r.SetTags(map[string]string{tracker.TagCriterion: own}))
		var results []tracker.EvaluationResult
		for cut, value := range at {
			results = append(results, tracker.EvaluationResult{Split: "test", Cut: cut, Metric: "head_f1", Value: value,
				Interval: true, Low: value / 2, High: value})
		}
		noError(t, r.LogResults(2, results, metrics))
		noError(t, r.Finish(ctx, tracker.Finished))
		return r.ID()
	}
	sphere := run("sphere", "sphere", map[string]float64{"": .9, "margin": .5, "fitted-novel": .25}, nil)
	run("margin", "margin", map[string]float64{"": .75, "fitted-novel": .375}, map[string]float64{"valid/head_f1": .75})
	old := run("old", "margin", nil, map[string]float64{"test/head_f1": .625, "test/fitted-novel/head_f1": .125})
	run("without", "top-mean", map[string]float64{"": .99, "lookup": 1}, nil)
	for _, c := range []struct{ sort, search, want string }{
		{sort: "metric/test/head_f1", want: "without .99, sphere .9, margin .75, old .625"},
		{sort: "metric/test/head_f1@margin", want: "margin .75, old .625, sphere .5, without none"},
		{sort: "metric/test/head_f1@fitted-novel", want: "margin .375, sphere .25, old .125, without none"},
		{sort: "metric/test/head_f1_lo@margin", want: "margin .375, sphere .25, without none, old none"},
		{sort: "metric/test/head_f1@margin", search: "metrics.`test/head_f1@margin` >= 0.625", want: "margin .75, old .625"},
		{sort: "metric/valid/head_f1@margin@best", search: "metrics.`valid/head_f1@margin@best` > 0.5", want: "margin .75"},
	} {
		for _, fold := range []bool{false, true} {
			list, err := tr.List(ctx, tracker.Listing{Sort: c.sort, Search: c.search, Columns: []string{c.sort},
				Fold: fold})
			noError(t, err)
			var got []string
			for _, r := range list.Runs {
				text := "none"
				if x, ok := r.Metrics[strings.TrimPrefix(c.sort, "metric/")]; ok {
					text = strings.TrimPrefix(fmt.Sprint(x), "0")
				}
				got = append(got, r.Name+" "+text)
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("by %s %s: %s, want %s", c.sort, c.search, text, c.want)
			}
		}
	}
	if _, err := tr.List(ctx, tracker.Listing{Sort: "metric/test/head_f1@margin@best"}); err == nil {
		t.Error("test data has a best value at a cut")
	}
	const want = "[{fitted-novel 0 3} {lookup 0 1} {margin 2 3} {sphere 1 1} {top-mean 1 1}]"
	cuts, err := tr.Cuts(ctx, tracker.Listing{Sort: "metric/test/head_f1"}, "test/head_f1")
	noError(t, err)
	all, err := tr.Runs(ctx, tracker.Filter{})
	noError(t, err)
	for _, got := range []string{fmt.Sprint(cuts), fmt.Sprint(tracker.CutsOf(all, "test/head_f1"))} {
		if got != want {
			t.Errorf("cuts %s, want %s", got, want)
		}
	}
	for search, want := range map[string]int{"sphere": 0, "run_name LIKE '%ar%'": 0,
		"run_name LIKE '%r%'": 3} {
		cuts, err = tr.Cuts(ctx, tracker.Listing{Search: search, Limit: 1}, "test/head_f1")
		if len(cuts) != want || err != nil {
			t.Errorf("%s: %v, %v, want %d", search, cuts, err, want)
		}
	}
	for _, r := range all {
		want := map[string]float64{sphere: .5, old: .625}
		if x, ok := r.AtCut("test/head_f1", "margin"); want[r.ID] > 0 && (!ok || x != want[r.ID]) {
			t.Errorf("%s has %v at margin", r.Name, x)
		}
		if x, ok := r.AtCut("test/head_f1", "margin"); r.Name == "without" && ok {
			t.Errorf("%s has %v at margin", r.Name, x)
		}
	}
}

// TestChoiceOfOneCut: a preferred cut that half of the runs have, the first of those that most have; else the own cut
// that most have; none where runs have one cut.
func TestChoiceOfOneCut(t *testing.T) {
	t.Parallel()
	preferred := []string{"expected-novel", "fitted-novel", "margin"}
	for _, c := range []struct {
		cuts []tracker.Cut
		want string
	}{
		{nil, ""},
		{[]tracker.Cut{{Name: "fitted-novel", Runs: 5}, {Name: "margin", Own: 5, Runs: 5}}, ""},
		{[]tracker.Cut{{Name: "fitted-novel", Runs: 2}, {Name: "margin", Own: 1, Runs: 2},
			{Name: "sphere", Own: 1, Runs: 1}}, "fitted-novel"},
		{[]tracker.Cut{{Name: "expected-novel", Runs: 1}, {Name: "fitted-novel", Runs: 2}, {Name: "margin", Own: 1, Runs: 1},
			{Name: "sphere", Own: 1, Runs: 1}}, "fitted-novel"},
		{[]tracker.Cut{{Name: "lookup", Runs: 9}, {Name: "margin", Own: 1, Runs: 1},
			{Name: "top-mean", Own: 8, Runs: 8}}, "top-mean"},
	} {
		if got, ok := tracker.OneCut(c.cuts, preferred); got != c.want || ok != (c.want != "") {
			t.Errorf("%v: %q, %t, want %q", c.cuts, got, ok, c.want)
		}
	}
}
