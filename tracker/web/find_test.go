package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

type store = web.Store

// watchedStore counts what pages read, and how long they may.
type watchedStore struct {
	store
	lists, reads int
	time         time.Duration // until the deadline of the last list
	err          error         // of lists
}

func (s *watchedStore) List(ctx context.Context, l tracker.Listing) (tracker.Listed, error) {
	s.lists++
	end, _ := ctx.Deadline()
	s.time = time.Until(end)
	if s.err != nil {
		return tracker.Listed{}, s.err
	}
	return s.store.List(ctx, l)
}

func (s *watchedStore) Runs(ctx context.Context, f tracker.Filter) ([]tracker.RunInfo, error) {
	s.reads++
	return s.store.Runs(ctx, f)
}

// TestSearchIsReadOnce: a search lists its runs once. Only runs without any usual column have all their keys read.
func TestSearchIsReadOnce(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	watched := &watchedStore{store: tr}
	h := web.New(watched, web.Options{})
	logRun(t, tr, tracker.RunSpec{Experiment: "ours", Params: map[string]string{"variant": "clean", "model": "rotate"}},
		map[string]float64{"loss": 1})
	logRun(t, tr, tracker.RunSpec{Experiment: "py", Params: map[string]string{"lr": "1"}}, map[string]float64{"acc": 1})
	for address, want := range map[string][2]int{"/": {1, 0}, "/?q=ours": {1, 0}, "/runs.csv?experiment=ours": {1, 0},
		"/groups?experiment=ours": {1, 0}, "/?experiment=py": {2, 1}, "/?experiment=py&col=metric/acc": {1, 0},
		"/?q=nothing+fits": {1, 0}} {
		watched.lists, watched.reads = 0, 0
		if code, text, _ := get(t, h, address); code != http.StatusOK || [2]int{watched.lists, watched.reads} != want {
			t.Errorf("%s: %d, lists %d, reads %d, want %v\n%.200s", address, code, watched.lists, watched.reads, want, text)
		}
	}
	// Files have more time than pages.
	for address, most := range map[string]time.Duration{"/?q=ours": 30 * time.Second,
		"/runs.csv?q=ours": 5 * time.Minute} {
		get(t, h, address)
		if watched.time > most || watched.time < most/2 {
			t.Errorf("%s: a search has %v, want %v", address, watched.time, most)
		}
	}
	watched.err = errors.New("broken")
	for _, address := range []string{"/?q=ours", "/groups?q=ours", "/runs.csv?q=ours", "/params?q=ours"} {
		watched.lists = 0
		if code, _, _ := get(t, h, address); code != http.StatusInternalServerError || watched.lists != 1 {
			t.Errorf("%s: a broken database gives %d after %d searches", address, code, watched.lists)
		}
	}
}

// TestSortedGroupsHaveTheirColumns: sorting by what only configurations have keeps the columns of an experiment.
func TestSortedGroupsHaveTheirColumns(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	logRun(t, tr, tracker.RunSpec{Experiment: "ours", Params: map[string]string{"seed": "1"}},
		map[string]float64{"loss": 1})
	logRun(t, tr, tracker.RunSpec{Experiment: "py", Params: map[string]string{"lr": "1"}}, map[string]float64{"acc": 1})
	for _, address := range []string{"/groups?experiment=py", "/groups?experiment=py&sort=runs",
		"/groups?experiment=py&sort=metric/acc"} {
		if heads := strings.Join(texts(document(t, h, address), "th"), "|"); !strings.Contains(heads, "seeds|acc|") {
			t.Errorf("%s has the columns %s", address, heads)
		}
	}
}

// TestCommandOfAnAddressIsPlain: what an address says cannot turn the direction of a command.
func TestCommandOfAnAddressIsPlain(t *testing.T) {
	t.Parallel()
	h := web.New(trackertest.Store(t), web.Options{First: first})
	_, text, _ := get(t, h, "/?experiment="+url.QueryEscape("a\u202eb"))
	if !strings.Contains(text, "<code>spherelab train a\ufffdb</code>") {
		t.Errorf("the page says %s", text)
	}
}

// hashed calls runs with a config hash "ours".
type hashed struct{ meaning }

func (hashed) State(run tracker.RunInfo) string {
	return map[bool]string{true: "ours"}[run.Params["config_hash"] != ""]
}

// TestTableReadsWhatTheStateNeeds: the table calls a run what its own page does, whatever columns it shows.
func TestTableReadsWhatTheStateNeeds(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{Reader: hashed{}})
	logRun(t, tr, tracker.RunSpec{Experiment: "e", Params: map[string]string{"config_hash": "x", "lr": "1"}})
	for _, address := range []string{"/", "/?experiment=e", "/?col="} {
		if cells := texts(document(t, h, address), "td"); len(cells) < 4 || cells[3] != "ours" {
			t.Errorf("%s: the cells are %q", address, cells)
		}
	}
}
