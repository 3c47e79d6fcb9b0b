package results

import (
	"cmp"
	"context"
	"slices"

	"github.com/spherelab/spherelab/experiments/config"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// A run passes a pattern if its held-out triples are returned with at least leastF1, for head and for tail queries, and
// at most maxDistractors of the distractors are returned. The F1 is the novel one: known answers count on neither
// side.
// A model has a tick if it passes with every seed, of which there must be patternSeeds or more.
const (
	leastF1        = .95
	maxDistractors = .05
	patternSeeds   = 5
)

// patternTable shows which models infer what the patterns imply.
type patternTable struct {
	label  string // of the paper's table
	models []string
	cells  []patternCell // by pattern, then by model

	findings []finding
}

// patternCell is the result of the runs of one model on one pattern.
type patternCell struct {
	Pattern  kg.Pattern
	Printed  string // the line of the paper's table
	Model    string
	Runs     []Run // one per seed, newest first
	Passed   int   // runs that pass
	F1       float64
	Wrong    float64 // highest share of distractors over the runs; F1 is the lowest of head and tail queries
	Paper    *bool   // the paper's tick, nil if it has none
	Embedded bool    // from the embedded results
	Unlike   []Run   // runs with other settings, which do not count
}

// complete reports whether there are enough runs for a verdict.
func (c patternCell) complete() bool { return len(c.Runs) >= patternSeeds }

// tick returns the verdict.
func (c patternCell) tick() bool { return c.complete() && c.Passed == len(c.Runs) }

// differs reports whether the verdict differs from the paper's.
func (c patternCell) differs() bool { return c.complete() && c.Paper != nil && *c.Paper != c.tick() }

// buildPatterns reads the finished runs with the settings of the embedded config of the patterns: for each pattern and
// model the newest per seed. If fewer are logged than a verdict needs, it takes the embedded runs, provided there are
// more of them.
func buildPatterns(ctx context.Context, _ string, s Sources, _ Options) (Layout, error) {
	paper, err := readPaper()
	if err != nil {
		return nil, err
	}
	files, infos, err := s.finished(ctx, embeddedPatterns)
	if err != nil {
		return nil, err
	}
	own, err := config.Embedded(config.Pattern)
	if err != nil {
		return nil, err
	}
	settings := own.Flatten()
	logged, stored := byPattern(ReadAll(infos), settings), byPattern(archivedRuns(files).runs(), settings)
	found, err := readFindings()
	if err != nil {
		return nil, err
	}
	t := patternTable{label: paper.Patterns.Label, models: patternModels(), findings: found}
	for _, p := range kg.Patterns() {
		for _, model := range t.models {
			c := logged.cell(p, model)
			if other := stored.cell(p, model); !c.complete() && len(other.Runs) > len(c.Runs) {
				other.Embedded, other.Unlike = true, c.Unlike
				c = other
			}
			c.Paper = paper.tick(p.Name, model)
			c.Printed = paper.printedPattern(p.Name)
			t.cells = append(t.cells, c)
		}
	}
	return t, nil
}

// patternModels returns the models that rotate and have a criterion of their own: the settings were chosen for them. A
// failure of TransE or BoxE could be due to the settings, and a model whose scores are dot products has no criterion.
func patternModels() []string {
	return slices.DeleteFunc(sphere.Models(), func(model string) bool {
		return model == sphere.TransE || model == sphere.TransEL2 || model == sphere.BoxE ||
			len(sphere.Settings{Model: model, Variant: sphere.Clean}.Criteria()) == 0
	})
}

// printedPattern returns the paper's name of the line that a pattern tests.
func (p *paperNumbers) printedPattern(pattern string) string {
	for _, row := range p.Patterns.Rows {
		if slices.Contains(row.Patterns, pattern) {
			return row.Printed
		}
	}
	return ""
}

// patternKeys are the settings in which runs of the patterns may differ.
var patternKeys = []string{"data", "model", "seed", "split.seed"}

// patternRuns has evaluated runs on generated graphs by graph, newest first.
type patternRuns map[string]struct{ like, unlike []Run }

// byPattern groups runs by graph, and separates those with other settings.
func byPattern(runs []Run, settings map[string]string) patternRuns {
	list := patternRuns{}
	for _, run := range runs {
		_, generated := kg.FindPattern(run.Graph)
		_, measured := run.Primary[Distractors]
		if !generated || !measured || !run.Finished() || !run.Evaluated() || run.Config == nil {
			continue
		}
		at := list[run.Graph]
		if alikeBut(run.Config.Flatten(), settings, patternKeys) {
			at.like = append(at.like, run)
		} else {
			at.unlike = append(at.unlike, run)
		}
		list[run.Graph] = at
	}
	return list
}

// alikeBut reports whether two configs agree in all keys that decide numbers, except for the given ones.
func alikeBut(a, b map[string]string, except []string) bool {
	for key, value := range a {
		if config.InIdentity(key) && !slices.Contains(except, key) && b[key] != value {
			return false
		}
	}
	return true
}

// cell summarizes the runs of a model on a pattern.
func (l patternRuns) cell(p kg.Pattern, model string) patternCell {
	c := patternCell{Pattern: p, Model: model, F1: 1}
	at := l[p.GraphName()]
	for _, run := range at.unlike {
		if run.Model == model {
			c.Unlike = append(c.Unlike, run)
		}
	}
	type seeds struct {
		training string
		graph    uint64
	}
	seen := map[seeds]bool{}
	for _, run := range at.like {
		seed := seeds{run.Seed, run.Config.Split.Seed}
		if run.Model != model || seen[seed] {
			continue
		}
		seen[seed] = true
		c.Runs = append(c.Runs, run)
		f1 := min(run.Primary[HeadNovelF1].Value, run.Primary[TailNovelF1].Value)
		wrong := run.Primary[Distractors].Value
		if f1 >= leastF1 && wrong <= maxDistractors {
			c.Passed++
		}
		c.F1, c.Wrong = min(c.F1, f1), max(c.Wrong, wrong)
	}
	slices.SortFunc(c.Runs, func(a, b Run) int {
		return cmp.Or(cmp.Compare(len(a.Seed), len(b.Seed)), cmp.Compare(a.Seed, b.Seed),
			cmp.Compare(a.Config.Split.Seed, b.Config.Split.Seed))
	})
	return c
}
