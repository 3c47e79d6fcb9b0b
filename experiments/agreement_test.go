package experiments

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestAgreement(t *testing.T) {
	paper := &PaperCells{Values: map[string]float64{"head_f1": .300, "tail_f1": .400, "nn_f1": .500}}
	rows := []Row{
		{Model: "RotatE", Cut: "top-1", Paper: paper, Metrics: map[string]float64{"head_f1": .3154, "tail_f1": .384, "head_rr": .9}},
		{Model: "RotatE", Cut: "top-3", Paper: paper},
		{Model: "RotatE", Cut: "margin", Metrics: map[string]float64{"head_f1": .9}},
	}
	if got, want := agreement(rows), "1 of the 2 numbers of the paper beside ours are within .015; not: RotatE, top-1, tail F1 (-.016)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	rows[0].Metrics["tail_f1"] = .386
	if got, want := agreement(rows), "2 of the 2 numbers of the paper beside ours are within .015."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := agreement(rows[1:]); got != "" {
		t.Errorf("nothing of ours agrees: %q", got)
	}
}

// TestResultsAgreeWithThePaper holds the results inside the program: what is not within the tolerance of the paper's
// number has to be named in docs/reproduction.md, as the table names it.
func TestResultsAgreeWithThePaper(t *testing.T) {
	listed, err := os.ReadFile("../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	list, err := EmbeddedResults()
	if err != nil {
		t.Fatal(err)
	}
	graphs := map[string]bool{}
	for _, a := range list {
		graphs[a.Info.Params["graph"]] = true
	}
	if len(graphs) == 0 {
		t.Fatal("there are no results inside the program")
	}
	for graph := range graphs {
		table, err := resultTable(context.Background(), storedRuns{}, EmbeddedResults, graph, TableOptions{})
		if err != nil {
			t.Fatal(err)
		}
		beside, all := compareWithPaper(table.Short)
		if beside == 0 {
			t.Errorf("%s: no result stands beside a number of the paper", graph)
		}
		for _, a := range all {
			if !strings.Contains(string(listed), a.String()) {
				t.Errorf("%s: %s is not in docs/reproduction.md", graph, a)
			}
		}
	}
}
