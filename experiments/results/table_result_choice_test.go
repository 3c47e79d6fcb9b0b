package results

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
)

// TestTrialsAreReplaced: an older run that is as the config replaces a newer one that is not, which the table names. A
// trial without such a run is shown, marked in every format.
func TestTrialsAreReplaced(t *testing.T) {
	trial, whole, third := paperRun("a1", "rotate", "released", "1", .10), paperRun("a2", "rotate", "released", "1",
		.30), paperRun("a3", "rotate", "released", "2", .40)
	trial.Params["gamma"] = "7"
	table := paperTable(t, storedRuns{trial, whole, third}, noResults, Options{})
	row := findRow(t, table.Rows, "RotatE", "margin", "released")
	if want := []string{whole.ID, third.ID}; !slices.Equal(row.RunIDs, want) || row.Unlike != "" {
		t.Errorf("the row is of %v (%q), want %v", row.RunIDs, row.Unlike, want)
	}
	text := tableText(t, table, "text")
	if want := "with other settings than the config, and therefore not shown: a1000000 (name-a1: gamma 7); [show runs]."; !strings.Contains(text, want) {
		t.Errorf("the table lacks %q:\n%s", want, text)
	}
	second, third2 := paperRun("a4", "rotate", "released", "1", .11), paperRun("a5", "rotate", "released", "2", .12)
	second.Params["gamma"], third2.Params["gamma"] = "8", "8"
	table = paperTable(t, storedRuns{trial, second, third2, whole}, noResults, Options{})
	if text := tableText(t, table, "text"); !strings.Contains(text,
		"a1000000 (name-a1: gamma 7); a4000000 (name-a4: gamma 8); a5000000 (name-a5: gamma 8); [show runs].") {
		t.Errorf("three trials:\n%s", text)
	}
	table = paperTable(t, storedRuns{whole, trial}, noResults, Options{})
	if text := tableText(t, table, "text"); strings.Contains(text, "not shown") {
		t.Errorf("an older trial is named:\n%s", text)
	}
	for what, o := range map[string]Options{"all": {All: true}, "asked for": {Runs: []string{trial.ID, whole.ID}}} {
		table := paperTable(t, storedRuns{trial, whole}, noResults, o)
		if row := findRow(t, table.Rows, "RotatE", "margin", "released"); row.RunIDs[0] != trial.ID {
			t.Errorf("%s: the first row is of %v", what, row.RunIDs)
		}
	}
	table = paperTable(t, storedRuns{trial}, noResults, Options{})
	if row := findRow(t, table.Rows, "RotatE", "margin", "released"); row.Unlike != "gamma 7" {
		t.Errorf("a trial alone: %+v", row)
	}
	for format, want := range map[string]string{"csv": ",gamma 7,", "json": `"unlike_config": "gamma 7"`,
		"text": "NOT AS THE CONFIG fb15k-237/rotate: gamma 7"} {
		if text := gridText(t, table.Grid(format), format); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%s", format, want, text)
		}
	}
}

// TestEmbeddedConfigsDecide: a file of the name of a config says nothing about a run.
func TestEmbeddedConfigsDecide(t *testing.T) {
	t.Chdir(t.TempDir())
	expect.NoError(t, os.MkdirAll("fb15k-237/rotate", 0o755))
	trial := paperRun("a1", "rotate", "released", "1", .10)
	trial.Params["gamma"] = "7"
	trial.Params["eval.fit"], trial.Params["threads"] = "false", "99"
	if got := unlikeConfig(Read(trial)); got != "gamma 7" {
		t.Errorf("unlike: %q", got)
	}
	trial.Params["variant"] = "paper" // RotatE has no such config there
	if got := unlikeConfig(Read(trial)); got != "" {
		t.Errorf("without a config: %q", got)
	}
	for _, key := range []rowConfigKey{
		{"fb15k-237", modelVariant{"rotate", "clean"}}, {"fb15k-237", modelVariant{"sphere-2d", "clean"}},
		{"wn18rr", modelVariant{"rotate", "clean"}}, {"wn18rr", modelVariant{"sphere-2d", "clean"}},
	} {
		trial.Params["data"], trial.Params["graph"] = key.graph, key.graph
		trial.Params["model"], trial.Params["variant"] = key.model, key.variant
		if got, want := configOf(Read(trial)).name, key.graph+"/"+key.model+"-own"; got != want {
			t.Errorf("%v: config %q, want %q", key, got, want)
		}
	}
}

// TestRowsHaveOneConfig: of two configs of one graph, model and variant only one could train the row.
func TestRowsHaveOneConfig(t *testing.T) {
	t.Parallel()
	of := map[rowConfigKey]string{}
	for _, name := range config.EmbeddedNames() {
		c, err := config.Embedded(name)
		expect.NoError(t, err)
		key := rowConfigKey{path.Dir(name), modelVariant{c.Model, c.Variant}}
		if key.graph != c.Data { // not a row: the graph is named when it is trained, or the folder is not a graph
			continue
		}
		if other := of[key]; other != "" {
			t.Errorf("%s and %s are both of %s, variant %s", other, name, c.Model, c.Variant)
		}
		of[key] = name
	}
	if len(of) < 20 {
		t.Errorf("only %d rows have a config", len(of))
	}
}

// TestOtherTriples: a run on another graph of the same name does not replace those on the graph of the embedded
// results, and is marked where there are only such runs.
func TestOtherTriples(t *testing.T) {
	results := func() ([]ArchiveFile, error) {
		return []ArchiveFile{{"r", &Archive{Info: paperRun("c1", "rotate", "released", "1", .30)}}}, nil
	}
	altered, right := paperRun("a1", "rotate", "released", "1", .10), paperRun("a2", "rotate", "released", "1", .20)
	altered.Params["graph_digest"] = "e"
	table := paperTable(t, storedRuns{altered, right}, results, Options{})
	if row := findRow(t, table.Rows, "RotatE", "margin", "released"); row.RunIDs[0] != right.ID || row.Unlike != "" {
		t.Errorf("the row is of %v (%q)", row.RunIDs, row.Unlike)
	}
	if text := tableText(t, table, "text"); !strings.Contains(text,
		"On other triples under the name of this graph, and therefore not shown: a1000000 (name-a1).") {
		t.Errorf("the altered graph's run is not named:\n%s", text)
	}
	table = paperTable(t, storedRuns{altered}, results, Options{})
	if text := tableText(t, table, "text"); !strings.Contains(text,
		"NOT AS THE CONFIG fb15k-237/rotate: other triples") || !strings.Contains(text,
		"lacks the embedded runs of RotatE; [import results].") {
		t.Errorf("only runs on the altered graph:\n%s", text)
	}
	if text := tableText(t, table, "csv"); !strings.Contains(text, ",other triples,") {
		t.Errorf("CSV:\n%s", text)
	}
}

// TestTableNamesEmbeddedResults: embedded results that a tracker with other runs does not show are named.
func TestTableNamesEmbeddedResults(t *testing.T) {
	results := func() ([]ArchiveFile, error) {
		return []ArchiveFile{{"r", &Archive{Info: paperRun("b1", "rotate", "released", "1", .30)}}, {"s",
			&Archive{Info: paperRun("c1", "sphere-2d", "released", "1", .30)}},
			{"t", &Archive{Info: paperRun("d1", "sphere-2d", "clean", "1", .30)}}}, nil
	}
	note := func(runs ...tracker.RunInfo) string {
		table := paperTable(t, storedRuns(runs), results, Options{})
		text := tableText(t, table, "text")
		_, rest, _ := strings.Cut(text, "This tracker lacks the embedded runs of ")
		models, _, _ := strings.Cut(rest, ";")
		return models
	}
	rotate, sphere := paperRun("a1", "rotate", "released", "1", .10), paperRun("a2", "sphere-2d", "released", "1", .30)
	if got := note(rotate); got != "SpherE-2D" {
		t.Errorf("with RotatE: %q", got)
	}
	if got := note(rotate, sphere); got != "" {
		t.Errorf("with both: %q", got)
	}
	rotate.Params["gamma"] = "7"
	if got := note(rotate, sphere); got != "RotatE" {
		t.Errorf("with a trial of RotatE: %q", got)
	}
}

// TestOwnRunsHideEmbeddedOnes: the same on a graph that is not the paper's, if it has the same triples.
func TestOwnRunsHideEmbeddedOnes(t *testing.T) {
	own, hidden := paperRun("a1", "rotate", "clean", "1", .10), paperRun("b1", "sphere-2d", "clean", "1", .30)
	own.Params["graph"], hidden.Params["graph"] = "kinships", "kinships"
	for digest, want := range map[string]bool{"d": true, "e": false} {
		own.Params["graph_digest"] = digest
		table, err := resultTable(t.Context(), storedRuns{own}, func() ([]ArchiveFile, error) {
			return []ArchiveFile{{"r", &Archive{Info: hidden}}}, nil
		}, "kinships", Options{})
		expect.NoError(t, err)
		text := tableText(t, table, "text")
		if strings.Contains(text, "This tracker lacks the embedded runs of SpherE-2D; [import results].") != want {
			t.Errorf("digest %s:\n%s", digest, text)
		}
	}
}

func TestPaperGraphs(t *testing.T) {
	paper, err := readPaper()
	expect.NoError(t, err)
	var graphs []string
	for _, r := range paper.Results {
		graphs = append(graphs, r.Graph)
	}
	if !slices.Equal(graphs, paperGraphs) {
		t.Errorf("the paper's graphs are %v, want %v", graphs, paperGraphs)
	}
}

// TestCosts: what a run has used, with the time from start to end and its pauses, in the footer and in CSV.
func TestCosts(t *testing.T) {
	run := paperRun("a1", "rotate", "released", "1", .10)
	run.Start, run.End = time.UnixMilli(0), time.UnixMilli(100_000)
	run.Tags["resumed"] = "3"
	other := paperRun("b1", "sphere-2d", "released", "1", .20)
	other.Start, other.End = time.UnixMilli(0), time.UnixMilli(20_000)
	table := paperTable(t, storedRuns{run, other}, noResults, Options{})
	text := tableText(t, table, "text")
	for _, want := range []string{"3 epochs in 6.0 s, final evaluation 10 s, from start to end 100 s, resumed 3 times\n",
		"runs: 2, together 32 s of training and final evaluation, from start to end 2m0s"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	if text := tableText(t, table, "csv"); !strings.Contains(text, ",6,10,100,,,,,,,\n") {
		t.Errorf("CSV lacks the times:\n%s", text)
	}
	other.End = time.Time{}
	table = paperTable(t, storedRuns{run, other}, noResults, Options{})
	if text := tableText(t, table, "text"); !strings.Contains(text,
		"runs: 2, together 32 s of training and final evaluation\n") || !strings.Contains(text, costNote) {
		t.Errorf("a sum with an unknown part:\n%s", text)
	}
	sum := Cost{1, 2, 3, 4, 5, 6, 7}.plus(Cost{1, 1, 1, 1, 1, 1, 1})
	if want := (Cost{2, 3, 4, 5, 6, 7, 8}); sum != want {
		t.Errorf("%+v, want %+v", sum, want)
	}
	if text := tableText(t, table, "json"); !strings.Contains(text, `"start_to_end_seconds": 100`) ||
		!strings.Contains(text, `"start_to_end_seconds": null`) {
		t.Errorf("JSON lacks the times:\n%s", text)
	}
}

// TestCPUBesideTimes: the footer has CPU seconds next to the times of runs that log them, a sum has them where every
// run does, and an older run still has its times.
func TestCPUBesideTimes(t *testing.T) {
	costed := func(id, model string, cpu float64) tracker.RunInfo {
		run := paperRun(id, model, "released", "1", .10)
		run.Metrics["system/evaluation_seconds"] = 10
		if cpu > 0 {
			run.Metrics["system/cpu_seconds"], run.Metrics["system/evaluation_cpu_seconds"] = cpu, 5*cpu
		}
		return run
	}
	first := costed("a1", "rotate", 3)
	for _, c := range []struct {
		second        tracker.RunInfo
		text, sum, js string
	}{
		{costed("b1", "sphere-2d", 2), "3 epochs in 6.0 s (CPU 6.0 s), final evaluation 10 s (CPU 10 s)\n",
			"together 32 s of training and final evaluation (CPU 40 s)\n", `"training_cpu_seconds": 6`},
		{costed("b1", "sphere-2d", 0), "3 epochs in 6.0 s, final evaluation 10 s\n",
			"together 32 s of training and final evaluation\n", `"training_cpu_seconds": null`},
		{costed("half", "sphere-2d", 2), "3 epochs in 6.0 s, final evaluation 10 s (CPU 10 s)\n",
			"together 32 s of training and final evaluation\n", `"training_cpu_seconds": null`},
	} {
		table := paperTable(t, storedRuns{first, c.second}, noResults, Options{})
		text := tableText(t, table, "text")
		for _, want := range []string{"3 epochs in 6.0 s (CPU 9.0 s), final evaluation 10 s (CPU 15 s)\n", c.text, c.sum} {
			if !strings.Contains(text, want) {
				t.Errorf("the table lacks %q:\n%s", want, text)
			}
		}
		if text := tableText(t, table, "json"); !strings.Contains(text, c.js) ||
			!strings.Contains(text, `"evaluation_cpu_seconds": 15`) {
			t.Errorf("JSON lacks %s:\n%s", c.js, text)
		}
	}
}

// TestVariantWithoutRuns: the table says that there is none, and what makes one.
func TestVariantWithoutRuns(t *testing.T) {
	table := paperTable(t, storedRuns{paperRun("a1", "rotate", "released", "1", .10)}, noResults,
		Options{Variant: "paper"})
	text := tableText(t, table, "text")
	if want := "No run of variant paper on fb15k-237 is finished; [train config fb15k-237/sphere-2d-paper]."; !strings.Contains(text, want) || strings.Contains(text, "paper: its table") {
		t.Errorf("the table lacks %q:\n%s", want, text)
	}
}

// TestEndedRunIsNoRunOfItsConfig: a run that was ended early does not take the row of a whole one.
func TestEndedRunIsNoRunOfItsConfig(t *testing.T) {
	whole, ended := paperRun("a2", "rotate", "released", "1", .30), paperRun("a1", "rotate", "released", "1", .10)
	ended.Tags = maps.Clone(ended.Tags)
	ended.Tags[answer.TagEnded] = "7"
	table := paperTable(t, storedRuns{ended, whole}, noResults, Options{})
	if row := findRow(t, table.Rows, "RotatE", "margin", "released"); !slices.Equal(row.RunIDs, []string{whole.ID}) {
		t.Errorf("the row is of %v, want %v", row.RunIDs, whole.ID)
	}
	table = paperTable(t, storedRuns{ended}, noResults, Options{})
	if row := findRow(t, table.Rows, "RotatE", "margin", "released"); row.Unlike != "train.epochs 7" {
		t.Errorf("an ended run alone: %+v", row)
	}
}
