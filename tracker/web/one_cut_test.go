package web_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// TestPagesRankAtOneCut: where runs have a metric of sets at different cuts, every page and file that ranks or compares
// them has it at one cut, which it names, chosen from all runs of the search and not from those of a page. A run
// without that cut has no number. Runs of one cut keep their key.
func TestPagesRankAtOneCut(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{Cuts: []string{"fitted-novel", "margin"}})
	log := func(experiment, name, cut, seed string, metrics map[string]float64) string {
		metrics["test/mrr"] = .5
		return logRun(t, tr, tracker.RunSpec{Experiment: experiment, Name: name,
			Params: map[string]string{"seed": seed, "rate": name}, Tags: map[string]string{"criterion": cut}}, metrics)
	}
	// The order at each run's own cut is a, b, c; at fitted-novel it is c, b, and a has none.
	a := log("mixed", "a", "top-mean", "1", map[string]float64{"test/head_f1": .875})
	b := log("mixed", "b", "sphere", "1", map[string]float64{"test/head_f1": .75, "test/fitted-novel/head_f1": .25,
		"test/head_f1_lo": .7, "test/head_f1_hi": .8, "test/fitted-novel/head_f1_lo": .125,
		"test/fitted-novel/head_f1_hi": .3125})
	c := log("mixed", "c", "fitted-novel", "1", map[string]float64{"test/head_f1": .5, "test/margin/head_f1": .9375})
	d := log("same", "d", "margin", "1", map[string]float64{"test/head_f1": .25})
	e := log("same", "e", "margin", "1", map[string]float64{"test/head_f1": .375})
	const key, says = "test/head_f1@fitted-novel", "All are shown at one, whose name follows @: test/head_f1@fitted-novel."
	for address, want := range map[string]bool{"/?experiment=mixed": true, "/": false, // most of all runs have margin
		"/?experiment=same":                                   false,
		"/?experiment=mixed&rows=1":                           true, // the other cuts are on further pages
		"/?experiment=mixed&col=metric/test/mrr":              false,
		"/?experiment=mixed&col=metric/test/margin/head_f1":   false,
		"/?experiment=mixed&col=&sort=metric/test/head_f1":    true,
		"/groups?experiment=mixed":                            true,
		"/groups?experiment=same":                             false,
		"/params?experiment=mixed&metric=test/head_f1":        true,
		"/params?experiment=mixed&metric=test/margin/head_f1": false,
		"/params?experiment=mixed":                            false, // by test/mrr, which has no cut
		"/params?experiment=same&metric=test/head_f1":         false,
		"/compare?run=" + a + "&run=" + b + "&run=" + c:       true,
	} {
		tree := document(t, h, address)
		if text := strings.Join(texts(tree, "p"), "|"); strings.Contains(text, says) != want {
			t.Errorf("%s: %s", address, text)
		}
		pictures(t, h, tree)
	}
	for pair, want := range map[[2]string]bool{{b, c}: true, {d, e}: false} {
		curves := texts(document(t, h, "/compare?run="+pair[0]+"&run="+pair[1]+"&curve=test/head_f1"), "section")
		at := slices.IndexFunc(curves, func(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "Curves") })
		if at < 0 || strings.Contains(curves[at], "at each run's own cut, and the cuts differ") != want {
			t.Errorf("the curves are introduced by %q", curves)
		}
	}
	tree := document(t, h, "/?experiment=mixed&sort=metric/test/head_f1&col=metric/test/head_f1")
	if got := strings.Join(texts(tree, "a"), " "); !strings.Contains(got, key) {
		t.Errorf("the heads of the table are %s", got)
	}
	const list, byF1 = "/runs.csv?col=metric/test/head_f1", "&sort=metric/test/head_f1"
	for address, want := range map[string]string{
		list + byF1 + "&experiment=mixed":                             "name " + key + "; c 0.5; b 0.25; a ",
		list + byF1 + "@margin&experiment=mixed":                      "name " + key + "; c 0.5; b 0.25; a ",
		list + byF1 + "&experiment=same":                              "name test/head_f1; e 0.375; d 0.25",
		"/groups.csv?col=metric/test/head_f1&experiment=mixed" + byF1: "name " + key + "; c 0.5; b 0.25; a ",
		"/compare.csv?run=" + a + "&run=" + b + "&run=" + c:           "name " + key + "; a ; b 0.25; c 0.5",
	} {
		_, text, _ := get(t, h, address)
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		expect.NoError(t, err)
		var got []string
		for _, row := range rows {
			name := slices.Index(rows[0], "name")
			at := slices.IndexFunc(rows[0], func(head string) bool {
				return strings.HasPrefix(head, "metric/test/head_f1") && !strings.HasSuffix(head, "@margin") ||
					strings.HasPrefix(head, "mean/test/head_f1")
			})
			value := "nothing"
			if at >= 0 {
				_, value, _ = strings.Cut("/"+row[at], "/")
			}
			for _, kind := range []string{"metric/", "mean/"} {
				value = strings.TrimPrefix(value, kind)
			}
			got = append(got, row[name]+" "+value)
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%s has %s, want %s", address, text, want)
		}
	}
	tree = document(t, h, "/params?experiment=mixed&metric=test/head_f1")
	if cells := strings.Join(texts(tree, "td"), "|"); !strings.Contains(cells, "0.25 [0.125, 0.3125]") ||
		strings.Contains(cells, "0.75") || strings.Contains(cells, "0.875") {
		t.Errorf("the best runs are %s", cells)
	}
	tree = document(t, h, "/compare?run="+b+"&run="+c)
	if cells := strings.Join(texts(tree, "td"), "|"); !strings.Contains(cells, "0.25 [0.125, 0.3125]|0.5|+0.25") ||
		strings.Contains(cells, "0.75") {
		t.Errorf("the comparison has %s", cells)
	}
	_, picture, _ := get(t, h, "/parallel.svg?run="+a+"&run="+b+"&run="+c+"&axis=metric/test/head_f1&axis=metric/test/mrr")
	if !strings.Contains(picture, key) { // in place of test/head_f1
		t.Errorf("the axes of a picture do not name the cut")
	}
}
