package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// oracle answers with the question, and attacks.
type oracle struct{ can bool }

func (o oracle) CanAsk(tracker.RunInfo) bool { return o.can }
func (oracle) Cuts(tracker.RunInfo) []string { return []string{"margin", "top-10"} }
func (oracle) PrecisionCut(p float64) string { return fmt.Sprint("precise-", p) }
func (oracle) Names(_ context.Context, _ tracker.RunInfo, relations bool, typed string) ([]string, error) {
	if relations {
		return nil, nil
	}
	return []string{attack + typed}, nil
}
func (oracle) Ask(_ context.Context, _ tracker.RunInfo, q web.Question) (web.Answer, error) {
	if q.Head == "wrong" {
		return web.Answer{}, errors.New("there is no entity " + attack)
	}
	title := strings.Join([]string{q.Head, q.Relation, q.Tail, q.Expression, q.Cut}, "|")
	return web.Answer{Title: title, Counts: attack, Notes: []string{attack}, Tables: []web.Table{
		{Title: "Answers", Columns: []web.Column{{Heading: "entity"}}, Rows: [][]string{{attack}},
			Facts: []web.Question{{Head: attack, Relation: "r", Tail: "b"}}}, {Title: "Near misses"}}}, nil
}
func (oracle) Explain(_ context.Context, _ tracker.RunInfo, q web.Question) (web.Explanation, error) {
	if q.Head == "wrong" {
		return web.Explanation{}, errors.New("there is no entity " + attack)
	}
	title := strings.Join([]string{q.Head, q.Relation, q.Tail, q.Expression, q.Cut}, "|")
	fact, gap := web.Question{Head: "c", Relation: attack, Tail: "d"}, web.Question{Head: "a", Relation: "r", Tail: "?"}
	x := web.Explanation{Title: title, Verdict: attack, Numbers: [][2]string{{"distance", attack}}, Notes: []string{attack},
		Cut:      []string{"cut" + attack},
		Evidence: &web.Evidence{Title: "evidence" + attack, None: "none" + attack, Notes: []string{attack}},
		Places: []web.Place{{Query: "a r ?" + attack, Asked: gap, Text: "in the set" + attack, Nearest: web.Table{
			Columns: []web.Column{{Heading: "entity"}, {Heading: "mark"}}, Rows: [][]string{{"n", "m"}},
			Facts: []web.Question{{Head: "a", Relation: "r", Tail: "n"}}}}}}
	if q.Tail != "bare" {
		x.Evidence.Kinds = []web.Reasons{{Heading: "paths", List: []web.Reason{{Text: attack, Numbers: "share 0.3",
			Facts: []web.Fact{{Text: "c " + attack + " d", Asked: fact}}}, {Text: "alone"}}}}
	}
	return x, nil
}

func (o oracle) WriteCSV(ctx context.Context, run tracker.RunInfo, q web.Question, w io.Writer) error {
	a, err := o.Ask(ctx, run, q)
	if err == nil {
		_, err = fmt.Fprintln(w, a.Title)
	}
	return err
}
func (oracle) Draws(_ tracker.RunInfo, q web.Question) bool { return q.Expression == "" }
func (oracle) Draw(_ context.Context, _ tracker.RunInfo, q web.Question) (chart.Chart, error) {
	return chart.Scatter(chart.Options{Title: q.Head + attack}, chart.Series{Y: []float64{1, 2}}), nil
}

// The answer of a page is a file too, and where the model has one, a picture.
func TestAskCSVAndPicture(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	id := logRun(t, tr, tracker.RunSpec{Name: attack})
	h := web.New(tr, web.Options{Answerer: oracle{true}})
	page := "/runs/" + id + "/ask?head=a&relation=r&cut=precision&precision=0.35"
	tree := document(t, h, page)
	follow(t, h, tree)
	if n := pictures(t, h, tree); n != 2 {
		t.Errorf("%d pictures", n)
	}
	if n := pictures(t, h, document(t, h, "/runs/"+id+"/ask?q=a+%3E+r")); n != 0 {
		t.Errorf("%d pictures of an expression", n)
	}
	if _, text, _ := get(t, h, "/runs/"+id+"/answers.csv?head=a&relation=r&cut=precision&precision=0.35"); text !=
		"a|r|?||precise-0.35\n" {
		t.Errorf("CSV %q", text)
	}
	for address, want := range map[string]int{"answers.csv": 400, "answers.csv?head=wrong": 400, "circles.svg": 400,
		"circles.svg?q=a": 404, "circles.svg?head=a&cut=precision&precision=7": 400, "circles.gif?head=a": 404} {
		if code, _, _ := get(t, h, "/runs/"+id+"/"+address); code != want {
			t.Errorf("%s: %d, want %d", address, code, want)
		}
	}
}

func TestAskPage(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	id := logRun(t, tr, tracker.RunSpec{Name: attack})
	h := web.New(tr, web.Options{Answerer: oracle{true}})
	page := "/runs/" + id + "/ask"
	follow(t, h, document(t, h, "/runs/"+id))
	if heads := texts(document(t, h, page), "h2"); len(heads) != 0 {
		t.Errorf("without a question there is an answer: %q", heads)
	}
	for query, want := range map[string]string{
		"head=a&relation=r":                                        "a|r|?||",
		"relation=r&tail=b":                                        "?|r|b||",
		"head=a&tail=b":                                            "a|?|b||",
		"head=%3F&relation=r&tail=b":                               "?|r|b||",
		"q=a+%3E+r&cut=top-10":                                     "|||a > r|top-10",
		"q=a+%3E+r&cut=top-3":                                      "|||a > r|top-3",
		"head=a&relation=r&cut=precision&precision=0.35":           "a|r|?||precise-0.35",
		"head=a&relation=r&cut=margin&precision=0.35":              "a|r|?||margin",
		"head=" + url.QueryEscape(attack) + "&relation=r&tail=%3F": attack + "|r|?||",
	} {
		tree := document(t, h, page+"?"+query)
		if heads := texts(tree, "h2"); heads[0] != want {
			t.Errorf("%s is understood as %q, want %q", query, heads[0], want)
		}
		if cells := texts(tree, "td"); !slices.Equal(cells, []string{attack}) {
			t.Errorf("%s has %q", query, cells)
		}
	}
	for _, bad := range []string{"0", "1", "x", "NaN"} {
		if code, _, _ := get(t, h, page+"?head=a&relation=r&cut=precision&precision="+bad); code != http.StatusBadRequest {
			t.Errorf("precision %s: %d", bad, code)
		}
	}
	code, text, _ := get(t, h, page+"?head=wrong&relation=r")
	if code != http.StatusBadRequest || !strings.Contains(text, `role="alert"`) || strings.Contains(text, "<script>alert") ||
		!strings.Contains(text, `value="wrong"`) {
		t.Errorf("%d\n%s", code, text)
	}
	for kind, want := range map[string]int{"entity": 1, "relation": 0} {
		_, text, header := get(t, h, "/runs/"+id+"/names?kind="+kind+"&typed=x")
		var list []string
		if err := json.Unmarshal([]byte(text), &list); err != nil || len(list) != want || list == nil ||
			header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %q, %v", kind, text, err)
		}
	}
	for _, o := range []web.Options{{}, {Answerer: oracle{}}, {Answerer: oracle{}, Reader: meaning{}}} {
		h := web.New(tr, o)
		if _, text, _ := get(t, h, page); strings.Contains(text, "spherelab train ") != (o.Reader != nil) {
			t.Errorf("a run without a model has the remedy %s", text)
		}
		if code, text, _ := get(t, h, page); code != http.StatusNotFound || !strings.Contains(text, `href="/runs/`+id+`"`) ||
			!strings.Contains(text, "has no trained model on this machine: it is on the machine that trained") {
			t.Errorf("a run without a model answers: %d %s", code, text)
		}
		if _, text, _ := get(t, h, "/runs/"+id); strings.Contains(text, "/ask") {
			t.Error("a run without a model offers to answer")
		}
	}
}
