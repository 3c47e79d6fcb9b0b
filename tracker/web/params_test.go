package web_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// Of forty runs the metric follows gamma, a little the rate, and not the seed or the note.
func TestParamsThatMatter(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	h := web.New(tr, web.Options{SweepTag: "sweep"})
	if _, text, _ := get(t, h, "/params"); !strings.Contains(text, "no runs") {
		t.Errorf("without runs the page says %s", text)
	}
	score := map[string]float64{}
	for i := range 40 {
		gamma, rate, seed := i%4, float64(i/4)/10, i%5
		params := map[string]string{"gamma": fmt.Sprint(gamma), "twin": attack + "g" + fmt.Sprint(gamma),
			"rate": fmt.Sprint(rate), "seed": fmt.Sprint(seed), "alone": fmt.Sprint(attack, i), "same": "1", "name": fmt.Sprint(i)}
		x := float64(gamma) + 0.3*rate
		id := logRun(t, tr, tracker.RunSpec{Name: attack, Params: params, Tags: map[string]string{"sweep": "grid.yaml"}},
			map[string]float64{"test/mrr": x, "test/mrr_lo": x - 1, "test/mrr_hi": x + 1, "loss": -x})
		score[id] = x
	}
	logRun(t, tr, tracker.RunSpec{Name: "nan"}, map[string]float64{"test/mrr": math.NaN()})
	tree := document(t, h, "/params")
	if links := sources(tree, "a", "href"); !slices.Contains(links, "/params?q=tags.%60sweep%60+%3D+%27grid.yaml%27") {
		t.Errorf("no sweep among %q", links)
	}
	follow(t, h, tree)
	if n := pictures(t, h, tree); n != 4 {
		t.Errorf("%d pictures", n)
	}
	cells := texts(tree, "td")
	if !slices.Contains(cells, "3.27 [2.27, 4.27]") {
		t.Errorf("the best run is not among %q", cells)
	}
	rows := map[string][]string{}
	_, text, _ := get(t, h, "/params.csv")
	list, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	noError(t, err)
	for _, row := range list[1:] {
		rows[row[0]] = row
	}
	// By hand: gamma's means are 0 to 3, each plus .3 of the mean rate of its ten runs, .45: between them lies
	// 10*(1.5^2+.5^2+.5^2+1.5^2) = 50, and within .09 * the squares of the rates around their mean, 4 * .825.
	within, total := 0.09*4*0.825, 50+0.09*4*0.825
	want := 1 - within/total*39/36
	both := rows["gamma, twin"]
	if both == nil {
		t.Fatalf("params that change together: %s", text)
	}
	if x, _ := strconv.ParseFloat(both[1], 64); math.Abs(x-want) > 1e-9 || both[3] != "3" || both[5] != "10" {
		t.Errorf("gamma has %q, want a share of %v", both, want)
	}
	if x, _ := strconv.ParseFloat(both[2], 64); x < 0.9 {
		t.Errorf("gamma has the correlation %v", x)
	}
	if rows["rate"] == nil || rows["rate"][1] != "0" || !strings.Contains(rows["rate"][3], " to ") {
		t.Errorf("rate has %q", rows["rate"])
	}
	for _, key := range []string{"alone", "same", "name"} {
		if rows[key] != nil {
			t.Errorf("%s explains something: %q", key, rows[key])
		}
	}
	if len(rows["seed"]) == 0 || rows["seed"][1] != "0" {
		t.Errorf("the seed has %q", rows["seed"])
	}
	tree = document(t, h, "/params?metric=loss&q=gamma")
	if cells := texts(tree, "p"); !slices.ContainsFunc(cells, func(p string) bool { return strings.HasPrefix(p, "No run fits") }) {
		t.Errorf("an empty search says %q", cells)
	}
	tree = document(t, h, "/params?metric=loss") // the lowest is the best
	if cells := texts(tree, "td"); !slices.Contains(cells, "-3.27") {
		t.Errorf("the best run by loss is not among %q", cells)
	}
	for address, code := range map[string]int{"/params?q=seed%3D1": http.StatusBadRequest,
		"/parallel.svg?q=none&axis=param/gamma&axis=param/seed": http.StatusBadRequest, "/params?metric=none": http.StatusOK} {
		if got, text, _ := get(t, h, address); got != code {
			t.Errorf("%s: %d\n%s", address, got, text)
		}
	}
}

// A run has one look on every page, whatever runs are beside it.
func TestColoursStay(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	h := web.New(tr, web.Options{})
	var ids []string
	for i := range 30 {
		ids = append(ids, logRun(t, tr, tracker.RunSpec{Name: fmt.Sprint("run-", i), Params: map[string]string{
			"gamma": fmt.Sprint(i)}}, map[string]float64{"loss": 1}, map[string]float64{"loss": float64(i)}))
	}
	colour := func(address, class, name string) string {
		_, svg, _ := get(t, h, address)
		_, rest, found := strings.Cut(svg, `<g class="`+class+`">`+"\n<title>"+name)
		_, rest, _ = strings.Cut(rest, `stroke="`)
		if !found || len(rest) < 7 {
			t.Fatalf("%s has no line of %s", address, name)
		}
		return rest[:7]
	}
	swatches := func(list []string) map[string]string {
		code, text, _ := get(t, h, "/compare?"+url.Values{"run": list}.Encode())
		if code != http.StatusOK {
			t.Fatal(text)
		}
		found := map[string]string{}
		for _, part := range strings.Split(text, `<th scope="col"><svg class="swatch"`)[1:] {
			_, part, _ = strings.Cut(part, `stroke="`)
			found[strings.Split(strings.SplitN(part, "/runs/", 2)[1], `"`)[0]] = part[:7]
		}
		return found
	}
	few := ids[:7]
	of := swatches(few)
	seen := map[string]bool{}
	for _, c := range of {
		seen[c] = true
	}
	if len(of) != 7 || len(seen) != 7 {
		t.Errorf("seven runs have the colours %v", of)
	}
	turned := slices.Clone(few)
	slices.Reverse(turned)
	for id, c := range swatches(turned) {
		if c != of[id] {
			t.Errorf("in another order run %s has the colour %s instead of %s", id, c, of[id])
		}
	}
	tree := document(t, h, "/compare?"+url.Values{"run": few}.Encode())
	for _, src := range sources(tree, "img", "src") {
		if strings.HasPrefix(src, "/parallel") {
			if c := colour(src, "line", "run-3 "); c != of[ids[3]] {
				t.Errorf("parallel coordinates draw %s, the table %s", c, of[ids[3]])
			}
		}
	}
	swatches(ids) // more runs than looks
	for _, bad := range []string{"place=0", "place=29", "place=x", "place=1&place=2"} {
		if code, _, _ := get(t, h, "/curve.svg?key=loss&run="+ids[0]+"&"+bad); code != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, code)
		}
	}
}
