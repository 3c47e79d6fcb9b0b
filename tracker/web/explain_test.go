package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// TestExplainPage: an answer leads to what explains it, by the cut of the answers; facts that support it and facts near
// it lead on, and its queries back.
func TestExplainPage(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	id := logRun(t, tr, tracker.RunSpec{Name: attack})
	h := web.New(tr, web.Options{Answerer: oracle{true}})
	page := "/runs/" + id + "/explain"
	cut := "&cut=precision&precision=0.35"
	follow(t, h, document(t, h, page))
	answers := document(t, h, "/runs/"+id+"/ask?head=a&relation=r"+cut)
	link := page + "?cut=precision&head=" + url.QueryEscape(attack) + "&precision=0.35&relation=r&tail=b"
	if links := sources(answers, "a", "href"); !slices.Contains(links, link) {
		t.Errorf("the answers lead to %q, want %s", links, link)
	}
	follow(t, h, answers)
	tree := document(t, h, link)
	follow(t, h, tree)
	if heads := texts(tree, "h2"); heads[0] != attack+"|r|b||precise-0.35" || heads[1] != "evidence"+attack {
		t.Errorf("the fact is understood as %q", heads)
	}
	if reasons := texts(tree, "ol"); len(reasons) != 1 || !strings.Contains(reasons[0], "share 0.3") ||
		strings.Count(reasons[0], "fact") != 1 || !strings.Contains(reasons[0], "1 fact") {
		t.Errorf("reasons %q", reasons)
	}
	links := sources(tree, "a", "href")
	for _, want := range []string{page + "?cut=precision&head=c&precision=0.35&relation=" + url.QueryEscape(attack) + "&tail=d",
		page + "?cut=precision&head=a&precision=0.35&relation=r&tail=n",
		"/runs/" + id + "/ask?cut=precision&head=a&precision=0.35&relation=r&tail=%3F"} {
		if !slices.Contains(links, want) {
			t.Errorf("the page leads to %q, want %s", links, want)
		}
	}
	if notes := texts(tree, "p"); notes[len(notes)-1] != "cut"+attack || !slices.Contains(notes, attack) {
		t.Errorf("notes %q", notes)
	}
	if hidden := sources(tree, "input", "value"); !slices.Equal(hidden[len(hidden)-2:], []string{"precision", "0.35"}) {
		t.Errorf("the form has %q", hidden)
	}
	if text := strings.Join(texts(document(t, h, page+"?head=a&relation=r&tail=bare"), "p"), " "); !strings.Contains(text,
		"none"+attack) {
		t.Errorf("without reasons the page says %q", text)
	}
}

// TestExplainErrors: what is wrong with a fact is said in words, above the form with what was typed.
func TestExplainErrors(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	id := logRun(t, tr, tracker.RunSpec{Name: attack})
	h := web.New(tr, web.Options{Answerer: oracle{true}})
	page := "/runs/" + id + "/explain"
	for query, want := range map[string]string{
		"head=wrong&relation=r&tail=b":   "there is no entity",
		"head=a&relation=r":              "a fact has a head, a relation and a tail",
		"head=a&relation=%3F&tail=b":     "a fact has a head, a relation and a tail",
		"head=a&relation=r&tail=b&cut=x": "",
	} {
		code, text, _ := get(t, h, page+"?"+query)
		wrong := strings.Contains(text, `role="alert"`)
		if (code == http.StatusBadRequest) != (want != "") || wrong != (want != "") || !strings.Contains(text, want) ||
			strings.Contains(text, "<script>alert") || !strings.Contains(text, `value="r"`) && !strings.Contains(query, "%3F") {
			t.Errorf("%s: %d\n%s", query, code, text)
		}
		if gap := strings.HasPrefix(want, "a fact"); gap != strings.Contains(text, "Ask what is missing") {
			t.Errorf("%s leads to a question: %t", query, !gap)
		}
	}
	if code, _, _ := get(t, h, page+"?head=a&relation=r&tail=b&cut=precision&precision=7"); code != http.StatusBadRequest {
		t.Errorf("precision 7: %d", code)
	}
	if code, text, _ := get(t, h, "/runs/none/explain?head=a&relation=r&tail=b"); code != http.StatusNotFound ||
		!strings.Contains(text, "no run") {
		t.Errorf("no run: %d %s", code, text)
	}
	h = web.New(tr, web.Options{Answerer: oracle{}})
	if code, text, _ := get(t, h, page+"?head=a&relation=r&tail=b"); code != http.StatusNotFound ||
		!strings.Contains(text, "has no trained model on this machine: it is on the machine that trained") {
		t.Errorf("a run without a model explains: %d %s", code, text)
	}
}
