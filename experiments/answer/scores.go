package answer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

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

// OpenScores reads scores about g: a file or folder that scorefile.Open reads, or a Parquet file, .parquet, with the
// columns of such a text.
func OpenScores(path string, g *kg.Graph) (*Scores, error) {
	text, err := openScoreText(path, g)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	scores, err := scorefile.Read(text, path, g)
	if err != nil {
		return nil, err
	}
	return &Scores{scores.Model(sphere.Scores), scores}, nil
}

func openScoreText(path string, g *kg.Graph) (io.ReadCloser, error) {
	if strings.HasSuffix(path, parquetEnding) {
		return openParquet(path)
	}
	return scorefile.OpenText(path, g)
}

// PackScores writes the scores that OpenScores reads as a text to w, compressed by gzip, and returns their digest.
func PackScores(w io.Writer, path string, g *kg.Graph) (digest string, err error) {
	text, err := openScoreText(path, g)
	if err != nil {
		return "", err
	}
	defer text.Close()
	return scorefile.Pack(w, text, path)
}

// Digest is that of the text.
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
