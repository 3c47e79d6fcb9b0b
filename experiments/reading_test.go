package experiments

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestFileKeysReadTheGraph: how a file was read is logged, and the run finds its graph again by it, also in a folder
// that lacks splits.
func TestFileKeysReadTheGraph(t *testing.T) {
	t.Parallel()
	ctx, tr := t.Context(), trackertest.Open(t)
	var pairs strings.Builder
	for i := range 60 {
		fmt.Fprintf(&pairs, "\"p %d\"\t%d\t\"p %d\"\n", i%20, i, (3*i+i/20+1)%20)
	}
	folder := t.TempDir()
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "train.tsv"), []byte(pairs.String()), 0o644))
	for _, data := range []string{writeFacts(t, "pairs.tsv", []string{strings.TrimSpace(pairs.String())}), folder} {
		l := config.Layers{Set: []string{"train.epochs=1", "dimension=4", "eval.bootstrap=0", "gamma=4", "threads=1",
			"file.relation=knows", "file.columns=head,-,tail", "file.quotes=csv"}}
		if data == folder { // a config without auto
			l.Config = "bundled/sphere-2d"
			l.Set = append(l.Set, "data="+data, "eval.every=0", "early_stop.metric=", "eval.calibrate=false")
		}
		configs, err := config.LoadAll(l)
		if l.Config == "" {
			configs, err = config.LoadForGraph(l, data, "sphere-2d")
		}
		expect.NoError(t, err)
		said := ""
		progress := runtest.Watch(func(e progress.Event) { said += e.Message })
		results, err := (&Runner{Tracker: tr, Progress: progress}).TrainAll(ctx, configs)
		expect.NoError(t, err)
		g := results[0].Graph
		if !strings.Contains(said, "divided by a fixed draw into 48 train, 6 valid and 6 test triples") {
			t.Errorf("%s: it is not said how it was divided: %s", data, said)
		}
		if g.Relations.Len() != 1 || g.Relations.Name(0) != "knows" || g.Entities.Len() != 20 ||
			g.Entities.Name(0) != "p 0" || len(g.Valid) != 6 || len(g.Test) != 6 {
			t.Fatalf("%s: %d relations, %d entities, %q", data, g.Relations.Len(), g.Entities.Len(), g.Entities.Name(0))
		}
		info, err := tr.FindRun(ctx, results[0].RunID)
		expect.NoError(t, err)
		again, err := answer.OpenGraph(info, nil)
		if err != nil || again.Digest() != g.Digest() {
			t.Errorf("%s: the run's graph again: %v", data, err)
		}
	}
	for _, set := range []string{"file.columns=head,tail", "file.quotes=yes", "file.relation= x"} {
		_, err := config.LoadForGraph(config.Layers{Set: []string{set}}, "pairs.tsv", "sphere-2d")
		if key, _, _ := strings.Cut(set, "="); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", set, err)
		}
	}
}

// TestGraphOfAnEarlierRun: a run of before quotes and columns were recognised has its own graph.
func TestGraphOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	var facts []string
	for i := range 29 { // read today as head, tail, relation
		facts = append(facts, fmt.Sprintf("p %d\tp %d\tcites", i, (i+7)%30))
	}
	facts = append(facts, "\"p 29\"\tp 6\tcites")
	file := writeFacts(t, "cites.tsv", facts)
	before, err := kg.LoadDivided(file, kg.Division{Reading: kg.Reading{Columns: "head,relation,tail", Quotes: kg.QuotesCSV}})
	expect.NoError(t, err)
	today, err := kg.LoadFile(file)
	expect.NoError(t, err)
	if today.Relations.Len() != 1 || today.Entities.Name(0) != `"p 29"` || before.Relations.Len() != 30 ||
		before.Entities.Name(0) != "cites" {
		t.Fatalf("%d and %d relations", today.Relations.Len(), before.Relations.Len())
	}
	params := map[string]string{config.ParamHash: "x", "data": file}
	for _, want := range []*kg.Graph{before, today} {
		p := maps.Clone(params)
		p[answer.ParamGraphDigest] = want.Digest()
		g, err := answer.OpenGraph(tracker.RunInfo{ID: "0123456789", Params: p}, nil)
		if err != nil || g.Digest() != want.Digest() {
			t.Errorf("%d relations: %v", want.Relations.Len(), err)
		}
	}
}
