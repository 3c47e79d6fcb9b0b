package web_test

import (
	"context"
	"encoding/csv"
	"errors"
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

func TestComparePage(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	first := logRun(t, tr, tracker.RunSpec{Name: attack, Params: map[string]string{"same": "1", "seed": "1"},
		Tags: map[string]string{"criterion": "margin"}},
		map[string]float64{"loss": 2, "test/head_f1": 0.5, "test/head_f1_lo": 0.4, "test/top-1/head_f1": 0.25})
	second := logRun(t, tr, tracker.RunSpec{Name: "second", Params: map[string]string{"same": "1", "seed": attack},
		Tags: map[string]string{"criterion": "sphere"}}, map[string]float64{"loss": 1.5, "test/head_f1": 0.75,
		"test/margin/head_f1": 0.625})
	address := "/compare?" + url.Values{"run": {first, second}}.Encode()
	tree := document(t, h, address)
	if rows := strings.Join(texts(tree, "td"), "|"); rows != "margin|sphere|1|"+attack+"|2|1.5|-0.5|0.5|0.625|+0.125" {
		t.Errorf("differences %s", rows)
	}
	if n := pictures(t, h, tree); n != 3*2 { // loss, parallel coordinates and a scatter chart
		t.Errorf("%d pictures", n)
	}
	if rows := strings.Join(texts(document(t, h, address+"&all=1"), "td"), "|"); !strings.Contains(rows, "|0.4||") ||
		!strings.Contains(rows, "|1|1|") {
		t.Errorf("all %s", rows)
	}
	follow(t, h, tree)
	_, text, _ := get(t, h, "/compare.csv?run="+first+"&run="+second)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 3 || strings.Join(rows[0], " ") !=
		"run_id name status param/same param/seed metric/loss metric/test/head_f1@margin "+
			"metric/test/head_f1_lo@margin metric/test/margin/head_f1 metric/test/top-1/head_f1" {
		t.Errorf("%v %v", rows, err)
	}
	document(t, h, "/compare")
	document(t, h, "/compare?run="+first+"&run="+first)
	if code, _, _ := get(t, h, "/compare?"+strings.Repeat("run=x&", 51)); code != http.StatusBadRequest {
		t.Errorf("51 runs: %d", code)
	}
}

func TestCompareIntervalsOfDifferences(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{Reader: meaning{}})
	var ids []string
	for _, f1 := range []float64{0.5, 0.625} {
		ids = append(ids, logRun(t, tr, tracker.RunSpec{Name: "one"}, map[string]float64{"test/head_f1": f1,
			"test/head_f1_lo": f1 - 0.1, "test/head_f1_hi": f1 + 0.1, "test/mrr": f1}))
	}
	tree := document(t, h, "/compare?"+url.Values{"run": ids}.Encode())
	// Two independent values with +-.1 each: the difference has +-.1 times the root of 2.
	if rows := strings.Join(texts(tree, "td"), "|"); rows !=
		"0.5 [0.4, 0.6]|0.625 [0.525, 0.725]|+0.125 [-0.01642, +0.2664]|0.5|0.625|+0.125|"+attack+"|0.5" {
		t.Errorf("differences %s", rows)
	}
	lost := []string{}
	for _, loss := range []float64{math.NaN(), 1, math.Inf(1), math.Inf(1)} {
		lost = append(lost, logRun(t, tr, tracker.RunSpec{Name: "lost"}, map[string]float64{"loss": loss}))
	}
	for _, pair := range [][]string{lost[:2], lost[2:]} {
		cells := texts(document(t, h, "/compare?"+url.Values{"run": pair}.Encode()), "td")
		if slices.Contains(cells, "+NaN") {
			t.Errorf("a difference that there is not is shown: %q", cells)
		}
	}
	if heads := texts(tree, "h2"); !strings.Contains(strings.Join(heads, "|"), attack+" CSV") {
		t.Errorf("the Reader's table is not among %q", heads)
	}
	follow(t, h, tree)
	for address, want := range map[string]int{"/compare/1": 200, "/compare/2": 404, "/compare/0": 404, "/compare/x": 404} {
		code, text, _ := get(t, h, address+"?"+url.Values{"run": ids}.Encode())
		if code != want || code == 200 && !strings.Contains(text, "0.5") {
			t.Errorf("%s: %d %q", address, code, text)
		}
	}
	if text := strings.Join(texts(tree, "p"), " "); !strings.Contains(text, "takes the two runs as independent") {
		t.Error("the page does not say what its intervals are")
	}
}

// rivals is a Comparer that says what it is asked, and attacks.
type rivals struct{ cuts []string }

func (c rivals) PairedCuts(a, b tracker.RunInfo) []string { return c.cuts }
func (rivals) Pair(_ context.Context, a, b tracker.RunInfo, cut string) (shown, exact web.Table, err error) {
	if cut == "wrong" {
		return shown, exact, errors.New("there is no cut " + attack)
	}
	shown = web.Table{Title: attack, Columns: []web.Column{{Heading: "runs"}}, Rows: [][]string{{b.Name + "-" + a.Name + "@" + cut}},
		Notes: []string{attack}}
	exact = shown
	exact.Rows = [][]string{{"all digits"}}
	return shown, exact, nil
}

func TestComparePaired(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{Comparer: rivals{[]string{"margin", attack}}})
	var ids []string
	for _, name := range []string{"a", "b", "c"} {
		ids = append(ids, logRun(t, tr, tracker.RunSpec{Name: name}))
	}
	two := "run=" + ids[0] + "&run=" + ids[1]
	cells := func(query string) string {
		list := texts(document(t, h, "/compare?"+query), "td")
		return strings.Join(list, "|")
	}
	if got := cells(two); got != "" {
		t.Errorf("without being asked the page compares: %s", got)
	}
	if got := cells(two + "&paired=1&cut=margin"); got != "b-a@margin" {
		t.Errorf("the paired comparison is %s", got)
	}
	tree := document(t, h, "/compare?"+two+"&paired=1&logy=1&all=1")
	if names := sources(tree, "input", "name"); !slices.Contains(names, "logy") || !slices.Contains(names, "all") {
		t.Errorf("the form forgets the view: %q", names)
	}
	follow(t, h, tree)
	if text := texts(document(t, h, "/compare?"+two+"&paired=1&cut=wrong"), "p"); !slices.Contains(text, "there is no cut "+attack) {
		t.Errorf("an error shows %q", text)
	}
	if code, text, _ := get(t, h, "/paired.csv?cut=margin&"+two); code != http.StatusOK || text !=
		"run_id,cut,against_run_id,against_cut,runs\n"+ids[1]+",margin,"+ids[0]+",margin,all digits\n" {
		t.Errorf("CSV: %d %q", code, text)
	}
	for query, o := range map[string]web.Options{two: {}, two + "&run=" + ids[2]: {Comparer: rivals{[]string{"margin"}}},
		two + "&": {Comparer: rivals{}}, "run=" + ids[0]: {Comparer: rivals{[]string{"margin"}}}} {
		h := web.New(tr, o)
		if code, _, _ := get(t, h, "/paired.csv?"+query); code != http.StatusBadRequest {
			t.Errorf("%s: %d", query, code)
		}
		if _, text, _ := get(t, h, "/compare?"+query); strings.Contains(text, "paired") {
			t.Errorf("%s offers a paired comparison", query)
		}
	}
}

// TestCompareManyRuns: of more runs than a chart of curves shows, the first have curves and are drawn strong.
// TestCompareLeavesDeletedRunsOut: an address outlives some of its runs. The page says which are gone.
func TestCompareLeavesDeletedRunsOut(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	var ids []string
	for i := range 3 {
		ids = append(ids, logRun(t, tr, tracker.RunSpec{Name: fmt.Sprint("run-", i), Params: map[string]string{"gamma": fmt.Sprint(i)}},
			map[string]float64{"loss": float64(i)}))
	}
	expect.NoError(t, tr.Delete(context.Background(), ids[1]))
	query := url.Values{"run": ids, "curve": {"loss"}}.Encode()
	tree := document(t, h, "/compare?"+query)
	if text := strings.Join(texts(tree, "p"), "|"); !strings.Contains(text, "Left out: ") || !strings.Contains(text, ids[1]) ||
		!strings.Contains(text, "2 runs.") {
		t.Errorf("the page says %s", text)
	}
	pictures(t, h, tree)
	follow(t, h, tree)
	tree = document(t, h, "/compare?"+url.Values{"run": ids[:2]}.Encode())
	if text := strings.Join(texts(tree, "p"), "|"); !strings.Contains(text, "Left out: ") ||
		!strings.Contains(text, "Select two or more runs") {
		t.Errorf("of one run that is left the page says %s", text)
	}
	for _, gone := range []string{"/compare?run=" + ids[1], "/compare?run=" + ids[1] + "&run=none", "/compare.csv?run=" + ids[1]} {
		if code, text, _ := get(t, h, gone); code != http.StatusNotFound || !strings.Contains(text, "no run") && !strings.Contains(text, "is deleted") {
			t.Errorf("%s: %d %s", gone, code, text)
		}
	}
}

func TestCompareManyRuns(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	var ids []string
	for i := range 22 {
		ids = append(ids, logRun(t, tr, tracker.RunSpec{Name: fmt.Sprint("run-", i), Params: map[string]string{"gamma": fmt.Sprint(i)}},
			map[string]float64{"loss": float64(i)}))
	}
	tree := document(t, h, "/compare?"+url.Values{"run": ids}.Encode())
	if n := pictures(t, h, tree); n != 3*2 { // loss, parallel coordinates and a scatter chart
		t.Errorf("%d pictures", n)
	}
	if text := texts(tree, "p"); !slices.Contains(text, "Curves are those of the first 20 runs.") {
		t.Errorf("the page says %q", text)
	}
	for _, src := range sources(tree, "img", "src") {
		at, err := url.Parse(src)
		expect.NoError(t, err)
		if q := at.Query(); q.Has("axis") && (len(q["run"]) != 22 || !slices.Equal(q["mark"], ids[:5])) ||
			q.Has("key") && len(q["run"]) != 20 {
			t.Errorf("a picture of %d runs, marked %q", len(q["run"]), q["mark"])
		}
	}
	for _, src := range sources(document(t, h, "/compare?"+url.Values{"run": ids, "mark": {""}}.Encode()), "img", "src") {
		if at, err := url.Parse(src); err != nil || strings.Join(at.Query()["mark"], "") != "" {
			t.Errorf("where nothing is highlighted, %s is", src)
		}
	}
	list := document(t, h, "/?sort=metric/loss")
	first := sources(list, "a", "href")
	if at := slices.IndexFunc(first, func(a string) bool { return strings.HasPrefix(a, "/compare?run="+ids[21]) }); at < 0 ||
		strings.Count(first[at], "run=") != 22 {
		t.Errorf("the table does not lead to the comparison of its first runs: %q", first)
	}
}

func TestCompareBandsOverSeeds(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	var ids []string
	for i, p := range []map[string]string{{"gamma": "6", "seed": "1"}, {"gamma": "6", "seed": "2"}, {"gamma": "9", "seed": "1"}} {
		ids = append(ids, logRun(t, tr, tracker.RunSpec{Name: attack, Params: p}, map[string]float64{"loss": float64(i)},
			map[string]float64{"loss": float64(i + 1)}))
	}
	address := "/compare?" + url.Values{"run": ids}.Encode()
	bands := func(address string) int {
		_, svg, _ := get(t, h, address)
		return strings.Count(svg, "2 seeds")
	}
	tree := document(t, h, address)
	if images := sources(tree, "img", "src"); bands(images[0]) != 0 {
		t.Error("runs were joined that nobody asked to join")
	}
	if names := sources(tree, "input", "name"); !slices.Contains(names, "bands") {
		t.Errorf("no choice of bands: %q", names)
	}
	images := sources(document(t, h, address+"&bands=1&smooth=0.5&mark="+ids[0]), "img", "src")
	if bands(images[0]) == 0 {
		t.Error("two seeds of one configuration were not joined")
	}
	pictures(t, h, document(t, h, address+"&bands=1"))
	if names := sources(document(t, h, "/compare?run="+ids[0]+"&run="+ids[2]), "input", "name"); slices.Contains(names, "bands") {
		t.Error("bands are offered where no two runs have one configuration")
	}
}

func TestParallelAxes(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	var ids []string
	for i := range 3 {
		ids = append(ids, logRun(t, tr, tracker.RunSpec{Name: fmt.Sprint("run-", i), Params: map[string]string{
			"gamma": fmt.Sprint(3 * i), "model": attack + fmt.Sprint(i%2), "same": "1", "config_hash": fmt.Sprint(i)}},
			map[string]float64{"loss": float64(i), "other": 1}))
	}
	runs := url.Values{"run": ids}.Encode()
	tree := document(t, h, "/compare?"+runs)
	if got := strings.Join(chosen(tree, "axis"), " "); got != "param/gamma param/model metric/loss" {
		t.Errorf("usual axes %s", got)
	}
	var others []string
	for i := range 2 { // of another program, which has none of the usual metrics
		others = append(others, logRun(t, tr, tracker.RunSpec{Name: fmt.Sprint("other-", i), Params: map[string]string{"noise": fmt.Sprint(i)}},
			map[string]float64{"acc": float64(i), "system/cpu": 1}))
	}
	if got := strings.Join(chosen(document(t, h, "/compare?"+url.Values{"run": others}.Encode()), "axis"), " "); got != "param/noise metric/acc" {
		t.Errorf("axes of another program's runs %s", got)
	}
	for i := range 3 { // most params of the first two say nothing; only the last one distinguishes all three
		spec := tracker.RunSpec{Name: fmt.Sprint("few-", i), Params: map[string]string{"width": fmt.Sprint(i)}}
		for _, key := range []string{"a", "b", "c", "d", "e"} {
			if i < 2 {
				spec.Params[key] = "1"
			}
		}
		others = append(others, logRun(t, tr, spec, map[string]float64{"loss": float64(i)}))
	}
	tree = document(t, h, "/compare?"+url.Values{"run": others[2:]}.Encode())
	if got := strings.Join(chosen(tree, "axis"), " "); got != "param/width metric/loss" {
		t.Errorf("axes of runs that lack params %s", got)
	}
	if got := sources(tree, "img", "src"); !slices.ContainsFunc(got, func(address string) bool {
		return strings.HasPrefix(address, "/scatter.svg?") && strings.HasSuffix(address, "x=param%2Fwidth&y=metric%2Floss")
	}) {
		t.Errorf("the scatter chart of runs that lack params: %s", got)
	}
	tree = document(t, h, "/compare?"+runs+"&axis=metric/other&axis=param/config_hash&mark="+ids[1]+"&curve=loss")
	if got := strings.Join(chosen(tree, "axis"), " "); got != "param/config_hash metric/other" {
		t.Errorf("chosen axes %s", got)
	}
	if got := chosen(tree, "mark"); !slices.Equal(got, ids[1:2]) {
		t.Errorf("highlighted %q", got)
	}
	if got := sources(tree, "input", "value"); !slices.Contains(got, "metric/other") {
		t.Error("forms forget the axes")
	}
	_, svg, _ := get(t, h, "/parallel.svg?"+runs+"&axis=param/gamma&axis=param/model&axis=metric/loss")
	if !strings.Contains(svg, "gamma 6, model ") || strings.Contains(svg, "<script") || strings.Contains(svg, "style=") {
		t.Errorf("the picture: %s", svg)
	}
	for _, bad := range []string{"axis=param/gamma", "axis=x&axis=metric/loss", "axis=tag/a&axis=metric/loss",
		strings.Repeat("axis=metric/loss&", 13)} {
		if code, _, _ := get(t, h, "/parallel.svg?"+runs+"&"+bad); code != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, code)
		}
	}
	document(t, h, "/compare?"+runs+"&axis=metric/loss") // one axis: the page says that it needs two
}
