package experiments

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
)

// TestImportedConfigLoads: the stored config of an imported model loads, also where that of its graph stops early.
func TestImportedConfigLoads(t *testing.T) {
	t.Parallel()
	settings := sphere.Settings{Model: sphere.TransE, Variant: sphere.Clean, Dimension: 3, Gamma: 6, Epsilon: 2, Tau: 1,
		Alpha: 1, Beta: 1}
	checked := expect.Must[config.Checked](t)(ImportConfig(config.Layers{}, "auto-graph", settings))
	if metric := checked.Config().EarlyStop.Metric; metric == "" {
		t.Fatal("the config of a graph without one of its own does not stop early")
	}
	cfg := importedConfig(checked.Config())
	if cfg.Eval.Every != 0 || cfg.EarlyStop.Metric != "" || strings.Contains(string(cfg.YAML()), "metric: valid") {
		t.Errorf("the config is\n%s", cfg.YAML())
	}
	if _, err := cfg.Check(); err != nil {
		t.Error(err)
	}
}
