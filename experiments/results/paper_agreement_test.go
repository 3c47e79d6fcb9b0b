package results

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

func TestAgreement(t *testing.T) {
	paper := &PaperCells{Values: map[Metric]float64{HeadF1: .300, TailF1: .400, NNF1: .500}}
	rows := []Row{
		{Model: "RotatE", Cut: eval.Top(1), Protocol: protocolClean, Paper: paper,
			Numbers: Numbers{HeadF1: {Value: .3154}, TailF1: {Value: .384},
				HeadRR: {Value: .9}}},
		{Model: "RotatE", Cut: eval.Top(3), Protocol: protocolClean, Paper: paper},
		{Model: "RotatE", Cut: margin, Numbers: Numbers{HeadF1: {Value: .9}}},
	}
	if got, want := agreement(rows),
		"1 of the 2 numbers of the paper next to ours are within .015; not: RotatE, top-1, tail F1 (-.016)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	rows[0].Numbers[TailF1] = Number{Value: .386}
	if got, want := agreement(rows), "2 of the 2 numbers of the paper next to ours are within .015."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := agreement(rows[1:]); got != "" {
		t.Errorf("nothing of ours agrees: %q", got)
	}
}

// TestPaperIsMetUnderOneProtocol: a model's numbers are counted under the protocol by which most of them agree, and one
// that agrees under another protocol alone is apart.
func TestPaperIsMetUnderOneProtocol(t *testing.T) {
	t.Parallel()
	paper := &PaperCells{Values: map[Metric]float64{HeadF1: .3, TailF1: .4, HeadRR: .5, TailRR: .6}}
	row := func(protocol string, head, tail, headRR, tailRR float64) Row {
		return Row{Model: "HousE-5D", Cut: eval.Top(1), Protocol: protocol, Paper: paper, Numbers: Numbers{
			HeadF1: {Value: head}, TailF1: {Value: tail}, HeadRR: {Value: headRR}, TailRR: {Value: tailRR}}}
	}
	rows := []Row{row("clean", .9, .9, .501, .9), row("released", .301, .9, .9, .9), row("tie", .301, .401, .9, .601)}
	beside, all := compareWithPaper(rows)
	if beside != 4 || len(all) != 1 || all[0].column != "head RR" || metUnder(rows)["HousE-5D"] != "tie" {
		t.Errorf("%d next to, apart %v, met under %v", beside, all, metUnder(rows))
	}
	if text := agreement(rows); !strings.Contains(text, "within .015 (HousE-5D under protocol tie); not: ") {
		t.Errorf("%q does not name the protocol", text)
	}
	if met := metUnder(rows[:2])["HousE-5D"]; met != "clean" {
		t.Errorf("of two protocols with one number each, the paper is met under %q", met)
	}
}

// TestDifferencesAreCounted: many differences fill a screen by name, so they are counted by model.
func TestDifferencesAreCounted(t *testing.T) {
	t.Parallel()
	paper := &PaperCells{Values: map[Metric]float64{HeadF1: .3, TailF1: .4, NNF1: .5}}
	far := Numbers{HeadF1: {Value: .9}, TailF1: {Value: .9}, NNF1: {Value: .9}}
	rows := []Row{
		{Model: "HousE-5D", Cut: eval.Top(1), Protocol: protocolClean, Paper: paper, Numbers: far},
		{Model: "HousE-5D", Cut: eval.Top(3), Protocol: protocolClean, Paper: paper, Numbers: far},
		{Model: "RotatE", Cut: eval.Top(1), Protocol: protocolClean, Paper: paper,
			Numbers: Numbers{HeadF1: {Value: .9}, TailF1: {Value: .4}, NNF1: {Value: .9}}},
		{Model: "RotatE", Cut: eval.Top(3), Protocol: protocolClean, Paper: paper,
			Numbers: Numbers{HeadF1: {Value: .9}}},
	}
	if got, want := agreement(rows), "1 of the 10 numbers of the paper next to ours are within .015; not: 6 of HousE-5D, "+
		"3 of RotatE. JSON has the difference of each number, CSV the paper's."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := agreement(rows[1:]); !strings.Contains(got, "HousE-5D, top-3, head F1 (+.600); ") {
		t.Errorf("six differences without their names: %q", got)
	}
}

// TestResultsAgreeWithThePaper holds the embedded results on the paper's graphs: docs/reproduction.md counts what
// agrees under each protocol, and names what is not within the tolerance, as the table does. A model of which more is
// apart than a note names has a line for each row of the paper.
func TestResultsAgreeWithThePaper(t *testing.T) {
	listed, err := os.ReadFile("../../docs/reproduction.md")
	expect.NoError(t, err)
	page := string(listed)
	for _, graph := range paperGraphs {
		table, err := resultTable(context.Background(), storedRuns{}, EmbeddedResults, graph, Options{})
		expect.NoError(t, err)
		beside, all := compareWithPaper(table.Rows)
		if beside == 0 {
			t.Errorf("%s: no result stands next to a number of the paper", graph)
		}
		lines := protocolLines(table.Rows)
		many := map[string]int{}
		for _, a := range all {
			many[a.model]++
		}
		for _, row := range table.Rows {
			if row.Paper != nil && row.Protocol == eval.ProtocolTie && many[row.Model] > namedApart {
				lines = append(lines, differenceLine(row))
			}
		}
		for _, line := range lines {
			if !strings.Contains(page, line+"\n") {
				t.Errorf("%s: docs/reproduction.md lacks the line\n%s", graph, line)
			}
		}
		for _, a := range all {
			if many[a.model] <= namedApart && !strings.Contains(page, a.String()) {
				t.Errorf("%s: %s is not in docs/reproduction.md", graph, a)
			}
		}
	}
}

// protocolLines are the lines of a markdown table, one for each model with several protocols: its run, how many
// numbers the paper has, and how many of them agree under clean, released and tie.
func protocolLines(rows []Row) []string {
	agreeing := countAgreeing(rows)
	var lines []string
	for _, row := range rows {
		under := agreeing[row.Model]
		if row.Paper == nil || row.Protocol != eval.ProtocolTie || under == nil {
			continue
		}
		printed := 0
		for _, r := range rows {
			if r.Model == row.Model && r.Protocol == row.Protocol && r.Paper != nil {
				printed += len(r.Paper.Values)
			}
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %d | %d | %d | %d |", row.Model, tracker.ShortID(row.RunIDs[0]),
			printed, under[protocolClean], under[eval.ProtocolReleased], under[eval.ProtocolTie]))
		delete(agreeing, row.Model)
	}
	return lines
}

// differenceLine is a line of a markdown table: ours less the paper's, those within the tolerance in bold.
func differenceLine(row Row) string {
	line := "| " + row.Model + " | " + row.Cut.Name() + " |"
	for _, c := range resultColumns {
		paper, printed := row.Paper.Values[c.metrics[0]]
		if !printed {
			continue
		}
		ours := row.Numbers[c.metrics[0]].Value
		cell := signed(ours - paper)
		if reproduces(ours, paper) {
			cell = "**" + cell + "**"
		}
		line += " " + cell + " |"
	}
	return line
}
