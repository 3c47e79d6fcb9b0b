package results

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
)

func TestSearchGrid(t *testing.T) {
	t.Parallel()
	s := &search.Search{Config: "umls/sphere-2d", Metric: "valid/mrr", Trials: 4, Seeds: []uint64{1, 2},
		Space: search.Space{{Key: "gamma", Values: []string{"3", "6"}}}}
	report := &search.Report{Search: s, Whole: true, Winner: []string{"ccccccccc"}, Trials: []*search.Trial{
		{Number: 2, Items: []string{"gamma=3"}, Runs: []string{"aaaaaaaaaa", "bbbbbbbbbb"}, Epochs: 9,
			Scores: []float64{.5, .7}},
		{Number: 3, Items: []string{"gamma=6"}, Epochs: 4, Scores: []float64{.25, .25}},
		{Number: 4, Items: []string{"gamma=9"}, Failed: "diverged"},
	}}
	var b bytes.Buffer
	expect.NoError(t, SearchGrid(report, nil).WriteText(&b, Page{}))
	// The interval of .5 and .7 by hand: the standard error is .1 and the quantile of one degree of freedom 12.706.
	for _, want := range []string{"1      2  3          .6000  1.2706       9  aaaaaaaa bbbbbbbb", ".2500   .0000       4",
		"diverged       -       0", "is the mean over the seeds 1 2", "on the test triples: run cccccccc"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	report.Whole, report.Winner, report.Epochs, report.Most = false, nil, 26, 100
	b.Reset()
	// 13 s for 26 epochs, so 37 s for 74; two workers share them.
	began := time.Now()
	queue := []tracker.Job{{Kind: tracker.JobSearch, State: tracker.JobWaiting, Started: began},
		{Kind: tracker.JobRun, State: tracker.JobDone, Started: began, Ended: began.Add(13 * time.Second)},
		{Kind: tracker.JobRun, State: tracker.JobRunning}, {Kind: tracker.JobRun, State: tracker.JobRunning}}
	expect.NoError(t, SearchGrid(report, queue).WriteText(&b, Page{}))
	for _, want := range []string{"3 of 4 trials have a score; the search has not ended",
		"best so far: trial 2, valid/mrr .6000 after 9 epochs", "26 of at most 100 epochs are trained",
		"queue: 1 waiting, 2 running, 1 done, 0 failed, 0 canceled; about 19s left at this pace"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q before the end:\n%s", want, b.String())
		}
	}
}
