package experiments

import (
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/spherE/kg"
)

// BundledName is the value of the key data that means the graph inside the binary.
const BundledName = "bundled"

// OpenGraph loads the graph that data names: "bundled", a path (anything with a separator in it), or the name of a
// folder inside one of dirs, the first that has it. A graph that is nowhere is a *dataset.NotFoundError.
func OpenGraph(data string, dirs []string) (*kg.Graph, error) {
	if data == BundledName {
		return kg.Bundled()
	}
	dir, err := dataset.Find(data, dirs...)
	if err != nil {
		return nil, err
	}
	return kg.Load(dir)
}
