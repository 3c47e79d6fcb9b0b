package results

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
)

// TestNoEpochsWithoutTraining: nothing says that a model which is made at once has epochs, a dimension or a batch.
func TestNoEpochsWithoutTraining(t *testing.T) {
	t.Parallel()
	for model, epochs := range map[string]bool{"ultra-50g": false, "neighbours": false, "sphere-2d+complex": false,
		"sphere-2d": true} {
		c := config.Default()
		c.Model, c.Train.Epochs = model, 1
		info := tracker.RunInfo{ID: "abc", Params: c.Flatten()}
		info.Params[config.ParamHash], info.Params[answer.ParamGraphDigest] = "1", "2"
		run := Read(info)
		if run.HasEpochs() != epochs {
			t.Errorf("%s: epochs %v", model, run.HasEpochs())
		}
		var shown bytes.Buffer
		if _, err := WriteRun(&shown, run, Headlines); err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"train.epochs", "dimension"} {
			if strings.Contains(shown.String(), word) != epochs {
				t.Errorf("%s: %q in\n%s", model, word, shown.String())
			}
		}
	}
	if got := (Cost{training: 2, evaluation: 3}).String(); got != "made in 2.0 s, final evaluation 3.0 s" {
		t.Errorf("%q", got)
	}
	if got := (Cost{epochs: 1, training: 2, evaluation: 3}).String(); got != "1 epoch in 2.0 s, final evaluation 3.0 s" {
		t.Errorf("%q", got)
	}
}

// TestDataSetGridListsWeights: weights that are here, that are damaged, and that can be fetched.
func TestDataSetGridListsWeights(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	expect.NoError(t, os.MkdirAll(filepath.Join(dir, "ultra"), 0o750))
	path := filepath.Join(dir, "ultra", "ultra_3g.pth")
	expect.NoError(t, os.WriteFile(path, []byte("cut"), 0o600))
	g, err := DataSetGrid([]string{dir})
	expect.NoError(t, err)
	for name, want := range map[string][]string{"ultra-3g": {"damaged", "", path},
		"ultra-50g": {"can be fetched", "", "https://github.com/DeepGraphLearning/ULTRA"}} {
		i := slices.IndexFunc(g.Rows, func(row []string) bool { return row[0] == name })
		if i < 0 || !slices.Equal(g.Rows[i][1:], want) {
			t.Errorf("%s: %q", name, g.Rows)
		}
	}
}
