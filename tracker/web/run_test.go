package web_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/net/html"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// meaning is a Reader whose texts attack.
type meaning struct{}

func (meaning) Stops(run tracker.RunInfo) bool { return run.Params["config_hash"] != "" }

func (meaning) Results(tracker.RunInfo) []web.Table {
	return []web.Table{{Title: attack, Columns: []web.Column{{Heading: attack}, {Heading: "f1", Right: true}},
		Rows: [][]string{{attack, "0.5"}}, Notes: []string{attack}}}
}
func (meaning) Wrote(tag string) bool            { return tag == "criterion" }
func (meaning) Command(tracker.RunInfo) string   { return "spherelab train " + attack }
func (meaning) State(run tracker.RunInfo) string { return "" }
func (meaning) Lineage(tracker.RunInfo) []web.Origin {
	return []web.Origin{{Text: attack}, {Text: "from " + attack, Search: "tags.sweep = 'x'"}}
}
func (m meaning) Beside(runs []tracker.RunInfo) []web.Table {
	return m.Results(runs[0])
}
func (meaning) Figures(tracker.RunInfo) []string { return []string{"radius & more/" + attack} }
func (meaning) Figure(context.Context, tracker.RunInfo, string) (chart.Chart, error) {
	return chart.Scatter(chart.Options{Title: attack}, chart.Series{Name: attack, Y: []float64{1, 2}, Names: []string{attack, "x"}}), nil
}

// sources are the addresses in an attribute of all elements of a name.
func sources(tree *html.Node, name, attribute string) (list []string) {
	for n := range tree.Descendants() {
		if n.Type != html.ElementNode || n.Data != name {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == attribute {
				list = append(list, a.Val)
			}
		}
	}
	return list
}

// follow asks for every page that a page links to.
func follow(t *testing.T, h http.Handler, tree *html.Node) {
	t.Helper()
	for _, address := range sources(tree, "a", "href") {
		if isPixels(address) && expect.RaceDetector {
			continue
		}
		if code, _, _ := get(t, h, "/"+strings.TrimPrefix(address, "/")); code != http.StatusOK && address[0] != '#' {
			t.Errorf("%s: %d", address, code)
		}
	}
}

// isPixels reports whether an address is a PNG. They are half of these tests' time under the race detector, although
// drawing starts no goroutine; TestFeaturesOfCurvesMultiply asks for one there.
func isPixels(address string) bool { return strings.Contains(address, ".png") }

// pictures asks for all pictures of a page in every format.
func pictures(t *testing.T, h http.Handler, tree *html.Node) (n int) {
	t.Helper()
	dark := sources(tree, "source", "srcset")
	if len(dark) != len(sources(tree, "img", "src")) {
		t.Errorf("of %d pictures %d are drawn for dark pages", len(sources(tree, "img", "src")), len(dark))
	}
	for _, address := range dark {
		if code, text, _ := get(t, h, address); code != http.StatusOK || strings.Contains(text, `"#ffffff"`) {
			t.Errorf("%s for dark pages: %d %.60q", address, code, text)
		}
	}
	for _, address := range append(sources(tree, "img", "src"), sources(tree, "a", "href")...) {
		magic := map[bool]string{strings.Contains(address, ".svg"): "<svg", strings.Contains(address, ".png"): "\x89PNG",
			strings.Contains(address, ".pdf"): "%PDF"}[true]
		if magic == "" || isPixels(address) && expect.RaceDetector {
			continue
		}
		code, text, header := get(t, h, address)
		if code != http.StatusOK || !strings.HasPrefix(text, magic) {
			t.Errorf("%s: %d %.60q", address, code, text)
		}
		if magic == "<svg" {
			n++
			if strings.Contains(text, "style=") || strings.Contains(text, "<script") || strings.Contains(text, "<img") ||
				header.Get("Content-Type") != "image/svg+xml" {
				t.Errorf("%s has styles or scripts", address)
			}
		}
	}
	return n
}

// Lineage: what the Reader says, the run that a run belongs to, and the runs that belong to it.
func TestRunLineage(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	parent := logRun(t, tr, tracker.RunSpec{Name: "parent"})
	child := logRun(t, tr, tracker.RunSpec{Name: attack, Tags: map[string]string{"mlflow.parentRunId": parent}})
	lines := func(h http.Handler, id string) string {
		tree := document(t, h, "/runs/"+id)
		follow(t, h, tree)
		return strings.Join(texts(tree, "li"), "|")
	}
	plain := web.New(tr, web.Options{})
	if got := lines(plain, parent); got != "has the part "+attack {
		t.Errorf("the parent: %s", got)
	}
	if got := lines(web.New(tr, web.Options{Reader: meaning{}}), child); got != attack+"|from "+attack+"|part of run "+
		tracker.ShortID(parent) {
		t.Errorf("the child: %s", got)
	}
	for range 21 {
		logRun(t, tr, tracker.RunSpec{Name: "more", Tags: map[string]string{"mlflow.parentRunId": parent}})
	}
	if got := lines(plain, parent); got != "the runs that are parts of this one" {
		t.Errorf("a parent of many: %s", got)
	}
}

func TestRunPage(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{Reader: meaning{}})
	run, err := tr.StartRun(ctx, tracker.RunSpec{Experiment: attack, Name: attack,
		Params: map[string]string{"model": attack}, Tags: map[string]string{"host": attack, "mlflow.note.content": attack,
			"criterion": "margin"}})
	expect.NoError(t, err)
	for i := range 30 {
		expect.NoError(t, run.LogMetrics(int64(i+1), map[string]float64{"loss": 1 / float64(i+1), "valid/head_f1": math.NaN()}))
	}
	expect.NoError(t, run.LogRelations([]tracker.RelationResult{
		{Cut: "margin", Relation: attack, Side: "head", Category: "1-1", Triples: 5, F1: 0.5},
		{Cut: "margin", Relation: "big", Side: "tail", Category: "1-n", Triples: 50, F1: 0.25, NovelTriples: 2, NovelF1: 0.125},
		{Cut: "top-1", Relation: "other", Side: "tail", Category: "1-n", Triples: 50}}))
	dir := run.ArtifactDir()
	evil := "<img src=x onerror=alert(1)>.html"
	expect.NoError(t, os.WriteFile(filepath.Join(dir, evil), []byte("<script>alert(1)</script>"), 0o644))
	expect.NoError(t, os.MkdirAll(filepath.Join(dir, "deep"), 0o755))
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "deep", "a b.txt"), []byte("words"), 0o644))
	secret := filepath.Join(t.TempDir(), "secret")
	expect.NoError(t, os.WriteFile(secret, []byte("secret"), 0o644))
	expect.NoError(t, os.Symlink(secret, filepath.Join(dir, "link")))
	expect.NoError(t, run.Finish(ctx, tracker.Finished))
	page := "/runs/" + run.ID()

	tree := document(t, h, page)
	if n := pictures(t, h, tree); n < 3*2 { // as image and as download: loss, F1, the figure
		t.Errorf("%d pictures", n)
	}
	if heads := texts(tree, "h1"); heads[0] != attack {
		t.Errorf("the name is %q", heads)
	}
	if cells := strings.Join(texts(tree, "td"), "|"); !strings.Contains(cells, "big|tail|1-n|50|0|0.25|0|0|0|0|0|0|2|0.125|"+attack+"|head") {
		t.Errorf("the tables have %s", cells)
	}
	if cells := strings.Join(texts(document(t, h, page+"?cut=top-1"), "td"), "|"); !strings.Contains(cells, "other|tail") ||
		strings.Contains(cells, "big") {
		t.Errorf("at another cut the tables have %s", cells)
	}
	follow(t, h, tree)
	// Artifacts are downloads, whatever they hold, and none leads out of the folder.
	files := strings.Join(texts(tree, "li"), "|")
	if !strings.Contains(files, evil) || !strings.Contains(files, "deep/a b.txt 5 bytes") || strings.Contains(files, "link") {
		t.Errorf("files %s", files)
	}
	code, text, header := get(t, h, page+"/artifacts/"+url.PathEscape(evil))
	if code != http.StatusOK || text != "<script>alert(1)</script>" || header.Get("Content-Type") != "application/octet-stream" ||
		!strings.HasPrefix(header.Get("Content-Disposition"), "attachment") || !strings.Contains(header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%d %q %v", code, text, header)
	}
	expect.NoError(t, syscall.Mkfifo(filepath.Join(run.ArtifactDir(), "pipe"), 0o600))
	for _, file := range []string{"pipe", "link", "..%2f..%2fsecret", "%2e%2e/%2e%2e/x", "deep", "none", url.PathEscape(secret)} {
		if code, text, _ := get(t, h, page+"/artifacts/"+file); code == http.StatusOK || strings.Contains(text, "secret\n") {
			t.Errorf("%s: %d %q", file, code, text)
		}
	}
	for file, want := range map[string]string{"/relations.csv": "margin|" + attack + "|head", "/run.csv": "param|model|" + attack,
		"/results/1": attack + "|0.5"} {
		_, text, _ := get(t, h, page+file)
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		found := err == nil
		for _, row := range rows {
			found = found || strings.Contains(strings.Join(row, "|"), want)
		}
		if !found || !strings.Contains(fmt.Sprint(rows), want[:3]) {
			t.Errorf("%s: %v\n%s", file, err, text)
		}
	}
	for _, address := range []string{"/runs/none", page + "/results/2", page + "/results/0", page + "/figure/none.svg",
		"/curve.gif?run=" + run.ID() + "&key=loss", "/curve.svg?key=loss", "/curve.svg?run=none&key=loss",
		"/curve.svg?run=" + run.ID() + "&key=loss&smooth=1", "/curve.svg?run=" + run.ID() + "&key=loss&from=x"} {
		if code, text, _ := get(t, h, address); code != http.StatusNotFound && code != http.StatusBadRequest {
			t.Errorf("%s: %d\n%s", address, code, text)
		}
	}
}

// A run of Python's client has none of our keys.
func TestRunPageOfAnotherProgram(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	id := logRun(t, tr, tracker.RunSpec{Name: "sklearn", Params: map[string]string{"alpha": "1"}},
		map[string]float64{"rmse": 3, "r2": 0.5}, map[string]float64{"rmse": 2})
	tree := document(t, h, "/runs/"+id)
	if n := pictures(t, h, tree); n != 2*2 {
		t.Errorf("%d pictures", n)
	}
	if heads := strings.Join(texts(tree, "h2"), "|"); heads != "Curves|Params|Metrics|Tags|Environment|Artifacts" {
		t.Errorf("sections %s", heads)
	}
	empty := logRun(t, tr, tracker.RunSpec{Name: "empty"})
	says := func(h http.Handler) string { return strings.Join(texts(document(t, h, "/runs/"+empty), "p"), "|") }
	if text := says(h); !strings.Contains(text, "This run has logged no metrics. A run has curves if its program logs") {
		t.Errorf("a run without metrics says %q", text)
	}
	if text := says(web.New(tr, web.Options{Reader: meaning{}})); !strings.Contains(text, "The command above trains it.") {
		t.Errorf("a run of ours without metrics says %q", text)
	}
	// Each form of the page keeps what the others have chosen.
	tree = document(t, h, "/runs/"+id+"?smooth=0.5&curve=r2&cut=x")
	values := strings.Join(sources(tree, "input", "name"), " ")
	if strings.Count(values, "smooth") != 2 || strings.Count(values, "cut") != 2 || strings.Count(values, "curve") != 3 {
		t.Errorf("the forms send %s", values)
	}
}

func TestCurvesAreSmoothedReducedAndCut(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	run, err := tr.StartRun(context.Background(), tracker.RunSpec{Name: "long"})
	expect.NoError(t, err)
	for i := range 3000 {
		expect.NoError(t, run.LogMetrics(int64(i), map[string]float64{"loss": float64(i % 7)}))
	}
	expect.NoError(t, run.Finish(context.Background(), tracker.Finished))
	svg := func(query string) string {
		code, text, _ := get(t, h, "/curve.svg?key=loss&run="+run.ID()+query)
		if code != http.StatusOK {
			t.Fatalf("%s: %d", query, code)
		}
		return text
	}
	if text := svg(""); !strings.Contains(text, "of 3000 points") {
		t.Error("a reduced curve does not say so")
	}
	if text := svg("&from=10&to=40"); strings.Contains(text, "3000 points") || !strings.Contains(text, "31 points") {
		t.Error("a range of steps is not drawn whole")
	}
	const thin = `stroke-opacity="0.4"`
	if text := svg("&from=10&to=40&smooth=0.9"); !strings.Contains(text, thin) ||
		!strings.Contains(text, "smoothed with weight 0.9") || strings.Contains(svg("&from=10&to=40"), thin) {
		t.Error("a smoothed curve has no thin line as logged")
	}
	if !strings.Contains(svg("&logy=1"), `data-ylog="true"`) || !strings.Contains(svg("&logx=1"), `data-xlog="true"`) {
		t.Error("an axis is not logarithmic")
	}
	// Smoothing takes the points and not the ends of columns: the long curve ends at the mean of 0 to 6, and two points
	// of a short one are counted once where they cannot be drawn.
	last := regexp.MustCompile(`last ([0-9.]+)`).FindAllStringSubmatch(svg("&smooth=0.99"), -1)
	if end, err := strconv.ParseFloat(last[len(last)-1][1], 64); err != nil || math.Abs(end-3) > 0.2 {
		t.Errorf("the smoothed curve ends at %v, %v", last, err)
	}
	if text := svg("&from=0&to=13&smooth=0.9&logy=1"); !strings.Contains(text, "2 points not above 0") {
		t.Errorf("points that a logarithmic axis leaves out are not counted once: %s", text)
	}
	for query, want := range map[string]int{"&from=5&to=5": 200, "&from=6&to=5": 400, "&from=x": 400} {
		for _, page := range []string{"/curve.svg?key=loss&run=" + run.ID(), "/runs/" + run.ID() + "?key=loss"} {
			if code, _, _ := get(t, h, page+query); code != want {
				t.Errorf("%s%s: %d, want %d", page, query, code, want)
			}
		}
	}
	if bytes.Contains([]byte(svg("")), []byte("style=")) {
		t.Error("an SVG has a style attribute, which the policy refuses")
	}
}
