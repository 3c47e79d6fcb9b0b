package results

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/eval"
)

// TestOtherTrainingsOfHousE: docs/reproduction.md says of each run in house/ how it differs from its config, and how
// many of the paper's numbers it meets under tie.
func TestOtherTrainingsOfHousE(t *testing.T) {
	t.Parallel()
	list, err := readResults(os.DirFS("."), "house")
	if err != nil || len(list) != 4 {
		t.Fatalf("%d runs in house, %v; want 4", len(list), err)
	}
	page, err := os.ReadFile("../../docs/reproduction.md")
	expect.NoError(t, err)
	paper, err := readPaper()
	expect.NoError(t, err)
	table, err := resultTable(t.Context(), storedRuns{}, EmbeddedResults, "fb15k-237", Options{})
	expect.NoError(t, err)
	tie, better, maximum := 0, 0, 0 // of the six rows: under tie, under the better protocol, with the nearest training
	for model, under := range countAgreeing(table.Rows) {
		if under[eval.ProtocolTie] > 0 {
			tie += under[eval.ProtocolTie]
			better += under[metUnder(table.Rows)[model]]
		}
	}
	own := countAgreeing(table.Rows)["HousE-5D"][eval.ProtocolTie]
	for _, f := range list {
		run := Read(f.Info)
		rows, _ := runRows(run)
		printed := 0
		for i, row := range rows {
			if row.Protocol == eval.ProtocolTie {
				rows[i].Paper = paper.ofGraph(run.Graph).cells(row.Model, row.Cut)
				printed += len(rows[i].Paper.Values)
			}
		}
		agreeing := countAgreeing(rows)["HousE-5D"][eval.ProtocolTie]
		maximum = max(maximum, tie-own+agreeing)
		line := fmt.Sprintf("| %s | %s | %d of %d |", unlikeConfig(run), run.ShortID(), agreeing, printed)
		if !strings.Contains(string(page), "\n"+line+"\n") {
			t.Errorf("docs/reproduction.md lacks\n%s", line)
		}
	}
	for _, sentence := range []string{
		fmt.Sprintf("Under `tie` %d of the 105 numbers agree.", tie), fmt.Sprintf("so it counts %d.)", better),
		fmt.Sprintf("%d of the 105 numbers of these six rows agree under `tie`.", maximum),
		fmt.Sprintf("and %d of the 105 in more.", tie),
	} {
		if !strings.Contains(oneLine(string(page)), sentence) {
			t.Errorf("docs/reproduction.md does not say: %s", sentence)
		}
	}
}
