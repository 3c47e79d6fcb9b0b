package results

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
)

func TestCutAndRankGrid(t *testing.T) {
	t.Parallel()
	run := Read(tracker.RunInfo{Tags: map[string]string{"criterion": "margin"}, Metrics: map[string]float64{
		"test/head_f1": 0.5, "test/head_f1_lo": 0.25, "test/head_f1_hi": 0.75, "test/top-10/head_f1": 0.125,
		"test/top-10/tail_rr": 1, "test/mrr": 0.0625, "test/hits_10": 0.5, "valid/head_f1": 9, "loss": 3}})
	text := func(g *Grid) string {
		lines := []string{}
		for _, c := range g.Columns {
			lines = append(lines, c.Key)
		}
		for _, row := range g.Rows {
			lines = append(lines, strings.Join(row, ","))
		}
		return strings.Join(lines, "|")
	}
	if got, want := text(CutGrid(run)),
		"cut|head_f1|tail_rr|margin (the run's own),0.5 [0.25, 0.75],|top-10,0.125,1"; got != want {
		t.Errorf("cuts %s, want %s", got, want)
	}
	if got, want := text(RankGrid(run)), "metric|value|mrr,0.0625|hits_10,0.5"; got != want {
		t.Errorf("ranks %s, want %s", got, want)
	}
	if none := Read(tracker.RunInfo{}); CutGrid(none).Rows != nil || RankGrid(none).Rows != nil {
		t.Error("a run without an evaluation has results")
	}
}
