package web_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// finder answers for graphs with a run, and says which it was asked for.
type finder struct {
	id    string
	asked []string
}

func (*finder) Graphs() ([]string, error) { return []string{"bundled", attack, "broken"}, nil }
func (f *finder) Answering(_ context.Context, graph string) (string, error) {
	f.asked = append(f.asked, graph)
	if graph == "broken" {
		return "", errors.New("the graph has no facts " + attack)
	}
	return f.id, nil
}

// TestAskGraph: a graph is asked without a run's name, by the run that answers for it; only graphs of the list are.
func TestAskGraph(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	f := &finder{id: logRun(t, tr, tracker.RunSpec{Name: "answers"})}
	h := web.New(tr, web.Options{Answerer: oracle{true}, Graphs: f})
	if links := texts(document(t, h, "/"), "nav"); !strings.Contains(strings.Join(links, " "), "Ask a graph") {
		t.Errorf("the pages do not lead to the form: %q", links)
	}
	if names := texts(document(t, h, "/ask"), "option"); !slices.Equal(names, []string{"bundled", attack, "broken"}) {
		t.Errorf("graphs %q", names)
	}
	for _, graph := range []string{"bundled", attack} {
		if code, to := post(t, h, "/ask", url.Values{"graph": {graph}}); code != 303 || to != "/runs/"+f.id+"/ask" {
			t.Errorf("%s: %d, %s", graph, code, to)
		}
	}
	for graph, want := range map[string]int{"broken": 400, "/etc/passwd": 400, "": 400} {
		if code, _ := post(t, h, "/ask", url.Values{"graph": {graph}}); code != want {
			t.Errorf("%q: %d, want %d", graph, code, want)
		}
	}
	if want := []string{"bundled", attack, "broken"}; !slices.Equal(f.asked, want) {
		t.Errorf("asked for %q, want %q", f.asked, want)
	}
	bare := web.New(tr, web.Options{Answerer: oracle{true}})
	if code, _, _ := get(t, bare, "/ask"); code != 404 {
		t.Errorf("without an answerer: %d", code)
	}
	if links := texts(document(t, bare, "/"), "nav"); strings.Contains(strings.Join(links, " "), "Ask a graph") {
		t.Errorf("a link leads nowhere: %q", links)
	}
}
