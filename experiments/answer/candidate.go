package answer

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Candidate is a finished run with a model, which can answer for its graph.
type Candidate struct {
	tracker.RunInfo
	MRR float64 // of the model that the run has kept, on the validation facts; negative without a validation
}

// Validated reports whether MRR was measured.
func (c Candidate) Validated() bool { return c.MRR >= 0 }

// Candidates returns the finished runs on a graph that have a model, by their MRR on the validation facts, the greatest
// first. Of equal ones the newest comes first. Trials of searches are left out; a search trains the best one again.
func Candidates(ctx context.Context, t *tracker.Tracker, g *kg.Graph) ([]Candidate, error) {
	runs, err := t.Runs(ctx, tracker.Filter{Status: tracker.Finished, Params: map[string]string{
		ParamGraphDigest: g.Digest()}})
	if err != nil {
		return nil, err
	}
	var list []Candidate
	for _, run := range runs {
		if IsTrial(run) || !CanAnswer(t, run) {
			continue
		}
		mrr, err := keptMRR(ctx, t, run)
		if err != nil {
			return nil, err
		}
		list = append(list, Candidate{run, mrr})
	}
	slices.SortStableFunc(list, func(a, b Candidate) int { return -cmp.Compare(a.MRR, b.MRR) })
	return list, nil
}

// keptMRR returns the validation MRR of the model that a run has kept. With early stopping it is that of the best
// epoch, which may not be the last logged one.
func keptMRR(ctx context.Context, t *tracker.Tracker, run tracker.RunInfo) (float64, error) {
	const key = "valid/mrr"
	mrr, validated := run.Metrics[key]
	kept, err := strconv.ParseInt(run.Tags[TagBestEpoch], 10, 64)
	if validated && err == nil && kept != run.Steps[key] {
		points, err := t.History(ctx, run.ID, key)
		if err != nil {
			return 0, err
		}
		for _, p := range points {
			if p.Step == kept {
				mrr = p.Value
			}
		}
	}
	if !validated || math.IsNaN(mrr) {
		return -1, nil
	}
	return mrr, nil
}

// CanAnswer reports whether a run has a model here, or one that a tracking server sends on demand.
func CanAnswer(t *tracker.Tracker, run tracker.RunInfo) bool {
	logged := ReadLogged(run)
	return HasModel(run) || t.Remote() && logged.Checkpoint != "" && run.Status == string(tracker.Finished) &&
		!logged.Imported
}

// IsTrial reports whether a run is a trial of a search. A tag of the user alone makes none.
func IsTrial(run tracker.RunInfo) bool {
	_, err := strconv.Atoi(run.Tags[TagTrial])
	return err == nil && run.Tags[TagSweep] != ""
}
