package postgres_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// listRun logs a finished run.
func listRun(t *testing.T, tr *postgres.Store, spec tracker.RunSpec, metrics map[string]float64) string {
	t.Helper()
	run := must[*tracker.Run](t)(tr.StartRun(context.Background(), spec))
	noError(t, run.LogMetrics(3, metrics))
	noError(t, run.Finish(context.Background(), tracker.Finished))
	return run.ID()
}

// listed are the names of the runs of a listing.
func listed(t *testing.T, tr *postgres.Store, l tracker.Listing) string {
	t.Helper()
	part := must[tracker.Listed](t)(tr.List(context.Background(), l))
	var names []string
	for _, r := range part.Runs {
		names = append(names, r.Name)
	}
	return fmt.Sprint(strings.Join(names, " "), " of ", part.Total)
}

func TestListSearchesSortsAndCounts(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	id := listRun(t, tr, tracker.RunSpec{Experiment: "One", Name: "alpha",
		Params: map[string]string{"model": "rotate", "seed": "9", "width": "wide"}, Tags: map[string]string{"by": "Ada"}},
		map[string]float64{"loss": 2, "f1": 0.25})
	listRun(t, tr, tracker.RunSpec{Experiment: "One", Name: "be%ta",
		Params: map[string]string{"model": "sphere-2d", "seed": "10", "width": "8"}}, map[string]float64{"loss": math.NaN(), "f1": 0.75})
	listRun(t, tr, tracker.RunSpec{Experiment: "two", Name: "gam_ma"}, map[string]float64{"loss": 1})
	gone := listRun(t, tr, tracker.RunSpec{Name: "gone"}, nil)
	noError(t, tr.Delete(context.Background(), gone))
	var words []string
	for i := range 21 {
		words = append(words, fmt.Sprint("word", i))
	}
	_, err := tr.List(context.Background(), tracker.Listing{Search: strings.Join(words, " ")})
	wantCode(t, err, tracker.CodeInvalid, "at most 20 words, not 21")
	for _, c := range []struct {
		l    tracker.Listing
		want string
	}{
		{tracker.Listing{Search: strings.Repeat("alpha ", 2000)}, "alpha of 1"},
		{tracker.Listing{Search: `params.model LIKE '\'`}, " of 0"},
		{tracker.Listing{Search: `params.model LIKE 'rotat\e'`}, "alpha of 1"},
		{tracker.Listing{}, "gam_ma be%ta alpha of 3"},
		{tracker.Listing{Ascending: true}, "alpha be%ta gam_ma of 3"},
		{tracker.Listing{Limit: 1, Offset: 1}, "be%ta of 3"},
		{tracker.Listing{Offset: 9}, " of 3"},
		{tracker.Listing{Sort: "name"}, "gam_ma be%ta alpha of 3"},
		{tracker.Listing{Sort: "metric/loss"}, "alpha gam_ma be%ta of 3"},                  // no number is last
		{tracker.Listing{Sort: "metric/loss", Ascending: true}, "gam_ma alpha be%ta of 3"}, // also this way
		{tracker.Listing{Sort: "metric/f1"}, "be%ta alpha gam_ma of 3"},
		{tracker.Listing{Sort: "param/seed"}, "be%ta alpha gam_ma of 3"}, // 10 is more than 9
		{tracker.Listing{Sort: "param/width", Ascending: true}, "be%ta alpha gam_ma of 3"},
		{tracker.Listing{Sort: "tag/by"}, "alpha gam_ma be%ta of 3"},
		{tracker.Listing{Experiment: "One"}, "be%ta alpha of 2"},
		{tracker.Listing{Search: "one ROT"}, "alpha of 1"},
		{tracker.Listing{Search: "%"}, "be%ta of 1"}, // no pattern
		{tracker.Listing{Search: "_m"}, "gam_ma of 1"},
		{tracker.Listing{Search: id[:9]}, "alpha of 1"},
		{tracker.Listing{Search: "params.seed = '10'"}, "be%ta of 1"},
		{tracker.Listing{Search: "tags.by ILIKE 'ada' AND params.width = 'wide'"}, "alpha of 1"},
		{tracker.Listing{Search: "metrics.loss > 1"}, "alpha of 1"}, // NaN is not greater
		{tracker.Listing{Search: "metrics.f1 >= 0.25", Sort: "metric/f1", Ascending: true}, "alpha be%ta of 2"},
		{tracker.Listing{Search: "status = 'finished'", Experiment: "two", Sort: "param/seed"}, "gam_ma of 1"},
		{tracker.Listing{Search: "status = 'FINISHED'", Experiment: "two", Sort: "param/seed"}, "gam_ma of 1"},
		{tracker.Listing{Search: "tags.by IS NULL", Limit: 1}, "gam_ma of 2"},
		{tracker.Listing{Search: "params.seed = '1'"}, " of 0"},
		{tracker.Listing{Search: "params.model = ''' OR true --'"}, " of 0"},
		{tracker.Listing{Search: "; OR true --"}, " of 0"},
	} {
		if got := listed(t, tr, c.l); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.l, got, c.want)
		}
	}
	part := must[tracker.Listed](t)(tr.List(context.Background(), tracker.Listing{Search: "alpha",
		Columns: []string{"param/seed", "metric/f1", "tag/by", "param/none", "status"}}))
	got := part.Runs[0]
	if !maps.Equal(got.Params, map[string]string{"seed": "9"}) || !maps.Equal(got.Tags, map[string]string{"by": "Ada"}) ||
		!maps.Equal(got.Metrics, map[string]float64{"f1": 0.25}) || got.Steps["f1"] != 3 {
		t.Errorf("more or less than the columns: %+v", got)
	}
	for _, bad := range []tracker.Listing{{Sort: "r.name; --"}, {Sort: "metric/"}, {Columns: []string{"x/y"}},
		{Search: "a\x00"}, {Search: "seed=10"}, {Search: "metrics.loss"}, {Search: "params.a = 'b' OR true"},
		{Sort: "param/\xff"}} {
		if _, err := tr.List(context.Background(), bad); tracker.ErrorCode(err) != tracker.CodeInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	columns := must[[]string](t)(tr.Columns(context.Background()))
	columns = slices.DeleteFunc(columns, func(c string) bool { return strings.HasPrefix(c, "tag/mlflow.") })
	want(t, strings.Join(columns, " "), "param/model param/seed param/width metric/f1 metric/loss tag/by")
	want(t, strings.Join(must[[]string](t)(tr.Experiments(context.Background())), " "), "Default One two")
}

// TestListFolds: of runs that belong to one, the first in the order stands for all that a search finds, those of a
// sweep as well as those below a run of its own.
func TestListFolds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	sweep := must[string](t)(tr.OpenGroup(ctx, tracker.GroupSpec{Experiment: "test", Kind: "sweep", Name: "sweep.yaml"}))
	of := func(parent string) map[string]string { return map[string]string{tracker.TagParent: parent} }
	run := func(name, parent string, loss float64) string {
		return listRun(t, tr, tracker.RunSpec{Name: name, Tags: of(parent), Params: map[string]string{"model": name[:1]}},
			map[string]float64{"loss": loss})
	}
	a := run("a1", sweep, 3)
	run("a2", sweep, 1)
	run("b1", sweep, 2)
	single := run("single", "", 5)
	nested := run("nested", "", 4)
	run("nested-part", nested, 0)
	run("orphan", strings.Repeat("f", 32), 6)
	for _, c := range []struct {
		l    tracker.Listing
		want string
	}{
		{tracker.Listing{Fold: true}, "orphan nested-part single b1 of 4"},
		{tracker.Listing{Fold: true, Sort: "metric/loss", Ascending: true}, "nested-part a2 single orphan of 4"},
		{tracker.Listing{Fold: true, Sort: "metric/loss"}, "orphan single nested a1 of 4"},
		{tracker.Listing{Fold: true, Sort: "metric/loss", Offset: 1, Limit: 2}, "single nested of 4"},
		{tracker.Listing{Fold: true, Search: "params.model = 'a'"}, "a2 of 1"},
		{tracker.Listing{Fold: true, Search: "none"}, " of 0"},
		{tracker.Listing{Fold: true, Offset: 9, Limit: 2}, " of 4"},
		{tracker.Listing{Within: sweep, Sort: "metric/loss"}, "a1 b1 a2 of 3"},
		{tracker.Listing{Within: sweep, Search: "params.model = 'b'"}, "b1 of 1"},
		{tracker.Listing{Within: nested}, "nested-part nested of 2"},
		{tracker.Listing{Within: single}, "single of 1"},
		{tracker.Listing{Within: "none"}, " of 0"},
		{tracker.Listing{Within: "'"}, " of 0"},
	} {
		if got := listed(t, tr, c.l); got != c.want {
			t.Errorf("%+v: %s, want %s", c.l, got, c.want)
		}
	}
	got := must[tracker.Listed](t)(tr.List(ctx, tracker.Listing{Fold: true, Sort: "metric/loss", Columns: []string{"metric/loss"}}))
	want := map[string]tracker.Fold{a: {Parent: sweep, Runs: 3}, nested: {Parent: nested, Runs: 2}}
	if !maps.Equal(got.Folds, want) || got.All != 7 || got.Runs[3].Metrics["loss"] != 3 {
		t.Errorf("folds %v of %d runs, want %v; %v", got.Folds, got.All, want, got.Runs[3].Metrics)
	}
}

// A search finds upper and lower case in any script, also in a database of the locale C.
func TestListFindsEitherCase(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	spec := tracker.RunSpec{Name: "Прогон Ärger_1", Experiment: "ΟΔΟΣ", Params: map[string]string{"model": "сфера"},
		Tags: map[string]string{"by": "Ünal"}}
	listRun(t, tr, spec, nil)
	listRun(t, tr, tracker.RunSpec{Name: "another"}, nil)
	for search, want := range map[string]string{
		"прогон": spec.Name + " of 1", "ПРОГОН": spec.Name + " of 1", "äRGER_1": spec.Name + " of 1",
		"ärgerx1": " of 0", "οδος": spec.Name + " of 1", "СФЕРА": spec.Name + " of 1", "сфере": " of 0",
		"tags.by ILIKE 'ü%L'": spec.Name + " of 1", "tags.by ILIKE 'Ü_AL'": spec.Name + " of 1",
		"tags.by LIKE 'ü%'": " of 0", "tags.by ILIKE 'u%'": " of 0",
		"attributes.run_name ILIKE '%ПРОГ%'": spec.Name + " of 1",
	} {
		if got := listed(t, tr, tracker.Listing{Search: search}); got != want {
			t.Errorf("%q: %q, want %q", search, got, want)
		}
	}
}
