package experiments

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
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
	if data == BundledName {
		return kg.Bundled()
	}
	if p, ok := kg.FindPattern(data); ok {
		return p.Graph(d.Seed)
	}
	if kg.IsFile(data) {
		return kg.LoadDivided(data, d)
	}
	dir, err := dataset.Find(data, dirs...)
	if err != nil {
		return nil, err
	}
	return kg.LoadDivided(dir, d)
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// OpenRunGraph loads the graph a run was trained on: from dirs, else from where it was then, else from the copy that a
// run keeps of a single file. A graph with other contents is an error.
func OpenRunGraph(info tracker.RunInfo, dirs []string) (*kg.Graph, error) {
	title, run := runTitle(info.ID, info.Name), ReadLogged(info)
	if run.Config == nil {
		return nil, fmt.Errorf("%s has no config: another program logged it", title)
	}
	now, before := run.Config.Division(), run.Config.Division()
	before.TestFirst = true // as runs were divided before what can be held out was shared
	g, err := OpenDivided(run.Config.Data, dirs, now)
	other := func() bool { return err != nil || g.Digest() != run.GraphDigest }
	take := func(there *kg.Graph, loadErr error) {
		if loadErr == nil && (err != nil || there.Digest() == run.GraphDigest) {
			g, err = there, nil
		}
	}
	divisions := []kg.Division{now, before}
	if now.Reading == (kg.Reading{}) { // as files were read before columns and quotes were recognised
		for _, d := range divisions {
			d.Reading = kg.Reading{Columns: "head,relation,tail", Quotes: kg.QuotesCSV}
			divisions = append(divisions, d)
		}
	}
	if kg.IsFile(run.Config.Data) {
		for _, d := range divisions[1:] {
			if other() {
				take(OpenDivided(run.Config.Data, dirs, d))
			}
		}
	}
	// Any client of the tracker may have written where the graph was: it must be the run's, and no pipe, which would
	// hold its reader for ever.
	for _, place := range []string{run.Source, keptGraph(info, run.Source)} {
		if isDirectory(place) && kg.IsGraph(place) || isFile(place) && kg.IsFile(place) {
			for _, d := range divisions {
				if other() {
					there, loadErr := kg.LoadDivided(place, d)
					if loadErr == nil {
						there.Source = run.Source
					}
					take(there, loadErr)
				}
			}
		}
	}
	if err == nil && other() {
		return nil, fmt.Errorf("%s was trained on another graph: %s (%s) has digest %s, the run's had %s", title,
			g.Name, g.Place(), tracker.ShortID(g.Digest()), tracker.ShortID(run.GraphDigest))
	}
	return g, err
}

// graphFolder is the artifact folder with the file that the run's graph was read from. A run keeps such files because
// they are small and people change them.
const graphFolder = "graph"

// largestKept bounds the size of a file that is kept, in bytes.
const largestKept = 64 << 20

// keptGraph is the path of a run's copy of the file source, "" if the graph was a folder.
func keptGraph(info tracker.RunInfo, source string) string {
	dir, err := info.ArtifactDir()
	if err != nil || !kg.IsFile(source) {
		return ""
	}
	return filepath.Join(dir, graphFolder, filepath.Base(source))
}

// keepGraph copies the file that the run's graph was read from to the run's artifacts.
func (s *session) keepGraph() error {
	if !kg.IsFile(s.graph.Source) {
		return nil
	}
	info, err := os.Stat(s.graph.Source)
	if err == nil && info.Size() > largestKept {
		return nil
	}
	content, err := os.ReadFile(s.graph.Source)
	if err != nil {
		return fmt.Errorf("keep the graph's file with the run: %w", err)
	}
	return s.write(graphFolder+"/"+filepath.Base(s.graph.Source), content)
}
