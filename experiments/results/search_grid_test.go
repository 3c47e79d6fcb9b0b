package results

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/search"
)

func TestSearchGrid(t *testing.T) {
	t.Parallel()
	s := &experiments.Search{Config: "umls/sphere-2d", Metric: "valid/mrr", Trials: 4, Seeds: []uint64{1, 2},
		Space: search.Space{{Key: "gamma", Values: []string{"3", "6"}}}}
	report := &experiments.SearchReport{Search: s, Whole: true, Winner: []string{"ccccccccc"}, Trials: []*experiments.SearchTrial{
		{Number: 2, Items: []string{"gamma=3"}, Runs: []string{"aaaaaaaaaa", "bbbbbbbbbb"}, Epochs: 9,
			Scores: []float64{.5, .7}},
		{Number: 3, Items: []string{"gamma=6"}, Epochs: 4, Scores: []float64{.25, .25}},
		{Number: 4, Items: []string{"gamma=9"}, Failed: "diverged"},
	}}
	var b bytes.Buffer
	if err := SearchGrid(report, nil).WriteText(&b, Page{}); err != nil {
		t.Fatal(err)
	}
	// The interval of .5 and .7 by hand: the standard error is .1 and the quantile of one degree of freedom 12.706.
	for _, want := range []string{"1      2  3          .6000  1.2706       9  aaaaaaaa bbbbbbbb", ".2500   .0000       4",
		"diverged       -       0", "is the mean over the seeds 1 2", "on the test triples: run cccccccc"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	report.Whole, report.Winner = false, nil
	b.Reset()
	if err := SearchGrid(report, nil).WriteText(&b, Page{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "3 of 4 trials have a score; the search is not at its end") {
		t.Errorf("before the end:\n%s", b.String())
	}
}
