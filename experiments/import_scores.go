package experiments

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/atomicfile"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// ImportScores logs the scores of a file about the graph as a new run, and measures them as a training does at its end.
// The run keeps the file. cfg is settled; its data, split, seed, name and evaluation count.
func (r *Runner) ImportScores(ctx context.Context, cfg *config.Config, g *kg.Graph, path string,
	scores *answer.Scores) (*Result, error) {
	simd, roots, err := kernels()
	if err != nil {
		return nil, err
	}
	cfg = importedConfig(cfg)
	cfg.Model, cfg.Variant = sphere.Scores, sphere.Clean
	cfg.DropTraining()
	s, err := newSession(r, cfg, g)
	if err != nil {
		return nil, err
	}
	tags, params := r.tags(cfg, g, simd, roots, 0), r.params(cfg, g)
	tags[answer.TagFrom], tags["config_hash"] = filepath.Base(path), scores.Digest()
	maps.DeleteFunc(params, func(key, value string) bool { return key != "eval.calibrate" && !ofStack(key, value) })
	params[config.ParamHash], params[answer.ParamScores] = scores.Digest(), scores.Digest()
	run, err := r.Tracker.StartRun(ctx, tracker.RunSpec{Experiment: cfg.ExperimentIn(g), Name: cfg.RunName(g),
		Params: params, Tags: tags, Claim: r.Claim, Inputs: datasets(g)})
	if err != nil {
		return nil, err
	}
	s.run, s.isShared = run, s.isShared || run.InBucket()
	return r.driveFit(ctx, s, answer.StateFile, outcome{scores: scores, result: s.fitted(scores)}, []stage{
		func(s *session, _ context.Context, _ *outcome) error { return s.keepScores(path, scores) },
		(*session).tagModel,
		(*session).evaluateCounted,
		(*session).publishAll,
		(*session).recordEnd,
		(*session).reportEnd,
	})
}

// keepScores copies the file of the scores, and what its names are about.
func (s *session) keepScores(path string, scores *answer.Scores) error {
	if err := s.keepGraph(); err != nil {
		return err
	}
	if err := s.keepNames(); err != nil {
		return err
	}
	var digest string
	if err := atomicfile.Replace(s.path(answer.ScoresFile), 0o644, func(w io.Writer) (err error) {
		digest, err = answer.PackScores(w, path, s.graph)
		return err
	}); err != nil {
		return err
	}
	if digest != scores.Digest() {
		return fmt.Errorf("%s was changed while it was read; judge it again", path)
	}
	return nil
}
