package config

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/configs"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// mainModels are trained where none is named.
var mainModels = []string{sphere.RotatE, sphere.SpherE2D}

// autoFolder has the embedded configs of graphs that have none of their own.
const autoFolder = "auto"

// Pattern is the embedded config of all models on all generated graphs.
const Pattern = "patterns/pattern"

// Dimension is the embedded config of the models of spheres in 2 to 20 dimensions.
const Dimension = "dimension/dimension"

// LoadAll is Load, but layers without a config mean the main job: both models on the bundled graph, with the
// layers over each. A layer that sets the model leaves one config.
func LoadAll(l Layers) ([]Checked, error) {
	if l.Config != "" {
		c, err := Load(l)
		return []Checked{c}, err
	}
	return LoadForGraph(l, BundledName, "")
}

// LoadForGraph are the configs that train a graph: the embedded ones with its name, such as umls/rotate, for a
// generated graph Pattern, else those of the folder auto, whose values Checked.Settle takes from the graph. graph
// is what OpenGraph takes. model is one of sphere.Models, or "" for RotatE and SpherE-2D. The layers are over each; one
// that sets the model leaves one config.
func LoadForGraph(l Layers, graph, model string) ([]Checked, error) {
	models := mainModels
	if model != "" {
		if !slices.Contains(sphere.Models(), model) {
			return nil, &Error{Nearest: nearest(model, sphere.Models()),
				Message: fmt.Sprintf("no model %s; there are %s", quoted(model), strings.Join(sphere.Models(), ", "))}
		}
		models = []string{model}
	}
	var configs []Checked
	for _, model := range models {
		l.Config = graph + "/" + model
		isOwn := slices.Contains(EmbeddedNames(), l.Config)
		_, generated := kg.FindPattern(graph)
		isBorrowed := !generated && !isOwn && !Exists(autoFolder+"/"+model) // a model from outside
		switch {
		case generated:
			l.Config = Pattern
		case isBorrowed:
			l.Config = autoFolder + "/" + sphere.TransE
		case !isOwn:
			l.Config = autoFolder + "/" + model
		}
		c, err := read(l)
		if err != nil {
			return nil, err
		}
		if from := c.origin["model"]; (generated || isBorrowed) && from.File != "" { // no layer over the file's
			if err := c.Set("model", model, "model "+model); err != nil {
				return nil, err
			}
		}
		if isBorrowed && c.IsAuto("gamma") && len(c.Settings().Criteria()) == 0 { // a product has no margin to search
			if err := c.Set("gamma", fmt.Sprint(sphere.DefaultGamma), "model "+model); err != nil {
				return nil, err
			}
		}
		if !isOwn {
			if err := c.Set("data", graph, "graph "+graph); err != nil {
				return nil, err
			}
		}
		checked, err := c.Check()
		if err != nil {
			return nil, err
		}
		if len(configs) > 0 && c.Model == configs[len(configs)-1].config.Model {
			configs = configs[:len(configs)-1]
		}
		configs = append(configs, checked)
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
	if kg.IsFile(name) && !filekind.IsFolder(name) || kg.IsGraph(name) {
		abs, err := filepath.Abs(name)
		return abs, err == nil
	}
	if _, err := dataset.Find(name, dirs...); err == nil {
		return name, true
	}
	_, err := dataset.Lookup(name)
	return name, err == nil
}

// Exists reports whether Load finds a config of that name: a file, or an embedded config.
func Exists(name string) bool {
	if filekind.IsFile(name) {
		return !kg.IsFile(name)
	}
	_, err := fs.Stat(configs.Files, embeddedFile(name))
	return err == nil
}
