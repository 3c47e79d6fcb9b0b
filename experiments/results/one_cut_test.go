package results

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
)

// TestRunsStandAtOneCut: a list and a comparison have runs of several cuts at one of them, which they name; a run
// without it has a dash, and runs of one cut keep their own.
func TestRunsStandAtOneCut(t *testing.T) {
	t.Parallel()
	run := func(id, cut string, metrics map[string]float64) Run {
		metrics["test/mrr"] = .0625
		return Read(tracker.RunInfo{ID: strings.Repeat(id, 32), Name: id, Status: "FINISHED",
			Tags: map[string]string{"criterion": cut}, Metrics: metrics})
	}
	a := run("a", "sphere", map[string]float64{"test/head_f1": .75, "test/tail_f1": .875, "test/margin/head_f1": .25,
		"test/margin/tail_f1": .375})
	b := run("b", "margin", map[string]float64{"test/head_f1": .5, "test/tail_f1": .625})
	c := run("c", "top-mean", map[string]float64{"test/head_f1": .9375, "test/tail_f1": .8125})
	runs := []Run{a, b, c}
	cut := OneCut(runs)
	if cut != "margin" || OneCut(runs[1:2]) != "" {
		t.Fatalf("the cut is %q; of one run %q", cut, OneCut(runs[1:2]))
	}
	grid := func(g *Grid, from int) string {
		var lines []string
		for _, row := range g.Rows {
			lines = append(lines, strings.Join(row[from:], " "))
		}
		return strings.Join(lines, "; ")
	}
	if got := grid(RunGrid(runs, "text", cut), 10); got != "0.25 0.375 0.0625; 0.5 0.625 0.0625; - - 0.0625" {
		t.Errorf("the list has %s", got)
	}
	const file = "0.25 0.375 0.0625 margin; 0.5 0.625 0.0625 margin;   0.0625 "
	if got := grid(RunGrid(runs, "csv", cut), 10); got != file {
		t.Errorf("the list's CSV has %s", got)
	}
	if got := grid(RunGrid(runs[:1], "csv", ""), 10); got != "0.75 0.875 0.0625 sphere" {
		t.Errorf("the list of one run has %s", got)
	}
	g := CompareGrid(runs[:2], "text", Headlines)
	text := grid(g, 1)
	if !strings.Contains(text, "test/head_f1@margin 0.25 0.5 +0.25; ") || strings.Contains(text, "0.75") ||
		!strings.Contains(fmt.Sprint(g.Notes), "at one, whose name follows @: test/head_f1@margin, test/tail_f1@margin.") {
		t.Errorf("the comparison has %s, %v", text, g.Notes)
	}
	var compared strings.Builder
	expect.NoError(t, CompareGrid(runs, "csv", Everything).Write(&compared, "csv"))
	rows, err := csv.NewReader(strings.NewReader(compared.String())).ReadAll()
	if err != nil || fmt.Sprint(rows[0][4:], rows[1][4:6], rows[2][4:6], rows[3][4:6]) !=
		"[test/head_f1@margin test/margin/head_f1 test/margin/tail_f1 test/mrr test/tail_f1@margin] [0.25 0.25] [0.5 ] [ ]" {
		t.Errorf("the comparison's CSV has %v, %v", rows, err)
	}
}
