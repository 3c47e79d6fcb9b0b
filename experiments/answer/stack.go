package answer

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// StoredStack is what a stack is made of.
type StoredStack struct {
	Models       []StackedModel `json:"models"`
	Features     []string       `json:"features"`                // names of the weights
	TreeFeatures []string       `json:"tree_features,omitempty"` // names of the features of trees
	Fitted       stack.Fitted   `json:"fitted"`
}

// StackedModel is one model of a stack.
type StackedModel struct {
	RunID   string `json:"run_id"`
	RunName string `json:"run_name"`
	Digest  string `json:"checkpoint_digest"`
	File    string `json:"file"` // next to stackFile
}

// openStack loads the model of a stack's run from its artifacts.
func openStack(info tracker.RunInfo, g *kg.Graph) (*stack.Stack, error) {
	dir, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	stored, models, err := ReadStack(filepath.Join(dir, StackFile), g)
	if err != nil {
		return nil, err
	}
	return stack.New(models, g, stored.Fitted)
}

// ReadStack reads what a stack is made of, and the models next to it.
func ReadStack(path string, g *kg.Graph) (*StoredStack, []stack.Model, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var stored StoredStack
	if err := json.Unmarshal(raw, &stored); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	var models []stack.Model
	for _, of := range stored.Models {
		file := filepath.Join(filepath.Dir(path), filepath.Base(of.File))
		m, err := loadStacked(file, g)
		if err != nil {
			return nil, nil, err
		}
		if m.Digest() != of.Digest {
			return nil, nil, fmt.Errorf("%s is not the model of run %s that the stack combines", file,
				tracker.ShortID(of.RunID))
		}
		models = append(models, m)
	}
	return &stored, models, nil
}

// loadStacked loads one of the models that a stack combines.
func loadStacked(file string, g *kg.Graph) (stack.Model, error) {
	if filepath.Ext(file) == filepath.Ext(ScoresFile) {
		return OpenScores(file, g)
	}
	if filepath.Ext(file) == filepath.Ext(CountedFile) {
		return loadUntrained(file, g)
	}
	m, _, err := sphere.Load(file)
	return m, err
}
