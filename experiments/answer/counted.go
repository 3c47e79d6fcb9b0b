package answer

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/inductive"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/rule"
	"github.com/spherelab/spherelab/tracker"
)

// Untrained is a model that needs no training on the graph: a counted *rule.Model or an *inductive.Model.
type Untrained interface {
	Model
	// JSON returns the content of the run's CountedFile.
	JSON() ([]byte, error)
}

// loadUntrained reads a model from a file that has what Untrained.JSON returned.
func loadUntrained(path string, g *kg.Graph) (Untrained, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var header struct {
		Model string `json:"model"`
	}
	if err := json.Unmarshal(raw, &header); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if sphere.IsInductive(header.Model) {
		return inductive.Load(path, g)
	}
	return rule.Load(path, g)
}

// openUntrainedRun is Open for a run whose model is Untrained.
func openUntrainedRun(info tracker.RunInfo, dirs []string) (*Run, error) {
	dir, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, CountedFile)
	if !filekind.IsFile(path) {
		return nil, NotTrained(info)
	}
	run := &Run{Info: info}
	checked, err := config.Load(config.Layers{Config: filepath.Join(dir, ConfigFile)})
	if err != nil {
		return nil, err
	}
	run.Config = checked.Config()
	if run.Graph, err = OpenGraph(info, dirs); err != nil {
		return nil, err
	}
	model, err := loadUntrained(path, run.Graph)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", RunTitle(info.ID, info.Name), err)
	}
	run.Model = model
	return run, nil
}
