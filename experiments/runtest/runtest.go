// Package runtest has what tests train: a small graph, a config, files of sweeps.
package runtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sync"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/tracker"
)

// CircleGraph writes a graph of n entities on a circle with steps of 1, 2 and 3 as relations, and returns its folder.
func CircleGraph(t testing.TB, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "circle")
	expect.NoError(t, os.Mkdir(dir, 0o755))
	var splits [3]strings.Builder
	for i := range n {
		for step := 1; step <= 3; step++ {
			split := 0
			if step == 3 && i%5 == 0 {
				split = 1 + i/5%2
			}
			fmt.Fprintf(&splits[split], "e%02d\tplus%d\te%02d\n", i, step, (i+step)%n)
		}
	}
	for i, name := range []string{"train.txt", "valid.txt", "test.txt"} {
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(splits[i].String()), 0o644))
	}
	return dir
}

// SmallConfig trains in well under a second.
func SmallConfig(data string) *config.Config {
	c := config.Default()
	c.Data, c.Dimension, c.Threads = data, 8, 1
	c.Train.Epochs, c.Train.Batch, c.Train.Negatives, c.Train.LearningRate, c.Train.SaveEvery = 8, 16, 4, .02, 3
	c.Eval.Every, c.Eval.Bootstrap, c.Eval.TopL = 2, 50, []int{1, 3}
	return c
}

// Checked checks a config, which must be valid.
func Checked(t testing.TB, c *config.Config) config.Checked {
	t.Helper()
	checked, err := c.Check()
	expect.NoError(t, err)
	return checked
}

// Load is config.Load for tests that change the config.
func Load(l config.Layers) (*config.Config, error) {
	checked, err := config.Load(l)
	if err != nil {
		return nil, err
	}
	return checked.Config(), nil
}

// Watch is a progress.Listener made of a function.
type Watch func(progress.Event)

func (w Watch) Event(e progress.Event) { w(e) }

// Logged returns everything of a run that must not depend on how it was made.
func Logged(t *testing.T, tr *tracker.Tracker, id string) map[string]float64 {
	t.Helper()
	ctx := context.Background()
	keys, err := tr.Keys(ctx, id)
	expect.NoError(t, err)
	all := map[string]float64{}
	for _, key := range keys {
		if strings.HasPrefix(key, "system/") {
			continue
		}
		points, err := tr.History(ctx, id, key)
		expect.NoError(t, err)
		for _, p := range points {
			all[fmt.Sprintf("%s@%d", key, p.Step)] = p.Value
		}
	}
	return all
}

// WriteSweep writes a config for a small graph and a sweep over it next to each other.
func WriteSweep(t testing.TB, runs string) (file string) {
	t.Helper()
	folder := t.TempDir()
	config := fmt.Sprintf("data: %s\nmodel: rotate\ndimension: 8\nthreads: 1\ntrain:\n  epochs: 6\n  batch: 16\n  negatives: 4\n  learning_rate: 0.02\n"+
		"  save_every: 3\neval:\n  every: 2\n  bootstrap: 20\n  top_l: [1, 3]\n", CircleGraph(t, 30))
	for name, content := range map[string]string{"small.yaml": config, "sweep.yaml": runs} {
		expect.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	return filepath.Join(folder, "sweep.yaml")
}

// WriteSearch writes a search next to the config that writeSweep writes, whose trainings have six epochs.
func WriteSearch(t testing.TB, search string) string {
	t.Helper()
	return WriteSweep(t, "search:\n  config: small.yaml\n"+search)
}

const SmallSearch = "  trials: 7\n  seed: 3\n  rungs: [2, 4]\n  keep: 2\n  space:\n" +
	"    gamma: [2, 4, 8]\n    train.learning_rate: {from: 0.001, to: 0.1, scale: log}\n"

// GroupOf returns the one run that all of these belong to.
func GroupOf(t *testing.T, tr *tracker.Tracker, runs []tracker.RunInfo) tracker.RunInfo {
	t.Helper()
	parent := ""
	for i, r := range runs {
		if id := r.Tags[tracker.TagParent]; id == "" || i > 0 && id != parent {
			t.Fatalf("run %s belongs to %q, the others to %q", r.Name, id, parent)
		}
		parent = r.Tags[tracker.TagParent]
	}
	group, err := tr.FindRun(context.Background(), parent)
	expect.NoError(t, err)
	return group
}

// After calls do once, when an epoch of a run is done.
func After(epoch int, do func()) progress.Listener {
	var once sync.Once
	return Watch(func(e progress.Event) {
		if e.Event == progress.EpochDone && e.Epoch == epoch {
			once.Do(do)
		}
	})
}

// Artifact returns the path of a run's artifact, "" if it does not exist.
func Artifact(t *testing.T, info tracker.RunInfo, name string) string {
	t.Helper()
	dir, err := info.ArtifactDir()
	expect.NoError(t, err)
	if path := filepath.Join(dir, filepath.FromSlash(name)); filekind.IsFile(path) {
		return path
	}
	return ""
}

// DocumentedCode returns the Python code of a page between the marks <!-- code:NAME -->.
func DocumentedCode(t testing.TB, page, name string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	expect.NoError(t, err)
	_, rest, opened := strings.Cut(string(text), "<!-- code:"+name+" -->\n```python\n")
	code, _, closed := strings.Cut(rest, "```\n<!-- /code:"+name+" -->")
	if !opened || !closed {
		t.Fatalf("%s has no code between the marks code:%s", page, name)
	}
	return code
}
