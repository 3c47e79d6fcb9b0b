package answer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Judge returns a run that no tracker has and that has no id: the scores of a file with a config that decides how they
// are evaluated. What is fitted is not kept.
func Judge(file string, m Model, g *kg.Graph, c *config.Config) *Run {
	params := map[string]string{"model": m.Settings().Model, "variant": sphere.Clean, ParamGraph: g.Name, ParamGraphDigest: g.Digest()}
	return &Run{Info: tracker.RunInfo{Name: file, Params: params, Tags: map[string]string{TagDigest: m.Digest()}},
		Graph: g, Model: m, Config: c, isUnkept: true}
}

// ChooseCuts chooses the default cuts of the run by validation facts, as a training does at its end. It returns r where
// the run has no probabilities or its config names a criterion.
func (r *Run) ChooseCuts(ctx context.Context, threads int, p progress.Listener) (*Run, error) {
	if !r.calibrates() || r.Config.Criterion() != "" {
		return r, nil
	}
	by, err := r.Calibrated(ctx, eval.ExpectedNovel, threads, p)
	if err != nil {
		return nil, err
	}
	cuts, err := eval.ChooseCuts(ctx, r.judge(), r.Graph, by, eval.CalibrateSettings{Threads: threads,
		Sample: r.Config.Eval.Sample, Progress: r.LongProgress(p, "choosing the cuts of answers on the validation facts")})
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(cuts)
	if err != nil {
		return nil, fmt.Errorf("default cuts: %w", err)
	}
	chosen := &Run{Info: r.Info, Graph: r.Graph, Model: r.Model, Config: r.Config, isUnkept: true, calibrated: by}
	chosen.Info.Tags = maps.Clone(r.Info.Tags)
	chosen.Info.Tags[TagCuts] = string(raw)
	return chosen, nil
}
