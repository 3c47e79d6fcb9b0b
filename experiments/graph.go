package experiments

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// BundledName is the value of the key data that means the graph inside the binary.
const BundledName = "bundled"

// OpenGraph loads the graph that data names: "bundled", a file of triples (its name ends in .csv or .tsv, see
// kg.LoadFile), a path (anything with a separator in it), or the name of a folder inside one of dirs, the first that
// has it. A graph that is nowhere is a *dataset.NotFoundError.
func OpenGraph(data string, dirs []string) (*kg.Graph, error) {
	if data == BundledName {
		return kg.Bundled()
	}
	if kg.IsFile(data) {
		return kg.LoadFile(data)
	}
	dir, err := dataset.Find(data, dirs...)
	if err != nil {
		return nil, err
	}
	return kg.Load(dir)
}

// loadSource loads a graph from where it was when a run was made.
func loadSource(source string) (*kg.Graph, error) {
	if kg.IsFile(source) {
		return kg.LoadFile(source)
	}
	return kg.Load(source)
}

// openRunGraph loads the graph a run was trained on: from dirs, or else from where it was then, or else from the copy
// that a run keeps of a single file. A graph with other contents is refused.
func openRunGraph(info tracker.RunInfo, dirs []string) (*kg.Graph, error) {
	data := info.Params["data"]
	if data == "" {
		return nil, fmt.Errorf("run %s (%s) was not made by spherelab train: it has no parameter data", shortID(info.ID), info.Name)
	}
	want, source := info.Params["graph_digest"], info.Tags[tagSource]
	if data == BundledName && source != "" {
		return kg.Load(source) // somebody's own folder of that name
	}
	g, err := OpenGraph(data, dirs)
	other := func() bool { return err != nil || g.Digest() != want }
	for _, place := range []string{source, keptGraph(info)} {
		if other() && place != "" && (kg.IsGraph(place) || kg.IsFile(place)) {
			if there, loadErr := loadSource(place); loadErr == nil && (err != nil || there.Digest() == want) {
				there.Source = source
				g, err = there, nil
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if g.Digest() != want {
		where := g.Source
		if where == "" {
			where = "in this program"
		}
		return nil, fmt.Errorf("run %s (%s) was trained on another graph: %s %s has digest %s, the run's had %s", shortID(info.ID), info.Name,
			g.Name, where, shortID(g.Digest()), shortID(want))
	}
	return g, nil
}

// graphFolder is the artifact folder in which a run keeps the file that its graph was read from: such files are small,
// and people change them.
const graphFolder = "graph"

// largestKept bounds the size of a file that is kept, in bytes.
const largestKept = 64 << 20

// keptGraph is the path of a run's copy of its graph's file, "" if the graph was no single file.
func keptGraph(info tracker.RunInfo) string {
	dir, err := info.ArtifactDir()
	if err != nil || !kg.IsFile(info.Tags[tagSource]) {
		return ""
	}
	return filepath.Join(dir, graphFolder, filepath.Base(info.Tags[tagSource]))
}

// keepGraph copies the file that the run's graph was read from to the run's artifacts.
func (s *session) keepGraph() error {
	if !kg.IsFile(s.graph.Source) {
		return nil
	}
	in, err := os.Open(s.graph.Source)
	if err != nil {
		return fmt.Errorf("keep the graph's file with the run: %w", err)
	}
	defer in.Close() // opened for reading: nothing to lose
	content, err := io.ReadAll(io.LimitReader(in, largestKept+1))
	if err != nil {
		return fmt.Errorf("keep the graph's file with the run: %w", err)
	}
	if len(content) > largestKept {
		return nil
	}
	return writeFile(s.path(graphFolder+"/"+filepath.Base(s.graph.Source)), content)
}
