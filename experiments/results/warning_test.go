package results

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestWarningsStandBesideNumbers: a run whose loss ended above that of chance is marked in its table, in lists, in
// comparisons and where it is shown; another run is not.
func TestWarningsStandBesideNumbers(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	for _, rate := range []float64{.05, 1000} {
		info := trainSmall(t, tr, func(c *config.Config) { c.Train.LearningRate, c.Train.Epochs = rate, 40 })
		run := Read(info)
		table, err := BuildResultTable(t.Context(), info.Params[answer.ParamGraph], Sources{Runs: tr},
			Options{Runs: []string{info.ID}, All: true})
		expect.NoError(t, err)
		var shown, tabled strings.Builder
		if _, err := WriteRun(&shown, run, Headlines); err != nil {
			t.Fatal(err)
		}
		for _, full := range []bool{false, true} {
			table.isFull = full
			for _, format := range []string{"text", "markdown", "html"} {
				tabled.Reset()
				expect.NoError(t, table.Grid(format).Write(&tabled, format))
				if got := strings.Contains(tabled.String(), "a model that knows nothing"); got != (rate == 1000) {
					t.Errorf("rate %g, table as %s, full %v: warned %v:\n%s", rate, format, full, got, tabled.String())
				}
			}
		}
		record, err := json.Marshal(NewRunRecord(run))
		expect.NoError(t, err)
		for where, text := range map[string]string{"show": shown.String(), "record": string(record),
			"list": fmt.Sprint(RunGrid([]Run{run}, "text", "").Notes), "comparison": fmt.Sprint(CompareGrid([]Run{run}, "text",
				Headlines).Notes)} {
			if got := strings.Contains(text, "a model that knows nothing"); got != (rate == 1000) {
				t.Errorf("rate %g, %s: warned %v:\n%s", rate, where, got, text)
			}
		}
	}
	var many []Run
	for i := range 8 {
		many = append(many, Run{Warnings: []string{fmt.Sprint("w", i)}})
	}
	if notes := runWarnings(many); len(notes) != 6 || notes[5].Text != "warning: 3 more runs have warnings." {
		t.Errorf("eight warnings: %v", notes)
	}
}
