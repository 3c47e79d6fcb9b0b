package web_test

import (
	"context"
	"database/sql"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// attack is a name that breaks out of careless pages.
const attack = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`

// logRun logs a finished run.
func logRun(t *testing.T, tr *postgres.Store, spec tracker.RunSpec, metrics ...map[string]float64) string {
	t.Helper()
	run, err := tr.StartRun(context.Background(), spec)
	expect.NoError(t, err)
	for i, values := range metrics {
		expect.NoError(t, run.LogMetrics(int64(i+1), values))
	}
	expect.NoError(t, run.Finish(context.Background(), tracker.Finished))
	return run.ID()
}

// get asks for a page and returns its status and text.
func get(t *testing.T, h http.Handler, address string) (int, string, http.Header) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
	return w.Code, w.Body.String(), w.Header()
}

// document asks for a page that must exist and have only what the policy lets a browser use, and returns its tree.
func document(t *testing.T, h http.Handler, address string) *html.Node {
	t.Helper()
	code, text, header := get(t, h, address)
	if code != http.StatusOK {
		t.Fatalf("%s: %d\n%s", address, code, text)
	}
	if p := header.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'") ||
		strings.Contains(p, "unsafe") {
		t.Errorf("%s: policy %q", address, p)
	}
	tree, err := html.Parse(strings.NewReader(text))
	expect.NoError(t, err)
	for n := range tree.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, a := range n.Attr {
			key, value := strings.ToLower(a.Key), strings.ToLower(strings.TrimSpace(a.Val))
			switch {
			case strings.HasPrefix(key, "on"), key == "style", strings.HasPrefix(value, "javascript:"):
				t.Errorf("%s: <%s %s=%q>", address, n.Data, a.Key, a.Val)
			case (key == "src" || key == "href" || key == "action") && strings.Contains(value, "//"):
				t.Errorf("%s: <%s> asks another host: %s", address, n.Data, a.Val)
			}
		}
		if n.Data == "style" || n.Data == "script" && n.FirstChild != nil {
			t.Errorf("%s: <%s> inside of the page", address, n.Data)
		}
	}
	return tree
}

// texts are the texts of all elements of a name.
func texts(tree *html.Node, name string) (list []string) {
	for n := range tree.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			var b strings.Builder
			for d := range n.Descendants() {
				if d.Type == html.TextNode {
					b.WriteString(d.Data)
				}
			}
			list = append(list, strings.TrimSpace(b.String()))
		}
	}
	return list
}

// first is what makes a run.
func first(experiment string) string { return strings.TrimSpace("spherelab train " + experiment) }

func TestRunsPageWithoutRunsSaysWhatToType(t *testing.T) {
	t.Parallel()
	h := web.New(trackertest.Store(t), web.Options{First: first})
	if text := strings.Join(texts(document(t, h, "/"), "p"), " "); !strings.Contains(text, "spherelab train") {
		t.Errorf("an empty tracker says %q", text)
	}
}

func TestRunsPage(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	for i := range 5 {
		logRun(t, tr, tracker.RunSpec{Experiment: "First", Name: fmt.Sprintf("run-%d", i),
			Params: map[string]string{"model": "rotate", "seed": fmt.Sprint(i), "lr": "0.1"}},
			map[string]float64{"loss": 1 / float64(i+3), "test/mrr": math.NaN()})
	}
	names := func(address string) string { return strings.Join(texts(document(t, h, address), "th"), " ") }
	const head = "select run name experiment status started (UTC) time "
	for address, want := range map[string]string{
		"/": head + "loss test/mrr seed run-4 run-3 run-2 run-1 run-0",
		"/?q=" + url.QueryEscape("params.seed = '3'"): head + "loss test/mrr model seed run-3",
		"/?q=metrics.loss+%3C+0.2&sort=param/lr":      head + "lr loss test/mrr seed run-4 run-3",
		"/?sort=metric/loss&order=asc":                head + "loss test/mrr seed run-4 run-3 run-2 run-1 run-0",
		"/?sort=metric/loss":                          head + "loss test/mrr seed run-0 run-1 run-2 run-3 run-4",
		"/?rows=2&page=2":                             head + "loss test/mrr model seed run-2 run-1",
		"/?col=param/lr&col=metric/loss":              head + "lr loss run-4 run-3 run-2 run-1 run-0",
		"/?col=":                                      head + "run-4 run-3 run-2 run-1 run-0",
		"/?experiment=First&q=run-1":                  head + "loss test/mrr model seed run-1",
		"/?experiment=Default":                        "",
		"/?q=unknown":                                 "",
		"/?q=" + url.QueryEscape("<b>"):               "400",
		"/runs.csv?q=seed%3D3":                        "400",
		"/?page=9":                                    "",
		"/?col=" + url.QueryEscape("tag/"):            "400",
		"/?sort=" + url.QueryEscape(attack):           "400",
		"/?page=0":                                    "400",
		"/runs/%ff":                                   "400",
		"/?q=%zz":                                     "400",
		"/runs/a%00b":                                 "400",
		"/compare?run=%ff":                            "400",
		"/none":                                       "404",
	} {
		if strings.HasPrefix(want, "4") {
			if code, text, _ := get(t, h, address); fmt.Sprint(code) != want || strings.Contains(text, "<script>alert") {
				t.Errorf("%s: %d\n%s", address, code, text)
			}
			continue
		}
		if got := names(address); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", address, got, want)
		}
	}
	// The links of a page lead to the next one.
	tree, links := document(t, h, "/?rows=2"), map[string]string{}
	for n := range tree.Descendants() {
		if n.Data == "a" {
			for _, a := range n.Attr {
				if a.Key == "href" && n.FirstChild != nil {
					links[strings.TrimSpace(n.FirstChild.Data)] = a.Val
				}
			}
		}
	}
	// What is chosen stays: no column, and an experiment that is not there.
	if got := names(func() string {
		for _, link := range sources(document(t, h, "/?col=&rows=2"), "a", "href") {
			if strings.Contains(link, "page=2") {
				return link
			}
		}
		return "/"
	}()); got != head+"run-2 run-1" {
		t.Errorf("without columns, the next page is %s", got)
	}
	if _, text, _ := get(t, h, "/?experiment=gone"); !strings.Contains(text, `<option value="gone" selected>`) {
		t.Error("the form does not say which experiment it is of")
	}
	if got := names(links["Next"]); !strings.HasSuffix(got, " run-2 run-1") {
		t.Errorf("next leads to %s", got)
	}
	if got := names(links["loss"]); !strings.HasSuffix(got, " run-0 run-1") {
		t.Errorf("loss leads to %s", got)
	}

	_, text, header := get(t, h, "/runs.csv?q=run&sort=param/seed&order=asc&rows=2")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 6 || !strings.Contains(header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("%d rows of CSV, %v", len(rows), err)
	}
	if got := strings.Join(rows[1][6:], " "); got != "0.3333333333333333 NaN rotate 0" {
		t.Errorf("first row %s", got)
	}
}

func TestRunsPageShowsNamesAsText(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	logRun(t, tr, tracker.RunSpec{Experiment: attack, Name: attack + "\u202eback\x07",
		Params: map[string]string{"model": attack}, Tags: map[string]string{"note": attack}}, map[string]float64{"loss": 1})
	tree := document(t, h, "/?col=param/model&col=tag/note&q="+url.QueryEscape("params.model LIKE '%<script>%'"))
	if cells := texts(tree, "td"); cells[len(cells)-1] != attack || cells[len(cells)-2] != attack {
		t.Errorf("the cells are %q", cells)
	}
	if heads := texts(tree, "th"); heads[len(heads)-1] != attack+"\ufffdback\ufffd" {
		t.Errorf("the name is %q", heads[len(heads)-1])
	}
}

// A search that cannot be read is explained in its place, next to the text as it was typed.
func TestWrongFilterIsExplained(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	logRun(t, tr, tracker.RunSpec{Name: "one", Params: map[string]string{"model": "rotate"}}, map[string]float64{"loss": 1})
	for filter, want := range map[string]string{
		"model='rotate'":                       "an attribute, one of run_id",
		"metrics.loss":                         "ends where one of =",
		"params.model = 'a' OR metrics.x = 1":  "AND, the only way",
		"metrics.loss > " + attack:             "does not end",
		"params.<script>alert(1)</script>='a'": `not "params.<script>alert(1)</script>`,
	} {
		for _, page := range []string{"/", "/groups"} {
			code, text, _ := get(t, h, page+"?sort=metric/loss&q="+url.QueryEscape(filter))
			tree, err := html.Parse(strings.NewReader(text))
			expect.NoError(t, err)
			alert, typed := "", ""
			for n := range tree.Descendants() {
				for _, a := range n.Attr {
					if a.Key == "role" && a.Val == "alert" {
						alert = n.FirstChild.Data
					}
					if a.Key == "value" && n.Data == "input" && typed == "" {
						typed = a.Val
					}
				}
			}
			if code != http.StatusBadRequest || !strings.Contains(alert, want) || typed != filter ||
				strings.Contains(text, "<script>alert") {
				t.Errorf("%s %q: %d, says %q, field %q", page, filter, code, alert, typed)
			}
		}
	}
}

func TestAssets(t *testing.T) {
	t.Parallel()
	h := web.New(nil, web.Options{})
	for file, kind := range map[string]string{"style.css": "text/css", "ui.js": "text/javascript", "icon.svg": "image/svg+xml"} {
		code, text, header := get(t, h, "/static/"+file)
		if code != http.StatusOK || text == "" || !strings.HasPrefix(header.Get("Content-Type"), kind) {
			t.Errorf("%s: %d, %s", file, code, header.Get("Content-Type"))
		}
		for _, other := range []string{"http://", "https://", "//cdn", "@import"} {
			if strings.Contains(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), other) {
				t.Errorf("%s has %s", file, other)
			}
		}
	}
	// What a browser has is not sent again.
	_, _, header := get(t, h, "/static/ui.js")
	again := httptest.NewRequest(http.MethodGet, "/static/ui.js", nil)
	again.Header.Set("If-None-Match", header.Get("ETag"))
	if w := httptest.NewRecorder(); header.Get("ETag") == "" {
		t.Error("a file has no ETag")
	} else if h.ServeHTTP(w, again); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("what a browser has is sent again: %d, %d bytes", w.Code, w.Body.Len())
	}
	if code, _, _ := get(t, h, "/static/../web.go"); code == http.StatusOK {
		t.Error("a source is served")
	}
	if code, _, _ := get(t, h, "/static/"); code != http.StatusNotFound {
		t.Errorf("the list of files: %d", code)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", io.NopCloser(strings.NewReader(""))))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST / is %d", w.Code)
	}
}

// TestRunsPageSizes: a table of more runs than a page has offers larger pages, which hold all of them.
func TestRunsPageSizes(t *testing.T) {
	t.Parallel()
	uri := trackertest.Database(t)
	h := web.New(trackertest.StoreWith(t, uri, tracker.Options{}), web.Options{})
	db, err := sql.Open("postgres", uri)
	expect.NoError(t, err)
	defer db.Close()
	add := func(from, to int) {
		_, err := db.Exec(`INSERT INTO public.runs (run_uuid, name, status, user_id, start_time, lifecycle_stage,
			artifact_uri, experiment_id, source_type) SELECT lpad(to_hex(i), 32, '0'), 'run-' || i, 'FINISHED', 'me',
			1700000000000 + i, 'active', 'file:///none', 0, 'LOCAL' FROM generate_series($1::int, $2::int) i`, from, to)
		expect.NoError(t, err)
	}
	add(1, 100)
	if _, text, _ := get(t, h, "/"); strings.Contains(text, "rows of a page") {
		t.Error("a table of one page offers larger ones")
	}
	add(101, 130)
	tree := document(t, h, "/?sort=name&order=asc&page=2")
	if rows := len(texts(tree, "code")); rows != 30 {
		t.Errorf("the second page has %d runs", rows)
	}
	if links := sources(tree, "a", "href"); !slices.Contains(links, "/?order=asc&rows=1000&sort=name") ||
		slices.ContainsFunc(links, func(link string) bool { return strings.Contains(link, "rows=10000") }) {
		t.Errorf("the page links to %q", links)
	}
	if rows := len(texts(document(t, h, "/?rows=1000"), "code")); rows != 130 {
		t.Errorf("a large page has %d runs", rows)
	}
}

func TestExperimentsPage(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{First: first})
	for i := range 3 {
		logRun(t, tr, tracker.RunSpec{Name: fmt.Sprint("run-", i), Experiment: []string{"a", attack}[i%2]})
	}
	tree := document(t, h, "/experiments")
	follow(t, h, tree)
	cells := texts(tree, "td")
	if names := texts(tree, "th"); !slices.Contains(names, attack) || !slices.Contains(names, "a") {
		t.Errorf("the experiments are %q", names)
	}
	if at := slices.Index(cells, "2"); at < 0 || cells[at+1] != "run-2" {
		t.Errorf("the table has %q", cells)
	}
	if _, err := tr.DB().Exec(`INSERT INTO public.experiments (experiment_id, name, lifecycle_stage) VALUES (77, 'empty', 'active')`); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"/", "/groups", "/params"} {
		if text := texts(document(t, h, page+"?experiment=empty"), "code"); !slices.Contains(text, "spherelab train empty") {
			t.Errorf("%s of an empty experiment tells to type %q", page, text)
		}
	}
	if cells := texts(document(t, h, "/experiments"), "td"); !slices.Contains(cells, "0") {
		t.Errorf("with an empty experiment the table has %q", cells)
	}
	hasty := web.New(tr, web.Options{SearchTime: time.Nanosecond})
	if code, text, _ := get(t, hasty, "/"); code != http.StatusServiceUnavailable || !strings.Contains(text, "the search takes longer than 1ns and was stopped") {
		t.Errorf("a search without time: %d %s", code, text)
	}
	if _, text, header := get(t, h, "/experiments.csv"); !strings.Contains(text, "\na,2,") ||
		header.Get("Cache-Control") != "no-store" {
		t.Errorf("CSV %s, %v", text, header)
	}
}

// TestColumnsAreOfTheRunsShown: a search for runs of another program shows their columns, not those that it has not.
func TestColumnsAreOfTheRunsShown(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	logRun(t, tr, tracker.RunSpec{Experiment: "ours", Name: "ours", Params: map[string]string{"graph": "umls", "seed": "1"}},
		map[string]float64{"loss": 1, "test/mrr": 0.5})
	logRun(t, tr, tracker.RunSpec{Experiment: "py", Name: "theirs", Params: map[string]string{"lr": "0.1"}},
		map[string]float64{"acc": 0.75})
	for address, want := range map[string]string{"/?experiment=py": "lr|acc", "/?q=theirs": "lr|acc", "/?experiment=ours": "loss|test/mrr|graph|seed",
		"/?q=nothing+fits": ""} {
		heads := strings.Join(texts(document(t, h, address), "th"), "|")
		if _, own, _ := strings.Cut(heads, "|time|"); !strings.HasPrefix(own, want) {
			t.Errorf("%s has the columns %s", address, heads)
		}
	}
	for i := range 2 { // keys that ours have too say little of them
		logRun(t, tr, tracker.RunSpec{Experiment: "torch", Name: fmt.Sprint("torch-", i), Params: map[string]string{"seed": "1",
			"model": "cnn", "width": fmt.Sprint(i)}}, map[string]float64{"loss": 1, "acc": 0.5})
	}
	for address, want := range map[string]string{"/?experiment=torch": "time|width|acc|loss", "/groups?experiment=torch": "seeds|width|acc|loss"} {
		if heads := strings.Join(texts(document(t, h, address), "th"), "|"); !strings.Contains(heads, want) {
			t.Errorf("%s has the columns %s", address, heads)
		}
	}
	if heads := strings.Join(texts(document(t, h, "/groups?experiment=py"), "th"), "|"); !strings.Contains(heads, "seeds|acc|") {
		t.Errorf("the configurations have the columns %s", heads)
	}
	if text := strings.Join(texts(document(t, h, "/params?experiment=py"), "p"), " "); !strings.Contains(text, "1 of 1 runs have acc") {
		t.Errorf("params are judged by: %s", text)
	}
	_, text, _ := get(t, h, "/runs.csv?experiment=py")
	if !strings.HasPrefix(text, "run_id,name,experiment,status,start,end,param/lr,metric/acc\n") {
		t.Errorf("the file has %s", text)
	}
}

// chosen are the values of the boxes of a name that are checked, or of the options of a list that are selected.
func chosen(tree *html.Node, name string) (list []string) {
	within := ""
	for n := range tree.Descendants() {
		has := map[string]string{}
		for _, a := range n.Attr {
			has[a.Key] = a.Val
		}
		_, checked := has["checked"]
		_, selected := has["selected"]
		switch n.Data {
		case "select":
			within = has["name"]
		case "input":
			if has["name"] == name && checked {
				list = append(list, has["value"])
			}
		case "option":
			if within == name && selected {
				list = append(list, has["value"])
			}
		}
	}
	return list
}
