package web_test

import (
	"database/sql"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// Of forty runs the metric follows gamma, a little the rate, and not the seed or the note.
func TestParamsThatMatter(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{SweepTag: "sweep"})
	if _, text, _ := get(t, h, "/params"); !strings.Contains(text, "no runs") {
		t.Errorf("without runs the page says %s", text)
	}
	score := map[string]float64{}
	for i := range 40 {
		gamma, rate, seed := i%4, float64(i/4)/10, i%5
		params := map[string]string{"gamma": fmt.Sprint(gamma), "twin": attack + "g" + fmt.Sprint(gamma),
			"rate": fmt.Sprint(rate), "seed": fmt.Sprint(seed), "alone": fmt.Sprint(attack, i), "same": "1", "name": fmt.Sprint(i),
			"threads": fmt.Sprint(i % 4)}
		x := float64(gamma) + 0.3*rate
		id := logRun(t, tr, tracker.RunSpec{Name: attack, Params: params, Tags: map[string]string{"sweep": "grid.yaml"}},
			map[string]float64{"test/mrr": x, "test/mrr_lo": x - 1, "test/mrr_hi": x + 1, "loss": -x, "system/rate": x})
		score[id] = x
	}
	logRun(t, tr, tracker.RunSpec{Name: "nan"}, map[string]float64{"test/mrr": math.NaN()})
	tree := document(t, h, "/params")
	if links := sources(tree, "a", "href"); !slices.Contains(links, "/params?q=tags.%60sweep%60+%3D+%27grid.yaml%27") {
		t.Errorf("no sweep among %q", links)
	}
	follow(t, h, tree)
	if n := pictures(t, h, tree); n != 6 {
		t.Errorf("%d pictures", n)
	}
	cells := texts(tree, "td")
	if !slices.Contains(cells, "3.27 [2.27, 4.27]") {
		t.Errorf("the best run is not among %q", cells)
	}
	rows := map[string][]string{}
	_, text, _ := get(t, h, "/params.csv")
	list, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	expect.NoError(t, err)
	for _, row := range list[1:] {
		rows[row[0]] = row
	}
	// By hand: gamma decides, so each of its values has ten ranks in a row, whose squares around their mean are
	// 10*(10^2-1)/12 = 82.5, and all forty have 40*(40^2-1)/12 = 5330.
	within, total := 4*82.5, 5330.
	want := 1 - within/total*39/36
	both := rows["gamma, twin"]
	if both == nil {
		t.Fatalf("params that change together: %s", text)
	}
	if x, _ := strconv.ParseFloat(both[1], 64); math.Abs(x-want) > 1e-9 || both[3] != "3" || both[5] != "10" || both[6] != "40" ||
		!strings.HasPrefix(both[4], "3.135") {
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
	// Threads change what a machine does, and no result.
	if _, text, _ := get(t, h, "/params.csv?metric=system/rate"); !strings.Contains(text, "gamma, threads, twin") {
		t.Errorf("the params of a system metric are %s", text)
	}
	tree = document(t, h, "/params?metric=loss&q=gamma")
	if cells := texts(tree, "p"); !slices.ContainsFunc(cells, func(p string) bool { return strings.HasPrefix(p, "No run fits") }) {
		t.Errorf("an empty search says %q", cells)
	}
	tree = document(t, h, "/params?metric=loss") // the lowest is the best
	if cells := texts(tree, "td"); !slices.Contains(cells, "-3.27") {
		t.Errorf("the best run by loss is not among %q", cells)
	}
	// Of a search the best config alone is tested; its trials are judged by their validation.
	for i := range 9 {
		metrics := map[string]float64{"valid/mrr": float64(i) / 100}
		if i == 8 {
			metrics["test/mrr"] = .5
		}
		logRun(t, tr, tracker.RunSpec{Name: "trial", Params: map[string]string{"gamma": fmt.Sprint(i % 2)},
			Tags: map[string]string{"sweep": "search.yaml"}}, metrics)
	}
	tree = document(t, h, "/params?q=tags.%60sweep%60+%3D+%27search.yaml%27")
	if cells := texts(tree, "p"); !slices.ContainsFunc(cells, func(p string) bool {
		return strings.HasPrefix(p, "9 of 9 runs have valid/mrr")
	}) {
		t.Errorf("the page of a search says %q", cells)
	}
	for address, code := range map[string]int{"/params?q=seed%3D1": http.StatusBadRequest,
		"/parallel.svg?q=none&axis=param/gamma&axis=param/seed": http.StatusBadRequest, "/params?metric=none": http.StatusOK} {
		if got, text, _ := get(t, h, address); got != code {
			t.Errorf("%s: %d\n%s", address, got, text)
		}
	}
}

// rankShare is the share of a param by its definition, in another way than the page has it: ranks are counted, and the
// variance between the values is taken directly.
func rankShare(values []string, metric []float64) float64 {
	n := float64(len(metric))
	rank := make([]float64, len(metric))
	sums, counts := map[string]float64{}, map[string]float64{}
	total := 0.0
	for i, x := range metric {
		rank[i] = .5
		for _, y := range metric {
			if y < x {
				rank[i]++
			} else if y == x {
				rank[i] += .5
			}
		}
		sums[values[i]] += rank[i]
		counts[values[i]]++
		total += (rank[i] - (n+1)/2) * (rank[i] - (n+1)/2)
	}
	between := 0.0
	for value, sum := range sums {
		between += counts[value] * math.Pow(sum/counts[value]-(n+1)/2, 2)
	}
	return max(0, 1-(1-between/total)*(n-1)/(n-float64(len(sums))))
}

// Params are judged by the finished runs that have them: a run of another program without the param, one that diverged,
// failed ones and those that train the best config of a search again change nothing that they should not.
func TestParamsOfOddRuns(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{SweepTag: "sweep", TrialTag: "trial"})
	var rates, seeds []string
	var losses []float64
	add := func(loss float64, rate, seed string, tags map[string]string, status tracker.Status) {
		t.Helper()
		params := map[string]string{"seed": seed}
		if rate != "" {
			params["rate"] = rate
		}
		run, err := tr.StartRun(t.Context(), tracker.RunSpec{Name: "trial", Params: params, Tags: tags})
		expect.NoError(t, err)
		expect.NoError(t, run.LogMetrics(1, map[string]float64{"loss": loss}))
		expect.NoError(t, run.Finish(t.Context(), status))
	}
	for i := range 24 {
		rate, seed := []string{"0.1", "0.2", "0.5"}[i%3], strconv.Itoa(i/3%4)
		loss := 1 + float64(i%3)/2 + float64(i*7%11)/20
		if i == 20 {
			loss = 40798 // it diverged, and finished
		}
		rates, seeds, losses = append(rates, rate), append(seeds, seed), append(losses, loss)
		add(loss, rate, seed, map[string]string{"sweep": "s.yaml", "trial": strconv.Itoa(i + 1)}, tracker.Finished)
	}
	const address = "/params.csv?metric=loss"
	study := func() map[string][]string {
		t.Helper()
		_, text, _ := get(t, h, address)
		list, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		expect.NoError(t, err)
		rows := map[string][]string{}
		for _, row := range list[1:] {
			rows[row[0]] = row
		}
		return rows
	}
	before := study()
	for key, values := range map[string][]string{"rate": rates, "seed": seeds} {
		share, err := strconv.ParseFloat(before[key][1], 64)
		if want := rankShare(values, losses); err != nil || math.Abs(share-want) > 1e-12 {
			t.Errorf("%s has the share %v, want %v", key, share, want)
		}
	}
	if rate, seed := before["rate"][1], before["seed"][1]; rate <= seed || before["rate"][3] != "0.1" {
		t.Errorf("the rate has %q, and the seed %q: one run that diverged leads", before["rate"], before["seed"])
	}
	add(0.01, "0.5", "0", nil, tracker.Failed)
	add(0.02, "0.5", "1", map[string]string{"sweep": "s.yaml", "trial": "25"}, tracker.Killed)
	for range 9 {
		add(0.03, "0.5", "2", map[string]string{"sweep": "s.yaml"}, tracker.Finished) // the best config again
	}
	if after := study(); !reflect.DeepEqual(after, before) {
		t.Errorf("failed runs and repetitions count: %q, before %q", after, before)
	}
	text := strings.Join(texts(document(t, h, "/params?metric=loss"), "p"), " ")
	if !strings.Contains(text, "unfinished or failed runs, 2; runs that train the best config of a search again, 9.") {
		t.Errorf("the page does not say what it leaves out: %s", text)
	}
	for i := range 8 { // of another program, without a rate
		add(1+float64(i)/8, "", "", nil, tracker.Finished)
	}
	after := study()
	if !slices.Equal(after["rate"], before["rate"]) || after["rate"][6] != "24" || after["seed"][6] != "32" {
		t.Errorf("runs without a rate count for it: %q, before %q; the seed has %q", after["rate"], before["rate"], after["seed"])
	}
	if cells := texts(document(t, h, "/params?metric=loss"), "td"); slices.Contains(cells, "(none)") {
		t.Error("no value is the best value")
	}
}

// No param explains a metric that all runs have alike.
func TestParamsOfEqualRuns(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	for i := range 15 { // a mean that is added up is not exactly 8
		params := map[string]string{"rate": strconv.Itoa(i % 5), "layers": strconv.Itoa(i % 4)}
		logRun(t, tr, tracker.RunSpec{Params: params}, map[string]float64{"accuracy": .964})
	}
	_, text, _ := get(t, h, "/params.csv?metric=accuracy")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	expect.NoError(t, err)
	if len(rows) != 3 {
		t.Fatalf("the params are %q", rows)
	}
	for _, row := range rows[1:] {
		if row[1] != "0" {
			t.Errorf("%s explains %s of equal values", row[0], row[1])
		}
	}
}

// A run has one colour in every page and picture, whatever runs are next to it and in whatever order.
func TestColoursStay(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	var ids []string
	for i := range 30 {
		ids = append(ids, logRun(t, tr, tracker.RunSpec{Name: fmt.Sprint("run-", i), Params: map[string]string{
			"gamma": fmt.Sprint(i / 3)}}, map[string]float64{"loss": 1}, map[string]float64{"loss": float64(i)}))
	}
	// own is what the page of each run shows in its heading.
	own := map[string]string{}
	style := styleColours(t, h)
	pages := map[string]string{}
	for _, id := range ids {
		_, text, _ := get(t, h, "/runs/"+id)
		_, rest, _ := strings.Cut(text, "<h1><svg")
		_, rest, _ = strings.Cut(rest, `stroke="`)
		own[id], pages[id] = rest[:7], text
	}
	if distinct := len(maps.Collect(func(yield func(string, bool) bool) {
		for _, c := range own {
			yield(c, true)
		}
	})); distinct < 4 {
		t.Fatalf("thirty runs have %d colours: %v", distinct, own)
	}
	check := func(where, id, color string) {
		t.Helper()
		if color != own[id] {
			t.Errorf("%s: run %s has the colour %s instead of %s", where, id, color, own[id])
		}
	}
	lines := func(address, class string, list []string) {
		t.Helper()
		_, svg, _ := get(t, h, address)
		for _, id := range list {
			name := fmt.Sprintf("run-%d %s", slices.Index(ids, id), tracker.ShortID(id))
			if len(list) == 1 {
				name = ""
			}
			_, rest, found := strings.Cut(svg, `<g class="`+class+`">`+"\n<title>"+name)
			_, rest, _ = strings.Cut(rest, map[bool]string{true: ` fill="`, false: `stroke="`}[class == "point"])
			if !found || len(rest) < 7 {
				t.Fatalf("%s has no line of %s", address, name)
			}
			check(address, id, rest[:7])
		}
	}
	for _, list := range [][]string{ids[:1], ids[:2], ids[1:4], ids[2:9], {ids[9], ids[0], ids[20]}, ids[:20]} {
		query := url.Values{"run": list}.Encode()
		lines("/curve.svg?key=loss&"+query, "series", list)
		if len(list) == 1 {
			continue
		}
		lines("/parallel.svg?axis=param/gamma&axis=metric/loss&"+query, "line", list)
		lines("/parallel.svg?axis=param/gamma&axis=metric/loss&mark="+list[1]+"&"+query, "line", list)
		_, text, _ := get(t, h, "/compare?"+query)
		parts := strings.Split(text, `<th scope="col"><svg class="swatch"`)[1:]
		for i, part := range parts {
			_, part, _ = strings.Cut(part, `stroke="`)
			check("/compare?"+query, list[i%len(list)], part[:7])
		}
		if len(parts) == 0 || len(parts)%len(list) != 0 {
			t.Errorf("the comparison of %d runs has %d swatches", len(list), len(parts))
		}
		for _, src := range sources(document(t, h, "/compare?"+query), "img", "src") {
			kind, _, _ := strings.Cut(src, ".")
			lines(src, map[string]string{"/parallel": "line", "/scatter": "point", "/curve": "series"}[kind], list)
		}
	}
	_, text, _ := get(t, h, "/params?metric=loss")
	for _, part := range strings.Split(text, `<th scope="row"><svg class="swatch"`)[1:] {
		_, part, _ = strings.Cut(part, `stroke="`)
		check("/params", strings.Split(strings.SplitN(part, "/runs/", 2)[1], `"`)[0], part[:7])
	}
	_, text, _ = get(t, h, "/")
	rows := strings.Split(text, `<th scope="row" class="`)[1:]
	for _, row := range rows {
		class, rest, _ := strings.Cut(row, `"`)
		check("the table", strings.Split(strings.SplitN(rest, "/runs/", 2)[1], `"`)[0], style[class])
	}
	if len(rows) != len(ids) {
		t.Errorf("%d rows have a colour", len(rows))
	}
	checkDashes(t, h, ids, own)
	for id, text := range pages {
		if text, _, _ = strings.Cut(text[strings.Index(text, "<h1>"):], "</h1>"); strings.Contains(text, "dasharray") {
			t.Errorf("the page of run %s alone has a broken line", id)
		}
	}
	for _, bad := range []string{"place=0", "place=29", "place=x", "place=1&place=2"} {
		if code, _, _ := get(t, h, "/curve.svg?key=loss&run="+ids[0]+"&"+bad); code != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, code)
		}
	}
}

// styleColours are the colours of the stylesheet by class.
func styleColours(t *testing.T, h http.Handler) map[string]string {
	t.Helper()
	style := map[string]string{}
	_, sheet, _ := get(t, h, "/static/style.css")
	for _, rule := range strings.Split(sheet, "\n") {
		if name, color, found := strings.Cut(rule, "::before { background: "); found {
			style[strings.TrimPrefix(name, ".")] = color[:7]
		}
	}
	return style
}

// checkDashes: runs of one colour differ in their dashes.
func checkDashes(t *testing.T, h http.Handler, ids []string, own map[string]string) {
	t.Helper()
	sharing := map[string][]string{}
	var same []string
	for _, id := range ids {
		sharing[own[id]] = append(sharing[own[id]], id)
		if len(sharing[own[id]]) > len(same) {
			same = sharing[own[id]]
		}
	}
	if len(same) < 2 {
		t.Fatal("no two of thirty runs share a colour")
	}
	dashes := map[string]bool{}
	_, svg, _ := get(t, h, "/curve.svg?key=loss&"+url.Values{"run": same[:min(4, len(same))]}.Encode())
	for _, line := range strings.Split(svg, `<g class="series">`)[1:] {
		line, _, _ = strings.Cut(line, "</g>")
		_, dash, _ := strings.Cut(line, "stroke-dasharray=")
		dash, _, _ = strings.Cut(dash, " points")
		dashes[dash] = true
	}
	if len(dashes) != min(4, len(same)) || !dashes[""] {
		t.Errorf("%d runs of one colour have the dashes %q", min(4, len(same)), slices.Collect(maps.Keys(dashes)))
	}
}

// TestParamsOfManyRuns: a param that decides the metric is found where the best runs agree in it, and a run that has
// not finished is called so.
func TestParamsOfManyRuns(t *testing.T) {
	t.Parallel()
	uri := trackertest.Database(t)
	tr := trackertest.StoreWith(t, uri, tracker.Options{})
	h := web.New(tr, web.Options{})
	db, err := sql.Open("postgres", uri)
	expect.NoError(t, err)
	defer db.Close()
	const id = "lpad(to_hex(i), 32, '0')"
	for _, statement := range []string{
		`INSERT INTO public.runs (run_uuid, name, status, user_id, start_time, end_time, lifecycle_stage, artifact_uri,
			experiment_id, source_type) SELECT ` + id + `, 'run-' || i, CASE WHEN i = 2399 THEN 'FAILED' ELSE 'FINISHED' END, 'me', i, i,
			'active', 'file:///none', 0, 'LOCAL' FROM generate_series(1, 2400) i`,
		`INSERT INTO public.params (run_uuid, key, value) SELECT ` + id + `, 'side', (i % 2)::text FROM generate_series(1, 2400) i`,
		`INSERT INTO public.params (run_uuid, key, value) SELECT ` + id + `, 'noise', (i % 3)::text FROM generate_series(1, 2400) i`,
		`INSERT INTO public.latest_metrics (run_uuid, key, value, timestamp, step, is_nan) SELECT ` + id + `, 'acc',
			i % 2 * 10 + i / 2400.0, 1, 1, false FROM generate_series(1, 2400) i`,
	} {
		_, err := db.Exec(statement)
		expect.NoError(t, err)
	}
	tree := document(t, h, "/params?metric=acc")
	if counts := texts(tree, "p"); !slices.Contains(counts, "2400 of 2400 runs have acc") {
		t.Errorf("the page says %q", counts)
	}
	_, text, _ := get(t, h, "/params.csv?metric=acc")
	// Ranks of which one half is above the other: 3/4 of their variance is between the halves.
	if lines := strings.Split(text, "\n"); !strings.HasPrefix(lines[1], "side,0.749") {
		t.Errorf("the file has %s", text)
	}
	if heads := texts(tree, "th"); !slices.ContainsFunc(heads, func(h string) bool {
		return strings.HasPrefix(h, "run-2399 ") && strings.HasSuffix(h, " failed")
	}) {
		t.Errorf("the best runs are %q", heads)
	}
}
