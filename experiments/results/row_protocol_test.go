package results

import (
	"math"
	"strings"
	"testing"
)

// TestProtocolsAreRowsOfTheirOwn: the metrics of a cut under protocol released or tie are in a row with its name and
// that protocol, and never in one with others.
func TestProtocolsAreRowsOfTheirOwn(t *testing.T) {
	run := paperRun("aa", "house-5d", "released", "42", .4, "top-1/")
	for metric, value := range map[string]float64{"head_f1": .051, "tail_f1": .5, "head_rr": .9, "tail_rr": .177} {
		run.Metrics["test/released-top-1/"+metric] = value
		run.Metrics["test/tie-top-1/"+metric] = value + .5
	}
	table := paperTable(t, storedRuns{run}, noResults, Options{})
	found := map[string]Row{}
	for _, row := range table.Rows {
		if row.Model == "HousE-5D" && row.CutName() == "top-1" {
			if _, twice := found[row.Protocol]; twice {
				t.Errorf("two rows of protocol %s", row.Protocol)
			}
			found[row.Protocol] = row
		}
	}
	clean, released := found["clean"], found["released"]
	if len(found) != 3 || found["tie"].Numbers[TailF1].Value != 1 || released.Numbers[HeadF1].Value != .051 || clean.Numbers[HeadF1].Value == .051 {
		t.Fatalf("rows by protocol: %v", found)
	}
	if clean.Paper == nil || released.Paper == nil || released.Paper.Values[HeadF1] != .051 {
		t.Errorf("the paper next to them: %v, %v", clean.Paper, released.Paper)
	}
	// The mean over seeds is of one protocol.
	again := paperRun("bb", "house-5d", "released", "43", .6, "top-1/")
	again.Metrics["test/released-top-1/head_f1"] = .071
	again.Metrics["test/tie-top-1/head_f1"] = .541
	seeds := paperTable(t, storedRuns{again, run}, noResults, Options{})
	for _, row := range seeds.Rows {
		if row.Model != "HousE-5D" || row.CutName() != "top-1" {
			continue
		}
		want := map[string]float64{"clean": clean.Numbers[HeadF1].Value + .1, "released": .061, "tie": .546}[row.Protocol]
		if got := row.Numbers[HeadF1].Value; len(row.RunIDs) != 2 || math.Abs(got-want) > 1e-12 {
			t.Errorf("protocol %s: mean %g of %d runs, want %g of 2", row.Protocol, got, len(row.RunIDs), want)
		}
	}
	// .051 and .177 agree under protocol released, the other two do not.
	_, apart := compareWithPaper([]Row{clean, released})
	var columns []string
	for _, a := range apart {
		columns = append(columns, a.column)
	}
	if text := strings.Join(columns, ", "); text != "tail F1, head RR" {
		t.Errorf("apart: %s", text)
	}
	if clean.Paper.MetUnder != "released" {
		t.Errorf("the paper is met under %q", clean.Paper.MetUnder)
	}
	if text := tableText(t, table, "json"); !strings.Contains(text, `"protocol": "released"`) &&
		!strings.Contains(text, `"protocol":"released"`) {
		t.Error("the JSON has no row of protocol released")
	}
}
