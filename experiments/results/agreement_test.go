package results

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/spherE/eval"
)

func TestAgreement(t *testing.T) {
	paper := &PaperCells{Values: map[Metric]float64{HeadF1: .300, TailF1: .400, NNF1: .500}}
	rows := []Row{
		{Model: "RotatE", Cut: eval.Top(1), Paper: paper,
			Numbers: Numbers{HeadF1: {Value: .3154}, TailF1: {Value: .384},
				HeadRR: {Value: .9}}},
		{Model: "RotatE", Cut: eval.Top(3), Paper: paper},
		{Model: "RotatE", Cut: margin, Numbers: Numbers{HeadF1: {Value: .9}}},
	}
	if got, want := agreement(rows),
		"1 of the 2 numbers of the paper beside ours are within .015; not: RotatE, top-1, tail F1 (-.016)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	rows[0].Numbers[TailF1] = Number{Value: .386}
	if got, want := agreement(rows), "2 of the 2 numbers of the paper beside ours are within .015."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := agreement(rows[1:]); got != "" {
		t.Errorf("nothing of ours agrees: %q", got)
	}
}

// TestResultsAgreeWithThePaper holds the embedded results on the paper's graphs: what is not within the tolerance of
// the paper's number has to be named in docs/reproduction.md, as the table names it.
func TestResultsAgreeWithThePaper(t *testing.T) {
	listed, err := os.ReadFile("../../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, graph := range paperGraphs {
		table, err := resultTable(context.Background(), storedRuns{}, EmbeddedResults, graph, Options{})
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
