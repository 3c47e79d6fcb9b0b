package web_test

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// TestScatter: a dot for each run with both values, the mean and deviation at a value, and counts of what is missing.
func TestScatter(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	var ids []string
	log := func(gamma, model string, mrr float64) {
		ids = append(ids, logRun(t, tr, tracker.RunSpec{Experiment: "e", Name: fmt.Sprint("run-", len(ids)), Params: map[string]string{
			"gamma": gamma, "model": model, "many": fmt.Sprint("text", len(ids))}}, map[string]float64{"test/mrr": mrr, "loss": -mrr}))
	}
	log("10", attack, 0.2)
	log("9", "rotate", 0.4)
	log("9", "rotate", 0.8)
	log("9", "rotate", math.NaN())
	for range 10 {
		log("10", attack, 0.2)
	}
	logRun(t, tr, tracker.RunSpec{Experiment: "e", Name: "without"}, map[string]float64{"loss": 1})
	svg := func(query string) string {
		t.Helper()
		code, text, _ := get(t, h, "/scatter.svg?"+query)
		if code != http.StatusOK || strings.Contains(text, "style=") || strings.Contains(text, "<script") || strings.Contains(text, "<img") {
			t.Fatalf("%s: %d %.300s", query, code, text)
		}
		return text
	}
	both := url.Values{"run": ids[:4]}.Encode()
	for query, wants := range map[string][]string{
		both + "&x=param/gamma&y=metric/test/mrr&mark=" + ids[2]: {": gamma 9, test/mrr 0.4<", ": gamma 10, test/mrr 0.2<",
			"mean of 2 runs: gamma 9, test/mrr 0.6 (0.3172 to 0.8828)", "1 of 4 runs",
			`class="marked"`, "standard deviation of the sample"},
		both + "&x=param/gamma&y=metric/test/mrr&xlog=1&ylog=1":                                  {"gamma 9, test/mrr 0.4", `data-xlog="true"`, `data-ylog="true"`},
		both + "&x=param/model&y=metric/test/mrr":                                                {"model rotate, test/mrr 0.8", "&lt;script&gt;"},
		both + "&x=metric/loss&y=metric/test/mrr":                                                {"loss -0.8, test/mrr 0.8"},
		"experiment=e&x=param/gamma&y=metric/test/mrr":                                           {"mean of 11 runs: gamma 10, test/mrr 0.2", "2 of 15"},
		"q=metrics.loss+%3D+-0.8&x=param/gamma&y=metric/test/mrr":                                {"run-2 "},
		"q=none&x=param/gamma&y=metric/test/mrr":                                                 {"no data"},
		both + "&x=param/none&y=metric/test/mrr":                                                 {"no data"},
		both + "&x=param/gamma&y=metric/none":                                                    {"no data"},
		both + "&x=" + url.QueryEscape("param/"+attack) + "&y=metric/" + url.QueryEscape(attack): {"no data"},
	} {
		text := svg(query)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q: %s", query, want, text)
			}
		}
	}
	if n := strings.Count(svg(both+"&x=param/gamma&y=metric/test/mrr"), `class="point"`); n != 3+1 { // runs, then means
		t.Errorf("%d dots", n)
	}
	for bad, why := range map[string]string{"x=param/gamma&y=param/model": "metric/KEY", both + "&x=&y=metric/loss": "an axis is",
		"x=tag/a&y=metric/loss&" + both: "an axis is", "x=tag/a&y=metric/loss": "an axis is",
		"x=param/many&y=metric/test/mrr":                         "13 texts",
		both + "&x=param/model&y=metric/test/mrr&xlog=1":         "turn off the logarithmic",
		strings.Repeat("run=a&", 51) + "x=param/a&y=metric/loss": "50"} {
		if code, text, _ := get(t, h, "/scatter.svg?"+bad); code != http.StatusBadRequest || !strings.Contains(text, why) {
			t.Errorf("%s: %d %s", bad, code, text)
		}
	}
	for _, page := range []string{"/compare?" + both, "/params?experiment=e"} {
		tree := document(t, h, page+"&x=metric/loss&xlog=1")
		at := slices.IndexFunc(sources(tree, "img", "src"), func(a string) bool { return strings.HasPrefix(a, "/scatter.svg") })
		if at < 0 {
			t.Fatalf("%s has no scatter chart", page)
		}
		address, err := url.Parse(sources(tree, "img", "src")[at])
		expect.NoError(t, err)
		if q := address.Query(); q.Get("x") != "metric/loss" || q.Get("y") != "metric/test/mrr" || q.Get("xlog") != "1" {
			t.Errorf("%s draws %s", page, address)
		}
		pictures(t, h, tree)
		usual := document(t, h, page)
		if link := sources(usual, "img", "src"); !slices.ContainsFunc(link, func(a string) bool {
			return strings.HasPrefix(a, "/scatter.svg") && strings.Contains(a, "x=param%2Fgamma")
		}) {
			t.Errorf("%s draws %q", page, link)
		}
	}
}
