package answer

import (
	"fmt"
	"path/filepath"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// OpenGraph loads the graph a run was trained on: from dirs, else from where it was then, else from the copy that a
// run keeps of a single file. A graph with other contents is an error.
func OpenGraph(info tracker.RunInfo, dirs []string) (*kg.Graph, error) {
	title, run := RunTitle(info.ID, info.Name), ReadLogged(info)
	if run.Config == nil {
		return nil, fmt.Errorf("%s has no config: another program logged it", title)
	}
	now, before := run.Config.Division(), run.Config.Division()
	before.TestFirst = true // as runs were divided before what can be held out was shared
	g, err := config.OpenDivided(run.Config.Data, dirs, now)
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
				take(config.OpenDivided(run.Config.Data, dirs, d))
			}
		}
	}
	// Any client of the tracker may have written where the graph was. It must be the run's, and not a pipe, which would
	// block its reader forever.
	for _, place := range []string{run.Source, KeptGraph(info, run.Source)} {
		if filekind.IsFolder(place) && kg.IsGraph(place) || filekind.IsFile(place) && kg.IsFile(place) {
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

// GraphFolder is the artifact folder with the file that the run's graph was read from. A run keeps such files because
// they are small and people change them.
const GraphFolder = "graph"

// KeptGraph returns the path of a run's copy of the file source, "" if the graph was a folder.
func KeptGraph(info tracker.RunInfo, source string) string {
	dir, err := info.ArtifactDir()
	if err != nil || !kg.IsFile(source) {
		return ""
	}
	return filepath.Join(dir, GraphFolder, filepath.Base(source))
}
