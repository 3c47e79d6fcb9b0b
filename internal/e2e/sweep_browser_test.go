package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestSweepInJupyterLab searches for a config in a cell: while it works there is a chart of the scores so far, and at
// the end a ranking.
func TestSweepInJupyterLab(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	dir := t.TempDir()
	search := "search:\n  config: bundled/sphere-2d\n  set: [train.epochs=100]\n  trials: 16\n  rungs: [20]\n  space:\n" +
		"    gamma: {from: 2, to: 12}\n    train.learning_rate: {from: 0.0005, to: 0.02, scale: log}\n"
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "search.yaml"), []byte(search), 0o600))
	l := openLab(t, newNotebookUser(t), notebook(t, dir, kernelName, `search := lab.Sweep("search.yaml")`, "search",
		`search.Best()`))
	l.run(0)
	l.waitFor("a chart of the trials so far", cell(0, `.jp-Cell-outputArea img[alt="valid/mrr"]`)+`?.naturalWidth > 200 &&
		`+cell(0, ".jp-Cell-outputArea")+`.innerText.match(/trial 1\d of 16/) && `+busy)
	l.reveal(0)
	l.shot("live")
	l.waitFor("the end", idle)
	l.run(1)
	l.outputs(1, "Only the best config was evaluated on the test triples")
	l.reveal(1)
	l.shot("ranking")
	l.run(2)
	l.outputs(2, "finished")
}
