package experiments

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// mainModels are trained where none is named.
var mainModels = []string{sphere.RotatE, sphere.SpherE2D}

// autoFolder has the embedded configs of graphs that have none of their own.
const autoFolder = "auto"

// PatternConfig is the embedded config of all models on all generated graphs.
const PatternConfig = "patterns/pattern"

// DimensionConfig is the embedded config of the models of spheres in 2 to 20 dimensions.
const DimensionConfig = "dimension/dimension"

// LoadConfigs is LoadConfig, but layers without a config mean the main job: both models on the bundled graph, with the
// layers over each. A layer that sets the model leaves one config.
func LoadConfigs(l Layers) ([]*Config, error) {
	if l.Config != "" {
		c, err := LoadConfig(l)
		return []*Config{c}, err
	}
	return LoadGraphConfigs(l, BundledName, "")
}

// LoadGraphConfigs are the configs that train a graph: the embedded ones with its name, such as umls/rotate, for a
// generated graph PatternConfig, else those of the folder auto, whose values Config.Settle takes from the graph. graph
// is what OpenGraph takes. model is one of sphere.Models, or "" for RotatE and SpherE-2D. The layers are over each; one
// that sets the model leaves one config.
func LoadGraphConfigs(l Layers, graph, model string) ([]*Config, error) {
	models := mainModels
	if model != "" {
		if !slices.Contains(sphere.Models(), model) {
			return nil, &ConfigError{Nearest: nearest(model, sphere.Models()),
				Message: fmt.Sprintf("no model %s; there are %s", quoted(model), strings.Join(sphere.Models(), ", "))}
		}
		models = []string{model}
	}
	var configs []*Config
	for _, model := range models {
		l.Config = graph + "/" + model
		own := slices.Contains(EmbeddedConfigs(), l.Config)
		_, generated := kg.FindPattern(graph)
		switch {
		case generated:
			l.Config = PatternConfig
		case !own:
			l.Config = autoFolder + "/" + model
		}
		c, err := LoadConfig(l)
		if err != nil {
			return nil, err
		}
		if from := c.origin["model"]; generated && from.File != "" { // no layer over the file's
			if err := c.Set("model", model, "model "+model); err != nil {
				return nil, err
			}
		}
		if !own {
			if err := c.Set("data", graph, "graph "+graph); err != nil {
				return nil, err
			}
		}
		if len(configs) > 0 && c.Model == configs[len(configs)-1].Model {
			configs = configs[:len(configs)-1]
		}
		configs = append(configs, c)
	}
	return configs, nil
}

// FindGraph is what the key data says for a graph that a person names: the bundled graph, a generated one, a file of
// triples, a folder, or the name of a data set in dirs or of a public one. A file or folder is made absolute, so that
// it is found from any folder. ok is false if the name cannot be a graph; a graph whose loading fails may be ok.
func FindGraph(name string, dirs []string) (data string, ok bool) {
	if _, generated := kg.FindPattern(name); generated || name == BundledName {
		return name, true
	}
	if kg.IsFile(name) && !isDirectory(name) || kg.IsGraph(name) {
		abs, err := filepath.Abs(name)
		return abs, err == nil
	}
	if _, err := dataset.Find(name, dirs...); err == nil {
		return name, true
	}
	_, err := dataset.Lookup(name)
	return name, err == nil
}

// IsConfig reports whether LoadConfig finds a config of that name: a file, or an embedded config.
func IsConfig(name string) bool {
	if isFile(name) {
		return !kg.IsFile(name)
	}
	_, err := fs.Stat(embedded, embeddedFile(name))
	return err == nil
}

// TrainAll runs the configs one after the other and stops at the first that does not finish.
func (r *Runner) TrainAll(ctx context.Context, configs []*Config) ([]*Result, error) {
	var results []*Result
	whole := r.TimeLimit
	defer func() { r.TimeLimit = whole }()
	for _, c := range configs {
		r.TimeLimit = whole / time.Duration(len(configs))
		result, err := r.Train(ctx, c)
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	return results, nil
}
