package results

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

// dimensionRun is a finished run of the dimensions' config, whose four measures are all x.
func dimensionRun(t *testing.T, model string, blocks int, rate float64, seed uint64, valid, x float64) tracker.RunInfo {
	t.Helper()
	c, err := config.Embedded(config.Dimension)
	expect.NoError(t, err)
	c.Data, c.Model, c.Dimension, c.Train.LearningRate, c.Seed = "small", model, blocks, rate, seed
	params := c.Flatten()
	params["graph"], params["config_hash"] = c.Data, "x"
	return tracker.RunInfo{ID: fmt.Sprintf("%s-%d-%g-%d", model, blocks, rate, seed), Status: "FINISHED", Params: params,
		Tags: map[string]string{"criterion": "sphere", "entities": "100", "relations": "10"},
		Metrics: map[string]float64{"valid/mrr": valid, "test/head_f1": x - .1, "test/tail_f1": x + .1, "test/mrr": x,
			"test/fitted-f1/head_f1": x, "test/fitted-f1/tail_f1": x, "test/fitted-novel/head_novel_f1": x + .05,
			"test/fitted-novel/tail_novel_f1": x - .05}}
}

func dimensionsOf(t *testing.T, runs []tracker.RunInfo, embedded ...ArchiveFile) dimensionTable {
	t.Helper()
	layout, err := buildDimensions(context.Background(), "dimension", Sources{Runs: storedRuns(runs),
		Embedded: func() ([]ArchiveFile, error) { return embedded, nil }}, Options{})
	expect.NoError(t, err)
	return layout.(dimensionTable)
}

// TestDimensionRows: validation chooses the learning rate, of which the newest run per seed counts, and differences are
// paired by seed with the plane of the same size.
func TestDimensionRows(t *testing.T) {
	t.Parallel()
	runs := []tracker.RunInfo{
		dimensionRun(t, "sphere-2d", 60, .002, 1, .9, .5), dimensionRun(t, "sphere-2d", 60, .002, 2, .8, .7),
		dimensionRun(t, "sphere-2d", 60, .006, 1, .7, .9), dimensionRun(t, "sphere-2d", 60, .006, 2, .7, .9),
		dimensionRun(t, "sphere-5d", 24, .002, 1, .6, .6), dimensionRun(t, "sphere-5d", 24, .002, 2, .6, .75),
		dimensionRun(t, "sphere-5d", 24, .006, 1, .99, .1), // one seed alone
		dimensionRun(t, "sphere-20d", 6, .002, 3, .6, .6),  // a seed that the plane lacks
		dimensionRun(t, "sphere-2d", 100, .002, 1, .6, .2), dimensionRun(t, "sphere-3d", 65, .002, 1, .6, .3),
	}
	older := dimensionRun(t, "sphere-5d", 24, .002, 1, .6, 0)
	older.ID = "older"
	runs = append(runs, older)
	other := dimensionRun(t, "sphere-5d", 24, .002, 5, .6, 0)
	other.Params["train.steps"] = "7"
	points := dimensionRun(t, "rotate", 60, .002, 1, .6, 0)
	running := dimensionRun(t, "sphere-5d", 24, .002, 6, .6, 0)
	running.Status = "RUNNING"
	runs = append(runs, other, points, running)
	table := dimensionsOf(t, runs)
	text := ""
	table = slices.DeleteFunc(table, func(r dimensionRow) bool { return r.Graph != "small" })
	for _, r := range table {
		text += fmt.Sprintf("%s %s %d per entity %d parameters %d rate %g seeds %d mean %.3f", r.Same, r.Model, r.Blocks,
			r.PerEntity, r.Parameters, r.Rate, len(r.Runs), r.Means[0].Mean)
		if d := r.Differences[0]; d != nil {
			text += fmt.Sprintf(" over 2d %.3f", d.Mean)
		}
		text += "\n"
	}
	want := `numbers per entity sphere-2d 60 per entity 120 parameters 12700 rate 0.002 seeds 2 mean 0.600
numbers per entity sphere-5d 24 per entity 120 parameters 16900 rate 0.002 seeds 2 mean 0.675 over 2d 0.075
numbers per entity sphere-20d 6 per entity 120 parameters 36100 rate 0.002 seeds 1 mean 0.600
parameters sphere-2d 100 per entity 200 parameters 21100 rate 0.002 seeds 1 mean 0.200
parameters sphere-3d 65 per entity 195 parameters 21550 rate 0.002 seeds 1 mean 0.300 over 2d 0.100
`
	if text != want {
		t.Errorf("rows\n%swant\n%s", text, want)
	}
	// Two values have the standard error |a - b| / 2, and Student's 97.5 % quantile of one degree is 12.7062.
	for k, r := range table[1].Differences {
		if half := (r.Interval.High - r.Interval.Low) / 2; math.Abs(half-12.7062*.025) > 1e-4 {
			t.Errorf("%s: half the interval is %v", dimensionMeasures[k].key, half)
		}
	}
	if table[3].Means[0].Interval != nil || table[4].Differences[0].Interval != nil {
		t.Error("one seed has an interval")
	}
}

// TestDimensionArrows: an arrow where the interval of the difference leaves out 0.
func TestDimensionArrows(t *testing.T) {
	t.Parallel()
	var runs []tracker.RunInfo
	for seed, noise := range []float64{-.01, 0, .01} {
		s := uint64(seed + 1)
		runs = append(runs, dimensionRun(t, "sphere-2d", 60, .002, s, .5, .5+10*noise),
			dimensionRun(t, "sphere-3d", 40, .002, s, .5, .6+9*noise),
			dimensionRun(t, "sphere-5d", 24, .002, s, .5, .4+9*noise),
			dimensionRun(t, "sphere-10d", 12, .002, s, .5, .501-9*noise))
	}
	table := dimensionsOf(t, runs)
	arrows := ""
	for _, r := range slices.DeleteFunc(slices.Clone(table), func(r dimensionRow) bool { return r.Graph != "small" }) {
		arrows += "[" + r.arrow(0) + "]"
	}
	if arrows != "[][↑][↓][=]" {
		t.Errorf("arrows %s", arrows)
	}
	for format, want := range map[string]string{"text": "SpherE-3D", "csv": "_over_2d_low", "json": "\"f1_over_2d\"",
		"markdown": "↓"} {
		var b strings.Builder
		if err := table.Grid(format).Write(&b, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %s (%v):\n%s", format, want, err, b.String())
		}
	}
	raw, err := json.Marshal(table)
	if err != nil || !json.Valid(raw) || strings.Contains(string(raw), "NaN") {
		t.Errorf("%v %s", err, raw)
	}
}

// TestNoDimensionRuns: every row of the sweep is there, without a number.
func TestNoDimensionRuns(t *testing.T) {
	t.Parallel()
	table := dimensionsOf(t, nil)
	if want := 4*5 + 2*4; len(table) != want {
		t.Errorf("%d rows, want %d", len(table), want)
	}
	for _, format := range []string{"text", "csv", "json"} {
		var b strings.Builder
		if err := table.Grid(format).Write(&b, format); err != nil || strings.Contains(b.String(), ".000") {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
	notes := table.Grid("text").Notes
	if last := notes[len(notes)-1]; !strings.Contains(last.Text, "28 rows") || len(last.List) != 1 {
		t.Errorf("the last note is %+v", last)
	}
}

// TestEmbeddedDimensions: the embedded runs are finished, of the sweep, and name no machine, and a row has all seeds
// and learning rates or none. docs/reproduction.md says what they show.
func TestEmbeddedDimensions(t *testing.T) {
	t.Parallel()
	files, err := EmbeddedDimensions()
	expect.NoError(t, err)
	sweep, err := search.Load(search.DimensionSweep, config.Layers{})
	expect.NoError(t, err)
	known := map[string]bool{}
	for _, job := range sweep.Jobs {
		known[job.Config().IdentityHash()] = true
	}
	for _, f := range files {
		if f.Info.Status != "FINISHED" || !known[f.Info.Params["config_hash"]] {
			t.Errorf("run %s of %s: status %s, or twice, or not of the sweep", f.Info.ID, f.File, f.Info.Status)
		}
		delete(known, f.Info.Params["config_hash"])
		for _, tag := range localTags {
			if f.Info.Tags[tag] != "" {
				t.Errorf("run %s contains %s", f.Info.ID, tag)
			}
		}
	}
	// What is compared has nearly the same size. Blocks of 20 numbers leave little choice.
	table, plane := dimensionsOf(t, nil, files...), map[string]int{}
	for _, r := range table {
		if r.Model == sphere.SpherE2D {
			plane[r.Graph] = r.Parameters
		}
		if len(r.Runs) > 0 && (len(r.Runs) != 5 || r.Rates != 2) {
			t.Errorf("%s on %s: %d seeds, %d learning rates", r.Model, r.Graph, len(r.Runs), r.Rates)
		}
	}
	for _, r := range table {
		share := float64(r.Parameters) / float64(plane[r.Graph])
		if len(r.Runs) > 0 && r.Same == sameTotal && (share < .86 || share > 1.12) ||
			r.Same == sameEntity && r.PerEntity != 120 {
			t.Errorf("%s on %s has %d numbers per entity and %d parameters, the plane %d", r.Model, r.Graph, r.PerEntity,
				r.Parameters, plane[r.Graph])
		}
	}
	page, err := os.ReadFile("../../docs/reproduction.md")
	expect.NoError(t, err)
	fitted := slices.IndexFunc(dimensionMeasures, func(m dimensionMeasure) bool { return m.key == "fitted_f1" })
	for _, l := range []struct{ graph, title, same string }{{"bundled", "the bundled graph", sameEntity},
		{"kinships", "Kinships", sameEntity}, {"nations", "Nations", sameEntity}, {"umls", "UMLS", sameEntity},
		{"kinships", "Kinships", sameTotal}, {"umls", "UMLS", sameTotal}} {
		line := "| " + l.title + " |"
		for _, r := range slices.SortedStableFunc(slices.Values(table), func(a, b dimensionRow) int {
			return cmp.Compare(modelRank(a.Model), modelRank(b.Model))
		}) {
			switch {
			case r.Graph != l.graph || r.Same != l.same && r.Model != sphere.SpherE2D:
			case len(r.Runs) == 0:
				line += " not trained yet |"
			default:
				line += strings.TrimRight(" "+quantity.Fraction(r.Means[fitted].Mean, 3)+" "+r.arrow(fitted), " =") + " |"
			}
		}
		if !strings.Contains(string(page), line+"\n") {
			t.Errorf("docs/reproduction.md lacks the line %s", line)
		}
	}
	if want := 4*5 + 2*4; len(table) != want || len(plane) != 4 {
		t.Errorf("%d rows, want %d, on %d graphs", len(table), want, len(plane))
	}
}
