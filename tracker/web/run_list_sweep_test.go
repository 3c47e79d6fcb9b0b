package web_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// TestRunsOfASweepAreFolded: one row, of the first run in the order, stands for all; its link shows the others below
// it. The form, the headings and the file keep or leave the view as they should.
func TestRunsOfASweepAreFolded(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	logRun(t, tr, tracker.RunSpec{Experiment: "e", Name: "first"}, map[string]float64{"loss": 9})
	if names := sources(document(t, h, "/"), "input", "name"); slices.Contains(names, "fold") {
		t.Error("there is nothing to fold, but the page offers it")
	}
	sweep, err := tr.OpenGroup(context.Background(), tracker.GroupSpec{Experiment: "e", Kind: "sweep", Name: attack})
	expect.NoError(t, err)
	for i := range 3 {
		logRun(t, tr, tracker.RunSpec{Experiment: "e", Name: fmt.Sprint("part-", i), Tags: map[string]string{tracker.TagParent: sweep}},
			map[string]float64{"loss": float64(i)})
	}
	logRun(t, tr, tracker.RunSpec{Experiment: "e", Name: "orphan", Tags: map[string]string{tracker.TagParent: strings.Repeat("a", 32)}},
		map[string]float64{"loss": 7})
	logRun(t, tr, tracker.RunSpec{Experiment: "e", Name: "orphan-2", Tags: map[string]string{tracker.TagParent: strings.Repeat("a", 32)}},
		map[string]float64{"loss": 8})
	rows := func(address string) string {
		tree := document(t, h, address)
		var list []string
		for _, cell := range texts(tree, "th") {
			if strings.Contains(cell, "part-") || strings.Contains(cell, "first") || strings.Contains(cell, "orphan") {
				list = append(list, strings.Join(strings.Fields(cell), " "))
			}
		}
		follow(t, h, tree)
		return strings.Join(list, "|")
	}
	const view = "/?fold=1&sort=metric/loss&order=asc&experiment=e"
	if got := rows(view); got != "part-0 unfold the 3 runs of "+attack+"|orphan unfold the 2 runs of run aaaaaaaa|first" {
		t.Errorf("folded: %s", got)
	}
	open := view + "&open=" + sweep
	if got := rows(open); got != "part-0 fold the 3 runs of "+attack+"|part-1|part-2|orphan unfold the 2 runs of run aaaaaaaa|first" {
		t.Errorf("one is open: %s", got)
	}
	if got := rows(open + "&q=part-2"); got != "part-2" {
		t.Errorf("a search for one run: %s", got)
	}
	if got := rows(view + "&rows=1&page=3"); got != "first" {
		t.Errorf("the last page: %s", got)
	}
	if got := rows("/?open=" + sweep + "&sort=metric/loss"); got != "first|orphan-2|orphan|part-2|part-1|part-0" {
		t.Errorf("without folding: %s", got)
	}
	tree := document(t, h, open)
	if text := strings.Join(texts(tree, "p"), " "); !strings.Contains(text, "of 3 rows; they stand for 6 runs") {
		t.Errorf("the page says %s", text)
	}
	var links []string
	for _, link := range sources(tree, "a", "href") {
		address, err := url.Parse(link)
		expect.NoError(t, err)
		switch q := address.Query(); {
		case strings.HasPrefix(link, "/runs.csv"):
			if _, text, _ := get(t, h, link); strings.Count(text, "\n") != 7 || q.Has("fold") {
				t.Errorf("%s has\n%s", link, text)
			}
		case q.Get("sort") == "name" && q.Get("fold") == "1" && q.Get("open") == sweep:
			links = append(links, "heading")
		case q.Get("fold") == "1" && !q.Has("open") && q.Get("sort") == "metric/loss":
			links = append(links, "closes")
		}
	}
	if !slices.Contains(links, "heading") || !slices.Contains(links, "closes") {
		t.Errorf("the links are %q", links)
	}
	// The box that sweeps are folded by is sent by its own form alone, so that it can be taken away.
	if names := sources(tree, "input", "name"); len(slices.DeleteFunc(names, func(n string) bool { return n != "fold" })) != 2 {
		t.Error("the form of the columns forgets that sweeps are folded, or that of the search has it twice")
	}
}
