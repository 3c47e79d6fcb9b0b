package results

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// patternRun is a finished run of the patterns' config with numbers of its own.
func patternRun(t *testing.T, pattern, model string, seed uint64, head, tail, wrong float64) tracker.RunInfo {
	t.Helper()
	c, err := config.Embedded(config.Pattern)
	expect.NoError(t, err)
	c.Data, c.Model, c.Seed, c.Split.Seed = "pattern-"+pattern, model, seed, seed
	params := c.Flatten()
	params["graph"], params["config_hash"] = c.Data, "x"
	return tracker.RunInfo{ID: fmt.Sprintf("%s-%s-%d", pattern, model, seed), Status: "FINISHED", Params: params,
		Tags: map[string]string{"criterion": "margin"},
		Metrics: map[string]float64{"test/head_f1": 1, "test/head_novel_f1": head, "test/tail_novel_f1": tail,
			"test/distractors": wrong}}
}

func patternCells(t *testing.T, runs storedRuns, embedded ...ArchiveFile) patternTable {
	t.Helper()
	layout, err := buildPatterns(context.Background(), "patterns", Sources{Runs: runs,
		Embedded: func() ([]ArchiveFile, error) { return embedded, nil }}, Options{})
	expect.NoError(t, err)
	return layout.(patternTable)
}

func (t patternTable) cell(pattern, model string) patternCell {
	for _, c := range t.cells {
		if c.Pattern.Name == pattern && c.Model == model {
			return c
		}
	}
	return patternCell{}
}

// TestPatternVerdicts: a tick needs five seeds of which each has F1 on both sides and few distractors.
func TestPatternVerdicts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		seeds             int
		head, tail, wrong float64 // of the last seed; the others are perfect
		passed            int
		text              string
	}{
		"perfect":         {5, 1, 1, 0, 5, "✓ 1.000 / .000"},
		"at the border":   {5, .95, 1, .05, 5, "✓ .950 / .050"},
		"heads":           {5, .949, 1, 0, 4, "× .949 / .000"},
		"tails":           {5, 1, .5, 0, 4, "× .500 / .000"},
		"distractors":     {5, 1, 1, .051, 4, "× 1.000 / .051"},
		"too few seeds":   {4, 1, 1, 0, 4, "4 seeds: 1.000 / .000"},
		"one more fails":  {6, 0, 0, 1, 5, "× .000 / 1.000"},
		"one more passes": {6, .96, .97, .01, 6, "✓ .960 / .010"},
	} {
		var runs storedRuns
		for seed := range test.seeds {
			head, tail, wrong := 1., 1., 0.
			if seed == test.seeds-1 {
				head, tail, wrong = test.head, test.tail, test.wrong
			}
			runs = append(runs, patternRun(t, "multiplicity", "sphere-2d", uint64(seed), head, tail, wrong))
		}
		// An older run of a seed, other settings, no distractors, another model: none counts.
		older := patternRun(t, "multiplicity", "sphere-2d", 0, 0, 0, 1)
		other := patternRun(t, "multiplicity", "sphere-2d", 9, 0, 0, 1)
		other.Params["gamma"] = "7"
		bare := patternRun(t, "multiplicity", "sphere-2d", 8, 0, 0, 1)
		delete(bare.Metrics, "test/distractors")
		runs = append(runs, older, other, bare, patternRun(t, "multiplicity", "rotate", 1, 0, 0, 1))
		table := patternCells(t, runs)
		c := table.cell("multiplicity", "sphere-2d")
		if len(c.Runs) != test.seeds || c.Passed != test.passed || c.text() != test.text || len(c.Unlike) != 1 {
			t.Errorf("%s: %d runs, %d passed, %q, %d of other settings", name, len(c.Runs), c.Passed, c.text(),
				len(c.Unlike))
		}
		text := gridText(t, table.Grid("text"), "text")
		if differs := strings.HasPrefix(test.text, "✓"); strings.Contains(text, "≠ Multiplicity, SpherE-2D: ✓ here ("+
			fmt.Sprint(test.passed)+" of "+fmt.Sprint(test.seeds)+" seeds pass), × in the paper.\n") != differs {
			t.Errorf("%s: the difference from the paper is not said as it should:\n%s", name, text)
		}
		if !strings.Contains(text, "left out: 1 runs with other settings") || !strings.Contains(text, "[train patterns]") {
			t.Errorf("%s: notes\n%s", name, text)
		}
	}
}

// TestFindingsAreOfTheirRuns: what was found about embedded runs stands next to their verdicts, and not next to those
// of other runs with the same settings.
func TestFindingsAreOfTheirRuns(t *testing.T) {
	t.Parallel()
	files, err := embeddedPatterns()
	expect.NoError(t, err)
	found, err := readFindings()
	expect.NoError(t, err)
	table := patternCells(t, nil, files...)
	text := gridText(t, table.Grid("markdown"), "markdown")
	for _, f := range found {
		if !strings.Contains(text, f.Text) {
			t.Errorf("no verdict has the finding %q", f.Text)
		}
	}
	for _, c := range table.cells {
		if c.differs() && findingOf(found, c.runIDs()) == "" {
			t.Errorf("%s, %s differs from the paper without a finding", c.row(), c.Model)
		}
	}
	again := files[0]
	again.Info.ID = strings.Repeat("0", 32)
	for _, f := range found {
		if findingOf(found, f.Runs[:5]) != f.Text || findingOf(found, append(f.Runs[:4:4], again.Info.ID)) != "" ||
			findingOf(found, nil) != "" {
			t.Errorf("%q is not said of its runs alone", f.Text)
		}
	}
}

// TestPatternTableShowsEveryModel that rotates, with or without runs, so that a new one appears by itself.
func TestPatternTableShowsEveryModel(t *testing.T) {
	t.Parallel()
	table := patternCells(t, nil)
	grid := table.Grid("text")
	headings := map[string]bool{}
	for _, c := range grid.Columns {
		headings[c.Key] = true
	}
	for _, model := range sphere.Models() {
		other := sphere.IsUntrained(model) ||
			slices.Contains([]string{sphere.DistMult, sphere.ComplEx, sphere.RESCAL, sphere.TransE, sphere.TransEL2,
				sphere.BoxE}, model)
		if headings[sphere.Title(model)] == other {
			t.Errorf("%s has a column: %v", model, other)
		}
	}
	if len(grid.Rows) != len(kg.Patterns()) {
		t.Errorf("%d rows for %d patterns", len(grid.Rows), len(kg.Patterns()))
	}
	var records []struct {
		Tick  *bool    `json:"tick"`
		F1    *float64 `json:"novel_f1"`
		Paper *struct{ Tick bool }
	}
	expect.NoError(t, json.Unmarshal([]byte(gridText(t, table.Grid("json"), "json")), &records))
	for _, r := range records {
		if r.Tick != nil || r.F1 != nil {
			t.Errorf("a verdict without a run: %+v", r)
		}
	}
}

// TestPaperTicks: dimensions find their column, and models that the paper's table lacks have none.
func TestPaperTicks(t *testing.T) {
	t.Parallel()
	paper, err := readPaper()
	expect.NoError(t, err)
	for model, want := range map[string]string{"sphere-2d": "×", "sphere-3d": "✓", "sphere-5d": "✓", "sphere-20d": "✓",
		"rotate": "-", "rotate3d": "-", "house-5d": "-", "sphere-kd": "-"} {
		got := "-"
		if tick := paper.tick("multiplicity", model); tick != nil {
			got = verdict(*tick)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", model, got, want)
		}
	}
	raw, err := os.ReadFile(graphtest.Paper(t))
	expect.NoError(t, err)
	printed := map[string]string{}
	for _, cells := range printedTable(t, string(raw), paper.Patterns.Label) {
		name, _, _ := strings.Cut(strings.Join(cells[:min(1, len(cells))], ""), `\tablefootnote`)
		if ticks := strings.NewReplacer("$", "", `\surd`, "✓", `\times`, "×").Replace(strings.Join(cells[min(1,
			len(cells)):], "")); strings.Trim(ticks, "✓×") == "" && ticks != "" && !strings.HasPrefix(name, "%") {
			printed[name] = ticks
		}
	}
	for _, row := range paper.Patterns.Rows {
		ticks := ""
		for _, tick := range row.Ticks {
			ticks += verdict(tick)
		}
		if printed[row.Printed] != ticks {
			t.Errorf("%s: paper.yaml has %s, the paper %s", row.Printed, ticks, printed[row.Printed])
		}
	}
	if len(printed) != len(paper.Patterns.Rows) || len(printed) != 7 {
		t.Errorf("the paper's table has the lines %v", printed)
	}
	for _, p := range kg.Patterns() {
		if paper.printedPattern(p.Name) == "" {
			t.Errorf("pattern %s is not a line of the paper's table", p.Name)
		}
	}
}

// TestEmbeddedPatterns: the embedded runs are finished, of the sweep, name no machine, and no more than the sweep has.
// What their verdicts are, docs/reproduction.md says too.
func TestEmbeddedPatterns(t *testing.T) {
	t.Parallel()
	files, err := embeddedPatterns()
	expect.NoError(t, err)
	sweep, err := search.Load(search.PatternSweep, config.Layers{})
	expect.NoError(t, err)
	known, models := map[string]bool{}, []string{}
	for _, job := range sweep.Jobs {
		if !slices.Contains(models, job.Config().Model) {
			models = append(models, job.Config().Model)
		}
		known[job.Config().IdentityHash()] = true
	}
	for _, f := range files {
		if f.Info.Status != "FINISHED" || !known[f.Info.Params["config_hash"]] {
			t.Errorf("run %s of %s: status %s, not of the sweep", f.Info.ID, f.File, f.Info.Status)
		}
		for _, tag := range localTags {
			if f.Info.Tags[tag] != "" {
				t.Errorf("run %s contains %s", f.Info.ID, tag)
			}
		}
	}
	table := patternCells(t, nil, files...)
	if !slices.Equal(models, table.models) {
		t.Errorf("the sweep has the models %v, the table %v", models, table.models)
	}
	crosses := ""
	for _, c := range table.cells {
		if len(c.Runs) > 0 && !c.complete() {
			t.Errorf("%s, %s has %d seeds", c.Pattern.Name, c.Model, len(c.Runs))
		}
		switch {
		case c.complete() && !c.tick():
			crosses += c.Pattern.Name + " " + c.Model + "; "
		case !c.complete():
			t.Errorf("%s, %s is missing", c.Pattern.Name, c.Model)
		}
	}
	if want := "nc-composition rotate; nc-composition sphere-2d; 1-n house-20d; 1-n sphere-5d; 1-n sphere-10d; " +
		"1-n sphere-20d; n-1 sphere-20d; n-n sphere-2d; n-n sphere-3d; n-n sphere-10d; "; crosses != want {
		t.Errorf("crosses are %q, want %q", crosses, want)
	}
}
