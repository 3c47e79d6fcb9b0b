package answer

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/scorefile"
	"github.com/spherelab/spherelab/tracker"
)

// Scores is a file of another program's scores as a model.
type Scores struct {
	*sphere.Scored
	*scorefile.Scores
}

// OpenScores reads a file of scores about g.
func OpenScores(path string, g *kg.Graph) (*Scores, error) {
	scores, err := scorefile.Open(path, g)
	if err != nil {
		return nil, err
	}
	return &Scores{scores.Model(sphere.Scores), scores}, nil
}

// Digest is that of the file, unpacked.
func (s *Scores) Digest() string { return s.Scores.Digest() }

// CoversValidation reports whether some queries of both sides of the validation facts are scored.
func (s *Scores) CoversValidation() bool {
	valid := s.Coverage(kg.Valid)
	return valid[kg.HeadSide].Scored > 0 && valid[kg.TailSide].Scored > 0
}

// openScoresRun is Open for a run of scores.
func openScoresRun(info tracker.RunInfo, dirs []string) (*Run, error) {
	dir, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	run := &Run{Info: info, Config: ReadLogged(info).Config}
	if run.Graph, err = OpenGraph(info, dirs); err != nil {
		return nil, err
	}
	scores, err := OpenScores(filepath.Join(dir, ScoresFile), run.Graph)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, NotTrained(info)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", RunTitle(info.ID, info.Name), err)
	}
	if logged := info.Params[ParamScores]; logged != scores.Digest() {
		return nil, fmt.Errorf("%s: %s has other scores (%s) than were logged (%s); judge the file again",
			RunTitle(info.ID, info.Name), filepath.Join(dir, ScoresFile), scores.Digest(), logged)
	}
	run.Model = scores
	return run, nil
}
