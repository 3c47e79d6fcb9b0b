package web_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"html"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// atlas is a space of three entities, whose names attack.
type atlas struct{ has bool }

func (a atlas) Explores(tracker.RunInfo) bool { return a.has }
func (atlas) Space(context.Context, tracker.RunInfo) (web.Space, error) {
	return web.Space{Names: []string{"a", attack, "c"}, X: []float64{0, 1.2345678, -1}, Y: []float64{0, 1e-7, 2},
		Radius: []float64{.5, 0, 1}, Degree: []int{1, 5, 5}, Note: attack, Exact: true}, nil
}
func (atlas) See(_ context.Context, _ tracker.RunInfo, p web.Spot) (web.Sight, error) {
	if p.Entity == "wrong" {
		return web.Sight{}, errors.New("there is no entity " + attack)
	}
	fact := web.Question{Head: p.Entity, Relation: "r", Tail: attack}
	x := web.Sight{ID: 1, Name: p.Entity, Traits: [][2]string{{"type", attack}}, Note: attack,
		Nearest: []web.Seen{{ID: 2, Name: attack, Numbers: "gap 1"}},
		Facts: []web.SeenFacts{{Relation: attack, Heads: true, Title: attack, Counts: "1 known",
			List: []web.Seen{{ID: 0, Name: "a", Mark: "held out", Fact: fact}}}}}
	if p.Relation == "" {
		x.Guesses = []web.Seen{{ID: 2, Name: attack, Mark: "inferred", Numbers: attack, Fact: fact}}
	}
	if p.Relation != "" {
		usual, set, size := 1, 1, 1
		if p.Cut == "none" {
			usual, set = 0, 0
		}
		if p.Size >= 0 {
			set, size = p.Size, p.Size
		}
		x.Touched = &web.Touched{Title: attack, Cut: "margin", Notes: []string{attack}, Values: []float64{-1, .25},
			List:  []web.Seen{{ID: 2, Name: attack, Mark: "known", Fact: fact}, {ID: 0, Name: "a", Mark: "inferred", Fact: fact}},
			Usual: usual, Set: set, Size: size, Known: 1, HeldOut: 3, Reach: .5, Factor: 1,
			Path: [][2]float64{{0, 0}, {1, 1}}}
		if p.Cut == "overflow" {
			x.Touched.Reach = math.Inf(1)
		}
		if p.Against != "" {
			x.Touched.Other = &web.Other{Run: attack, Cut: attack, List: []web.Seen{{ID: 0, Name: "a", Mark: "inferred", Fact: fact},
				{ID: 2, Name: attack, Mark: "known", Fact: fact}}}
		}
	}
	return x, nil
}
func (atlas) DrawSight(context.Context, tracker.RunInfo, web.Spot) (chart.Chart, error) {
	return chart.Circles(chart.Options{Title: attack}, []chart.Circle{{Name: attack, R: 1, Mark: chart.Head}}), nil
}

// The page of a space shows hostile names as text, leads on with a trail, and holds what its script draws.
func TestExplore(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	id := logRun(t, tr, tracker.RunSpec{Name: "model"})
	h := web.New(tr, web.Options{Answerer: oracle{can: true}, Explorer: atlas{has: true}})
	page := "/runs/" + id + "/explore"
	whole := "?entity=" + url.QueryEscape(attack) + "&relation=r&side=heads&cut=top-3"
	for address, want := range map[string][]string{
		"":                   {"Where to begin", ">c</a> <span class=\"faint\">5 known facts"},
		"?entity=a":          {"Nearest spheres", "gap 1", `<h2 id="here"`, "<h3>Inferred", "[2,&#34;inferred&#34;]"},
		whole:                {"1 answer by the cut margin; the graph has 1 known and 3 held-out ones", `<li class="inferred" hidden`},
		whole + "&size=2":    {"1 answer by the cut margin, the first 2 are shown; the graph", `<li class="inferred" data-id`},
		whole + "&against=x": {"1 answer of both, 0 only here, 1 only there", `<li class="known" hidden data-id="2"><a`, "against=x"},
		strings.Replace(whole, "top-3", "none", 1) + "&against=x": {"0 answers by the cut margin, the first is shown;",
			"0 answers of both, 0 only here, 2 only there"},
		"?entity=a&trail=x%25zz": {"Nearest spheres"}, // somebody wrote it by hand
	} {
		code, text, _ := get(t, h, page+address)
		if code != http.StatusOK || strings.Contains(text, attack) {
			t.Fatalf("%s: %d, or a name is not escaped", address, code)
		}
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q:\n%s", address, part, text)
			}
		}
	}
	code, text, _ := get(t, h, page+"?entity=a&relation=r&cut=overflow")
	if code != http.StatusConflict || !strings.Contains(text, "cannot be used: a has numbers around it that overflowed") {
		t.Errorf("numbers that overflowed: %d\n%s", code, text)
	}
	_, text, _ = get(t, h, page+whole)
	raw := html.UnescapeString(between(text, `data-sight="`, `"`))
	var data struct {
		Entity  int
		Nearest []int
		Facts   [][]any
		Touched struct {
			IDs    []int
			Marks  []string
			Values []float64
			Size   int
		}
	}
	if err := json.Unmarshal([]byte(raw), &data); err != nil || data.Entity != 1 ||
		!slices.Equal(data.Touched.IDs, []int{2, 0}) || data.Touched.Values[1] != .25 || len(data.Facts) != 1 || data.Facts[0][1] != "held out" || data.Touched.Size != 1 {
		t.Errorf("the script gets %s, %v", raw, err)
	}
	// The form keeps the step that one came from; sent twice, it has it once.
	sent := html.UnescapeString(between(text, `name="trail" value="`, `"`))
	step := url.Values{"entity": {attack}, "relation": {"r"}, "side": {"heads"}, "cut": {"top-3"}}
	if want := step.Encode(); sent != want {
		t.Errorf("the form sends the step %q, want %q", sent, want)
	}
	_, again, _ := get(t, h, page+whole+"&trail="+url.QueryEscape(sent))
	if strings.Count(again, `name="trail"`) != 1 || strings.Contains(again, `aria-label="Trail"`) {
		t.Error("a form that is sent twice has its step twice")
	}
	// An answer leads on, with the way back; a second step keeps the first.
	next := html.UnescapeString(between(text[strings.Index(text, `<ol class="seen"`):], `<a href="`, `"`))
	_, text, _ = get(t, h, next)
	back := html.UnescapeString(between(text[strings.Index(text, `aria-label="Trail"`):], `<a href="`, `"`))
	asked, err := url.Parse(back)
	expect.NoError(t, err)
	if q := asked.Query(); q.Get("entity") != attack || q.Get("relation") != "r" || q.Get("side") != "heads" ||
		q.Get("cut") != "top-3" || q.Has("trail") {
		t.Errorf("the way back is %s", back)
	}
	for address, want := range map[string]int{page + "?entity=wrong": 400, page + "?relation=r": 400, page + "?entity=a&size=x": 400,
		"/runs/" + id + "/sight.svg?entity=a": 200, "/runs/" + id + "/sight.pdf?entity=a": 200, "/runs/" + id + "/sight.svg?size=-2": 400} {
		if code, _, _ := get(t, h, address); code != want {
			t.Errorf("%s: %d, want %d", address, code, want)
		}
	}
	for question, want := range map[string]string{"?head=a&relation=r&cut=top-3": "/explore?cut=top-3&entity=a&relation=r",
		"?relation=r&tail=b": "/explore?entity=b&relation=r&side=heads", "?head=a&tail=b": "", "?q=a+%3E+r": ""} {
		_, text, _ := get(t, h, "/runs/"+id+"/ask"+question)
		link := html.UnescapeString(between(text, `<a href="/runs/`+id+`/explore`, `"`))
		if link != strings.TrimPrefix(want, "/explore") {
			t.Errorf("the answers to %s lead to %q, want %q", question, link, want)
		}
	}
	_, text, _ = get(t, h, "/runs/"+id)
	if !strings.Contains(text, `href="/runs/`+id+`/explore"`) {
		t.Error("the run does not lead to its space")
	}
	for _, o := range []web.Options{{Answerer: oracle{can: true}}, {Answerer: oracle{can: true}, Explorer: atlas{}}} {
		h := web.New(tr, o)
		if code, text, _ := get(t, h, page); code != http.StatusNotFound || !strings.Contains(text, "cannot be explored") {
			t.Errorf("a run without a space: %d %s", code, text)
		}
		if _, text, _ := get(t, h, "/runs/"+id); strings.Contains(text, "/explore") {
			t.Error("a run without a space leads to one")
		}
	}
}

// between returns what lies between two parts of a text.
func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
}

// A space is sent compressed, and only if the browser does not have it.
func TestExploreSpaceOnce(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	id := logRun(t, tr, tracker.RunSpec{Name: "model"})
	h := web.New(tr, web.Options{Answerer: oracle{can: true}, Explorer: atlas{has: true}})
	ask := func(header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/runs/"+id+"/space.json", nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	zipped := ask("Accept-Encoding", "br, gzip")
	z, err := gzip.NewReader(zipped.Body)
	expect.NoError(t, err)
	var space struct {
		Names  []string
		X, Y   []float64
		Degree []int
	}
	expect.NoError(t, json.NewDecoder(z).Decode(&space))
	if space.Names[1] != attack || space.X[1] != 1.2346 || space.Y[1] != 1e-7 || space.Degree[2] != 5 {
		t.Errorf("the space is %+v", space)
	}
	tag := zipped.Header().Get("ETag")
	if again := ask("Accept-Encoding", "gzip", "If-None-Match", tag); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("the same space again: %d, %d bytes", again.Code, again.Body.Len())
	}
	if plain := ask("If-None-Match", tag); plain.Code != http.StatusOK || !json.Valid(plain.Body.Bytes()) {
		t.Errorf("without compression: %d", plain.Code)
	}
}
