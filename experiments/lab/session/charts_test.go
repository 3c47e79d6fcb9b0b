package session

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// TestSweepIsEvaluation: at score 0 the curve has the precision and recall of an evaluation, per relation and over all.
func TestSweepIsEvaluation(t *testing.T) {
	t.Parallel()
	_, run := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: 0.5},
		7)
	report, err := eval.Run(context.Background(), run.Model, run.Graph,
		eval.Settings{Cuts: []eval.Cut{eval.Criterion("")}, SkipRanking: true})
	expect.NoError(t, err)
	check := func(name string, id int32, head, tail eval.Scores) {
		c := sweep(context.Background(), run, testQueries(run.Graph, id))
		if len(c.Marked) != 1 || c.Threshold[c.Marked[0]] != 0 {
			t.Fatalf("%s: the run's cut is not marked", name)
		}
		i := c.Marked[0]
		precision, recall := (head.Precision+tail.Precision)/2, (head.Recall+tail.Recall)/2
		if math.Abs(c.Precision[i]-precision) > 1e-12 || math.Abs(c.Recall[i]-recall) > 1e-12 {
			t.Errorf("%s: precision %v and recall %v, the evaluation has %v and %v", name, c.Precision[i], c.Recall[i],
				precision, recall)
		}
		for k := 1; k < len(c.Recall); k++ {
			if c.Threshold[k] <= c.Threshold[k-1] || c.Recall[k] > c.Recall[k-1]+1e-12 {
				t.Errorf("%s: recall grows from %v to %v at score %v", name, c.Recall[k-1], c.Recall[k], c.Threshold[k])
			}
		}
		if math.Abs(c.Recall[0]-1) > 1e-12 {
			t.Errorf("%s: at the lowest score recall is %v", name, c.Recall[0])
		}
	}
	check("all", -1, report.Cuts[0].Head, report.Cuts[0].Tail)
	for _, g := range report.Cuts[0].Relations {
		check(g.Name, relationID(t, run.Graph, g.Name), g.Head, g.Tail)
	}
}

// TestChartWrite: a chart of a run is shown as one of package chart is, and what cannot be written ends the cell.
func TestChartWrite(t *testing.T) {
	t.Parallel()
	r, _ := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: 1}, 7)
	c := r.Circles("Max Born", "advised")
	if c.String() != c.Chart.String() || !reflect.DeepEqual(c.Render(), c.Chart.Render()) {
		t.Error("it is shown otherwise than the chart in it")
	}
	dir := t.TempDir()
	for _, write := range []func(string){c.Write, c.WriteFile} {
		path := filepath.Join(dir, "c.svg")
		write(path)
		svg, err := c.SVG()
		if raw, other := os.ReadFile(path); err != nil || other != nil || !bytes.Equal(raw, svg) {
			t.Errorf("the file is not the chart: %v, %v", err, other)
		}
		if e := caught(t, func() { write(filepath.Join(dir, "c.jpg")) }); !strings.Contains(e.Message,
			"must end in .svg, .pdf, .png or .txt") {
			t.Errorf("c.jpg: %s", e.Message)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "c.jpg")); !os.IsNotExist(err) {
		t.Errorf("c.jpg: %v", err)
	}
}

func TestPrecisionRecallSaysWhichF1(t *testing.T) {
	t.Parallel()
	r, _ := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: 1}, 7)
	if caption := r.PrecisionRecall("advised").Caption; !strings.Contains(caption,
		"F1 here is that of the averages, not the mean F1 of Bars") {
		t.Errorf("caption: %s", caption)
	}
	if title := r.PrecisionRecall("").Title; !strings.HasSuffix(title, ", cut sphere") { // other than that of Ask
		t.Errorf("title without the cut: %s", title)
	}
}
