package results

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// TestReadEmbeddedRuns holds what is read of a run of ours, number for number.
func TestReadEmbeddedRuns(t *testing.T) {
	t.Parallel()
	sizes := map[string][2]int{"fb15k-237": {14541, 237}, "wn18rr": {40943, 11}, "umls": {135, 46}, "nations": {14, 55}, "kinships": {104, 25},
		config.BundledName: {643, 19}} // entities and relations
	files, err := EmbeddedResults()
	expect.NoError(t, err)
	for _, f := range files {
		r := Read(f.Info)
		first, _, stacked := strings.Cut(r.Model, sphere.StackedBy) // a stack is evaluated as its first model
		// Several configs may train one model, each in another variant.
		c, err := config.Embedded(cmp.Or(configOf(r).name, r.Graph+"/"+first))
		expect.NoError(t, err)
		if r.Config == nil || !stacked && r.Config.Train.LearningRate != c.Train.LearningRate ||
			!slices.Equal(r.Config.Eval.TopL, c.Eval.TopL) || !r.Config.Eval.Fit {
			t.Errorf("%s: config %+v", f.File, r.Config)
		}
		if !stacked && r.Config.IdentityHash() != r.ConfigHash || len(r.GraphDigest) != 64 || r.Numerics < 1 ||
			[2]int{r.Entities, r.Relations} != sizes[r.Graph] ||
			len(r.GitHeads) == 0 || r.Imported {
			t.Errorf("%s: %+v", f.File, r.Logged)
		}
		if len(r.Warnings) > 0 {
			t.Errorf("%s: warnings %q", f.File, r.Warnings)
		}
		clean := slices.DeleteFunc(slices.Clone(r.Cuts), func(c Cut) bool {
			return c.Kind() == eval.KindReleased || c.Kind() == eval.KindTie
		})
		if first, last := clean[0].Name(), clean[len(clean)-1].Name(); first != r.Criterion || last != "lookup-train" {
			t.Errorf("%s: cuts from %s to %s", f.File, first, last)
		}
		// Every number of a cut is read, and from its own key.
		read := 0
		for i, c := range r.Cuts {
			name := c.Name()
			if i == 0 {
				name = ""
			}
			for m, n := range c.Numbers {
				key := eval.Key{Split: "test", Cut: name, Metric: m.String()}
				for end, value := range map[eval.End]*float64{eval.Value: &n.Value, eval.Low: lowOf(n),
					eval.High: highOf(n)} {
					if value == nil {
						continue
					}
					key.End = end
					read++
					if logged, ok := f.Info.Metrics[key.String()]; !ok || logged != *value {
						t.Errorf("%s: %s is %v, logged is %v", f.File, key, *value, logged)
					}
				}
			}
		}
		logged := 0
		for text := range f.Info.Metrics {
			if k, ok := eval.ParseKey(text); ok && k.Split == "test" && k.Category == "" &&
				slices.Contains(metricNames[:],
					k.Metric) {
				logged++
			}
		}
		if read != logged {
			t.Errorf("%s: %d of %d numbers are read", f.File, read, logged)
		}
	}
}

func lowOf(n Number) *float64 {
	if n.Interval == nil {
		return nil
	}
	return &n.Interval.Low
}

func highOf(n Number) *float64 {
	if n.Interval == nil {
		return nil
	}
	return &n.Interval.High
}

// TestReadForeignRuns: whatever other programs log is read without a crash, and what they call as we do is kept.
func TestReadForeignRuns(t *testing.T) {
	t.Parallel()
	for name, info := range map[string]tracker.RunInfo{
		"nothing": {},
		"other words": {ID: "ab", Params: map[string]string{"model": "bert", "seed": "1e3", "lr": "x"},
			Metrics: map[string]float64{"acc": 1, "loss": math.NaN(), "a//b/": 2, "": 3}},
		"half of ours": {ID: "0123456789", Params: map[string]string{"config_hash": "h", "train.epochs": "many",
			"graph": "g"},
			Tags: map[string]string{"criterion": "of its own", "entities": "many", "resumed": "often"},
			Metrics: map[string]float64{"test/head_f1": .5, "test/top-0/head_f1": 1, "test/top-3/head_f1_lo": 1,
				"test/a/b/c/d": 1}},
	} {
		r := Read(info)
		if r.Config != nil || len(r.Cuts) > 1 || r.Entities != 0 || r.Resumed != 0 {
			t.Errorf("%s: %+v", name, r)
		}
		if r.Model != info.Params["model"] || r.Seed != info.Params["seed"] || r.Graph != info.Params["graph"] {
			t.Errorf("%s: model %q, seed %q, graph %q", name, r.Model, r.Seed, r.Graph)
		}
		for _, format := range Formats {
			gridText(t, RunGrid([]Run{r}, format, ""), format)
			gridText(t, CompareGrid([]Run{r, r}, format, Everything), format)
		}
	}
}

// TestInterrupted: a killed run with a saved state is shown as interrupted; what is stored stays as it is.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	info := tracker.RunInfo{ID: "a", Status: "KILLED", ArtifactURI: "file://" + filepath.ToSlash(folder)}
	if r := Read(info); r.State != "KILLED" {
		t.Errorf("without a saved state: %s", r.State)
	}
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "state.safetensors"), nil, 0o644))
	r := Read(info)
	if r.State != Interrupted || NewRunRecord(r).Status != "KILLED" {
		t.Errorf("state %s, stored %s", r.State, NewRunRecord(r).Status)
	}
	g := RunGrid([]Run{r}, "text", "")
	if exact := RunGrid([]Run{r}, "csv", ""); g.Rows[0][3] != Interrupted || exact.Rows[0][3] != "KILLED" {
		t.Errorf("status %s in text, %s in CSV", g.Rows[0][3], exact.Rows[0][3])
	}
	info.Status = "FAILED"
	if r := Read(info); r.State != "FAILED" {
		t.Errorf("a failed run: %s", r.State)
	}
}

// A run of another program has none of the entries that are shown first, so all of its are.
func TestRunOfAnotherProgram(t *testing.T) {
	t.Parallel()
	info := tracker.RunInfo{ID: strings.Repeat("0", 32), Params: map[string]string{"lr": "0.1"},
		Tags: map[string]string{"who": "me"}, Metrics: map[string]float64{"accuracy": 0.5}}
	for _, own := range []bool{false, true} {
		if own {
			info.Params[config.ParamHash] = "0"
		}
		var b strings.Builder
		hidden, err := WriteRun(&b, Read(info), Headlines)
		text := b.String()
		shown := strings.Contains(text, "lr") && strings.Contains(text, "who") && strings.Contains(text, "accuracy")
		if err != nil || shown == own || hidden > 0 != own {
			t.Errorf("own %t: %d hidden, %v, shown:\n%s", own, hidden, err, text)
		}
	}
}

// Names come from whoever logged them.
func TestNoNameSteersATerminal(t *testing.T) {
	t.Parallel()
	const evil = "a\x1b[2J\u202e\u009bb\nc"
	run := Read(tracker.RunInfo{ID: strings.Repeat("0", 32), Name: evil, Experiment: evil, Status: evil,
		ArtifactURI: evil, Params: map[string]string{evil: evil, "model": evil, "data": evil},
		Tags: map[string]string{evil: evil}, Metrics: map[string]float64{evil: 1}})
	check := func(what, text string) {
		t.Helper()
		if strings.ContainsAny(text, "\x1b\u202e\u009b") || strings.Contains(text, "b\nc") {
			t.Errorf("%s: %q", what, text)
		}
		if !strings.Contains(text, `a\x1b[2J\u202e\u009bb\nc`) {
			t.Errorf("%s does not show the name: %q", what, text)
		}
	}
	for _, format := range []string{"text", "markdown", "html", "latex"} {
		for what, g := range map[string]*Grid{"list": RunGrid([]Run{run}, format, ""),
			"comparison": CompareGrid([]Run{run, run}, format, Everything)} {
			var b strings.Builder
			expect.NoError(t, g.Write(&b, format))
			text := b.String()
			switch format { // their own escapes
			case "markdown":
				text = strings.ReplaceAll(text, `\\`, `\`)
			case "latex":
				text = strings.NewReplacer(`\textbackslash\{\}`, `\`, `\textbackslash{}`, `\`).Replace(text)
			}
			check(what+" as "+format, text)
		}
	}
	var record strings.Builder
	expect.NoError(t, WriteJSON(&record, NewRunRecord(run)))
	if text := record.String(); strings.ContainsAny(text, "\x1b\u202e\u009b") ||
		!strings.Contains(text, `a\u001b[2J\u202e\u009bb\nc`) {
		t.Errorf("JSON: %q", text)
	}
	var b strings.Builder
	if _, err := WriteRun(&b, run, Everything); err != nil {
		t.Fatal(err)
	}
	check("run", b.String())
}
