package config

import (
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/spherE/kg"
)

// BundledName is the value of the key data that means the embedded graph.
const BundledName = "bundled"

// OpenGraph is OpenDivided with kg.DefaultDivision.
func OpenGraph(data string, dirs []string) (*kg.Graph, error) {
	return OpenDivided(data, dirs, kg.DefaultDivision())
}

// Graph loads the graph that the config names, divided as it says.
func (c *Config) Graph(dirs []string) (*kg.Graph, error) {
	return OpenDivided(c.Data, dirs, c.Division())
}

// OpenDivided loads the graph that data names: "bundled", a generated graph such as "pattern-symmetry", a file of
// triples (its name has one of kg.FileEndings), a path (anything with a separator in it), or the name of a folder
// inside one of dirs, the first that has it. Files are read and divided as d says, and a generated graph is drawn with
// d's seed. Where there is no such graph the error is a *dataset.NotFoundError.
func OpenDivided(data string, dirs []string, d kg.Division) (*kg.Graph, error) {
	var g *kg.Graph
	var err error
	if p, generated := kg.FindPattern(data); generated {
		g, err = p.Graph(d.Seed)
	} else if data == BundledName {
		g, err = kg.Bundled()
	} else {
		return loadDivided(data, dirs, d)
	}
	if err == nil && d.Whole {
		g = g.Whole()
	}
	return g, err
}

// loadDivided is OpenDivided for a graph of files.
func loadDivided(data string, dirs []string, d kg.Division) (*kg.Graph, error) {
	if kg.IsFile(data) {
		return kg.LoadDivided(data, d)
	}
	dir, err := dataset.Find(data, dirs...)
	if err != nil {
		return nil, err
	}
	return kg.LoadDivided(dir, d)
}
