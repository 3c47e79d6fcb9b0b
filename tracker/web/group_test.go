package web_test

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

func TestGroupsPage(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	log := func(name, seed, gamma string, loss float64) {
		logRun(t, tr, tracker.RunSpec{Experiment: "e", Name: name, Params: map[string]string{"seed": seed, "gamma": gamma,
			"same": "1", "threads": seed}}, map[string]float64{"loss": loss})
	}
	log("a", "1", "6", 1)
	log("b", "2", "6", 3)
	log("c", "3", "6", math.NaN())
	log(attack, "1", attack, 5)
	tree := document(t, h, "/groups")
	if heads := strings.Join(texts(tree, "th"), "|"); heads != "newest run|runs|seeds|gamma|loss|"+attack+"|c" {
		t.Errorf("heads %s", heads)
	}
	if cells := strings.Join(texts(tree, "td"), "|"); cells != "1|1|"+attack+"|5|3|1, 2, 3|6|2.0 ± 1.4 (2 of 3)" {
		t.Errorf("cells %s", cells)
	}
	follow(t, h, tree)
	if cells := strings.Join(texts(document(t, h, "/groups?q=params.gamma+%3D+%276%27"), "td"), "|"); cells != "3|1, 2, 3|2.0 ± 1.4 (2 of 3)" {
		t.Errorf("of a search: %s", cells)
	}
	document(t, h, "/groups?q=none")
	for i := range 21 {
		log("many", strconv.Itoa(i), "8", 1)
	}
	links := sources(document(t, h, "/groups?q=many"), "a", "href")
	if at := slices.IndexFunc(links, func(a string) bool { return strings.HasPrefix(a, "/compare") }); at < 0 ||
		strings.Count(links[at], "run=") != 20 {
		t.Errorf("a configuration of 21 runs leads to %q", links)
	}
	for sort, want := range map[string]string{"sort=runs": "8|6|" + attack, "sort=runs&order=asc": attack + "|6|8",
		"sort=param/gamma&order=asc": "6|8|" + attack, "sort=metric/loss": attack + "|6|8", "sort=metric/loss&order=asc": "8|6|" + attack} {
		var gammas []string
		for i, cell := range texts(document(t, h, "/groups?"+sort), "td") {
			if i%4 == 2 {
				gammas = append(gammas, cell)
			}
		}
		if got := strings.Join(gammas, "|"); got != want {
			t.Errorf("%s gives gamma %s, want %s", sort, got, want)
		}
	}
	sorted := document(t, h, "/groups?sort=metric/loss&q=params.gamma+LIKE+'%25'")
	if names := sources(sorted, "input", "value"); !slices.Contains(names, "metric/loss") {
		t.Errorf("the forms forget the order: %q", names)
	}
	follow(t, h, sorted)
	chosen := document(t, h, "/groups?col=metric/none")
	for _, link := range sources(chosen, "a", "href") {
		if strings.HasPrefix(link, "/groups.csv") {
			if _, text, _ := get(t, h, link); !strings.HasPrefix(text, "run_ids,name,runs,seeds,param/gamma,mean/none,deviation/none,n/none\n") {
				t.Errorf("the CSV of chosen columns is %s", text)
			}
		}
	}
}

// TestGroupsCountASeedOnce: runs that have not finished and older runs of a seed are left out, and runs of two
// experiments stay apart. The file has exact numbers.
func TestGroupsCountASeedOnce(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	log := func(experiment, seed string, loss float64) {
		logRun(t, tr, tracker.RunSpec{Experiment: experiment, Name: " ", Params: map[string]string{"seed": seed, "gamma": "6"}},
			map[string]float64{"loss": loss})
	}
	log("one", "10", 3)
	log("one", "9", 1)
	log("one", "9", 1)
	log("two", "9", 7)
	failed, err := tr.StartRun(context.Background(), tracker.RunSpec{Experiment: "one", Params: map[string]string{"seed": "8", "gamma": "6"}})
	expect.NoError(t, err)
	expect.NoError(t, failed.LogMetrics(1, map[string]float64{"loss": 100}))
	expect.NoError(t, failed.Finish(context.Background(), tracker.Failed))
	tree := document(t, h, "/groups")
	if cells := strings.Join(texts(tree, "td"), "|"); cells != "1|9|7|2|9, 10|2.0 ± 1.4" {
		t.Errorf("cells %s", cells)
	}
	if text := texts(tree, "p"); !slices.Contains(text, "Left out: unfinished runs, 1; older runs of a seed, 1.") {
		t.Errorf("the page says %q", text)
	}
	if _, text, _ := get(t, h, "/groups.csv?experiment=one"); !strings.HasSuffix(text, ", ,2,9 10,2,1.4142135623730951,2\n") &&
		!strings.HasSuffix(text, `," ",2,9 10,2,1.4142135623730951,2`+"\n") {
		t.Errorf("the file has %s", text)
	}
	for _, link := range texts(tree, "th") {
		if link == "" {
			t.Error("a run without a name has a link that cannot be seen")
		}
	}
	empty := web.New(trackertest.Store(t), web.Options{First: func(string) string { return "begin" }})
	if text := strings.Join(texts(document(t, empty, "/groups"), "p"), " "); !strings.Contains(text, "Type begin in a terminal") {
		t.Errorf("without runs the page says %q", text)
	}
}

// TestGroupsShowTheirResults: of many params that differ those are shown that distinguish configurations, so that the
// results are in sight. The address of the rest and the file have all.
func TestGroupsShowTheirResults(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	for i := range 4 {
		params := map[string]string{"seed": "1", "rate": strconv.Itoa(i)}
		for k := range 30 { // the oldest run lacks them
			if i > 0 {
				params["a"+strconv.Itoa(k)] = "same"
			}
		}
		logRun(t, tr, tracker.RunSpec{Experiment: "e", Name: "job", Params: params}, map[string]float64{"loss": float64(i)})
	}
	tree := document(t, h, "/groups")
	heads := strings.Join(texts(tree, "th"), "|")
	if !strings.HasPrefix(heads, "newest run|runs|seeds|rate|loss|") {
		t.Errorf("heads %s", heads)
	}
	if text := strings.Join(texts(tree, "p"), "|"); !strings.Contains(text, "30 more params differ") {
		t.Errorf("the page says %s", text)
	}
	follow(t, h, tree)
	if heads := texts(document(t, h, "/groups?params=all"), "th"); len(heads) < 36 {
		t.Errorf("all params are %q", heads)
	}
	if _, page, _ := get(t, h, "/groups?params=all"); !strings.Contains(page, `href="/groups?params=all&amp;sort=metric%2Floss"`) {
		t.Errorf("sorting hides params that are shown: %s", page)
	}
	if heads := strings.Join(texts(document(t, h, "/groups?sort=param/a29"), "th"), "|"); !strings.Contains(heads, "|a29|loss|") {
		t.Errorf("sorted by a hidden one: %s", heads)
	}
	if _, text, _ := get(t, h, "/groups.csv"); !strings.Contains(text, "param/a29,param/a3,") {
		t.Errorf("the file has %.400s", text)
	}
}
