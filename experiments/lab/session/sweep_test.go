package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestSweep searches, and trains a list, with the board of results in the display; again nothing is trained.
func TestSweep(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	s, _ := newTestSession(t, tr)
	folder := t.TempDir()
	config := fmt.Sprintf("data: %s\nsplit: {valid: 0.15, test: 0.1}\nmodel: sphere-2d\ndimension: 4\ntrain: {epochs: 2, "+
		"batch: 16, negatives: 4}\neval: {every: 1, bootstrap: 0}\n", ring(t, 40))
	for name, content := range map[string]string{
		"small.yaml":  config,
		"search.yaml": "search:\n  config: small.yaml\n  method: grid\n  space:\n    gamma: [2, 4]\n",
		"list.yaml":   "runs:\n  - {config: small.yaml, seeds: [1, 2]}\n",
	} {
		expect.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	found := s.Sweep(filepath.Join(folder, "search.yaml"))
	best := found.Best()
	if text := found.String(); !strings.Contains(text, tracker.ShortID(best.ID())) || found.Runs().Len() != 1 ||
		best.Metric("test/mrr") == 0 {
		t.Errorf("the best run is %s:\n%s", tracker.ShortID(best.ID()), text)
	}
	list := s.Sweep(filepath.Join(folder, "list.yaml"), "gamma=3")
	if list.Runs().Len() != 2 || list.Runs().At(0).Param("gamma") != "3" || !strings.Contains(list.HTML(), "done") {
		t.Errorf("the list is\n%s", list)
	}
	before, err := tr.Runs(t.Context(), tracker.Filter{})
	expect.NoError(t, err)
	s.Sweep(filepath.Join(folder, "search.yaml"))
	if after, err := tr.Runs(t.Context(), tracker.Filter{}); err != nil || len(after) != len(before) {
		t.Errorf("%d runs before, %d when swept again, %v", len(before), len(after), err)
	}
	for want, sweep := range map[string]func(){
		"cannot read sweep": func() { s.Sweep(filepath.Join(folder, "none.yaml")) },
		"does not search":   func() { list.Best() },
	} {
		if e := caught(t, sweep); !strings.Contains(e.Message, want) {
			t.Errorf("%s: %s, want %q", e.Name, e.Message, want)
		}
	}
}

// TestScoreboard: a chart of trials and of the best so far stands above the run in progress.
func TestScoreboard(t *testing.T) {
	t.Parallel()
	l := newLive(func(map[string]interface{}) {}, time.Now, nil)
	l.above = (&scoreboard{said: "trial 3 of 9",
		sweep: &search.Sweep{Search: &search.Search{Metric: "valid/mrr"}},
		trial: series{[]float64{1, 2}, []float64{.5, .4}}, best: series{[]float64{1, 2}, []float64{.5, .5}}}).above
	if html := l.html(); !strings.Contains(html, "trial 3 of 9") || !strings.Contains(html, `alt="valid/mrr"`) {
		t.Errorf("the display is\n%s", html)
	}
	if text := l.text(); !strings.HasPrefix(text, "trial 3 of 9\n") {
		t.Errorf("the text is\n%s", text)
	}
}

// TestScoreboardOfAList: runs whose own cuts differ are in one chart at one cut, which the legend names.
func TestScoreboardOfAList(t *testing.T) {
	t.Parallel()
	run := func(cut string, metrics map[string]float64) tracker.RunInfo {
		return tracker.RunInfo{Tags: map[string]string{tracker.TagCriterion: cut}, Metrics: metrics}
	}
	margin := run("margin", map[string]float64{"test/head_f1": .9, "test/tail_f1": .8, "test/fitted-novel/head_f1": .3,
		"test/fitted-novel/tail_f1": .2})
	sphere := run("sphere", map[string]float64{"test/head_f1": .7, "test/tail_f1": .6, "test/fitted-novel/head_f1": .4,
		"test/fitted-novel/tail_f1": .1})
	for _, c := range []struct {
		runs       []tracker.RunInfo
		head, tail string
		heads      []float64
		tails      []float64
	}{
		{[]tracker.RunInfo{margin, margin}, "head F1", "tail F1", []float64{.9, .9}, []float64{.8, .8}},
		{[]tracker.RunInfo{margin, sphere}, "head F1 @fitted-novel", "tail F1 @fitted-novel", []float64{.3, .4},
			[]float64{.2, .1}},
	} {
		b := &scoreboard{sweep: &search.Sweep{}, runs: c.runs}
		head, tail := b.numbers("head F1", "test/head_f1"), b.numbers("tail F1", "test/tail_f1")
		if head.Name != c.head || tail.Name != c.tail || !slices.Equal(head.Y, c.heads) ||
			!slices.Equal(tail.Y, c.tails) {
			t.Errorf("%s: %v, %s: %v", head.Name, head.Y, tail.Name, tail.Y)
		}
		if _, picture := b.above(); picture == nil {
			t.Error("two runs have no chart")
		}
	}
}
