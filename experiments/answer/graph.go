package answer

import (
	"fmt"
	"path/filepath"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// OpenGraph loads the graph that a run was trained on. It searches dirs, then the place that the run logged, then the
// copy that a run keeps of a single file. A graph whose digest is not the run's is an error.
func OpenGraph(info tracker.RunInfo, dirs []string) (*kg.Graph, error) {
	title, run := RunTitle(info.ID, info.Name), ReadLogged(info)
	if run.Config == nil {
		return nil, fmt.Errorf("%s has no config: another program logged it", title)
	}
	now, before := run.Config.Division(), run.Config.Division()
	before.TestFirst = true // earlier versions divided like this
	g, err := config.OpenDivided(run.Config.Data, dirs, now)
	isMissing := func() bool { return err != nil || g.Digest() != run.GraphDigest }
	take := func(loaded *kg.Graph, loadErr error) {
		if loadErr == nil && (err != nil || loaded.Digest() == run.GraphDigest) {
			g, err = loaded, nil
		}
	}
	divisions := []kg.Division{now, before}
	if now.Reading == (kg.Reading{}) { // earlier versions did not recognise columns and quotes
		for _, d := range divisions {
			d.Reading = kg.Reading{Columns: "head,relation,tail", Quotes: kg.QuotesCSV}
			divisions = append(divisions, d)
		}
	}
	if kg.IsFile(run.Config.Data) {
		for _, d := range divisions[1:] {
			if isMissing() {
				take(config.OpenDivided(run.Config.Data, dirs, d))
			}
		}
	}
	// Any client of the tracker may have written these paths. So only folders and regular files are read, since a pipe
	// would block its reader forever, and the digest decides.
	for _, place := range []string{run.Source, KeptGraph(info, run.Source)} {
		if filekind.IsFolder(place) && kg.IsGraph(place) || filekind.IsFile(place) && kg.IsFile(place) {
			for _, d := range divisions {
				if isMissing() {
					loaded, loadErr := kg.LoadDivided(place, d)
					if loadErr == nil {
						loaded.Source = run.Source
					}
					take(loaded, loadErr)
				}
			}
		}
	}
	if err == nil && isMissing() {
		return nil, fmt.Errorf("%s was trained on another graph: %s (%s) has digest %s, the run's had %s", title,
			g.Name, g.Place(), tracker.ShortID(g.Digest()), tracker.ShortID(run.GraphDigest))
	}
	return g, err
}

// GraphFolder is the artifact folder that holds a copy of the file that the run's graph was read from. A run keeps this
// copy because such a file is small and may be edited later.
const GraphFolder = "graph"

// KeptGraph returns the path of a run's copy of the file source. It returns "" if source does not have the name of a
// file of triples, or if the run's artifacts are not in a local folder.
func KeptGraph(info tracker.RunInfo, source string) string {
	dir, err := info.ArtifactDir()
	if err != nil || !kg.IsFile(source) {
		return ""
	}
	return filepath.Join(dir, GraphFolder, filepath.Base(source))
}
