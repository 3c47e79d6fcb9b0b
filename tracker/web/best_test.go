package web_test

import (
	"encoding/csv"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// TestPagesTakeBestValues: a metric's best value can be chosen wherever the metric can: in the table, its CSV, the page
// by configuration, the page of params, and a comparison.
func TestPagesTakeBestValues(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	log := func(name, seed, rate string, values ...float64) string {
		var points []map[string]float64
		for i, x := range values {
			points = append(points, map[string]float64{"valid/mrr": x, "loss": 1 - x, "test/mrr": float64(i)})
		}
		return logRun(t, tr, tracker.RunSpec{Name: name, Params: map[string]string{"seed": seed, "rate": rate}}, points...)
	}
	a := log("a", "1", "slow", .25, .875, .5)
	b := log("b", "2", "slow", .25, .625, .375)
	log("c", "1", "fast", .125, .375, .75)
	log("d", "2", "fast", .125, .25, .6875)
	list := func(address string, column int) string {
		t.Helper()
		_, text, _ := get(t, h, address)
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		expect.NoError(t, err)
		var cells []string
		for _, row := range rows {
			cells = append(cells, row[column])
		}
		return strings.Join(cells, " ")
	}
	for address, want := range map[string]string{
		"/runs.csv?sort=metric/valid/mrr":             "name c d a b",
		"/runs.csv?sort=metric/valid/mrr@best":        "name a c d b",
		"/runs.csv?sort=metric/loss@best&order=asc":   "name a c d b",
		"/runs.csv?q=metrics.valid/mrr@best+%3E+0.7":  "name c a",
		"/groups.csv?sort=metric/valid/mrr":           "name d b",
		"/groups.csv?sort=metric/valid/mrr@best":      "name b d",
		"/groups.csv?sort=metric/loss@best&order=asc": "name b d",
	} {
		if got := list(address, 1); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	tree := document(t, h, "/?col=metric/valid/mrr@best&sort=name&order=asc")
	if cells := strings.Join(texts(tree, "td"), "|"); !strings.Contains(cells, "|0.875|") || !strings.Contains(cells, "|0.75|") {
		t.Errorf("the table has %s", cells)
	}
	if options := strings.Join(texts(tree, "option"), " "); !strings.Contains(options, "loss loss@best") ||
		strings.Contains(options, "test/mrr@best") {
		t.Errorf("to sort by: %s", options)
	}
	tree = document(t, h, "/params?metric=valid/mrr@best")
	if cells := strings.Join(texts(tree, "td"), "|"); !strings.Contains(cells, "0.875") {
		t.Errorf("the best runs are %s", cells)
	}
	pictures(t, h, tree)
	address := "/compare?run=" + a + "&run=" + b
	tree = document(t, h, address)
	if cells := strings.Join(texts(tree, "td"), "|"); strings.Contains(cells, "0.875") {
		t.Errorf("newest values: %s", cells)
	}
	links := sources(tree, "a", "href")
	at := slices.IndexFunc(links, func(link string) bool { return strings.Contains(link, "best=1") })
	if at < 0 {
		t.Fatalf("no best values among %q", links)
	}
	withBest, _, _ := strings.Cut(links[at], "#")
	tree = document(t, h, withBest)
	if cells := strings.Join(texts(tree, "td"), "|"); !strings.Contains(cells, "0.5|0.375|-0.125|0.875|0.625|-0.25") {
		t.Errorf("best values: %s", cells)
	}
	follow(t, h, tree)
	if n := pictures(t, h, document(t, h, withBest+
		"&axis=metric/valid/mrr@best&axis=param/seed&x=metric/valid/mrr@best&y=metric/loss@best")); n == 0 {
		t.Error("no pictures")
	}
	_, text, _ := get(t, h, "/compare.csv?best=1&run="+a+"&run="+b)
	if !strings.Contains(text, "metric/valid/mrr,metric/valid/mrr@best") || !strings.Contains(text, "0.5,0.875") {
		t.Errorf("CSV %s", text)
	}
	if code, text, _ := get(t, h, "/?sort=metric/test/mrr@best"); code != http.StatusBadRequest ||
		!strings.Contains(text, "nothing is chosen by test data") {
		t.Errorf("%d %s", code, text)
	}
}
