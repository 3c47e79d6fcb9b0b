package present

import (
	"context"
	"slices"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/web"
)

// maxPairs is the max number of paired comparisons that the pages keep.
const maxPairs = 20

// pairs keeps paired comparisons: a comparison takes a while, and readers come back for its CSV.
type pairs struct {
	comparing gate       // one at a time: each uses every core
	kept      []keptPair // newest first
}

type keptPair struct {
	key          string
	shown, exact web.Table
}

// PairedCuts returns the cuts that both runs have logged, if both have models and the same graph.
func (r *Reader) PairedCuts(a, b tracker.RunInfo) []string {
	if !r.CanAsk(a) || !r.CanAsk(b) ||
		a.Params[answer.ParamGraphDigest] != b.Params[answer.ParamGraphDigest] {
		return nil
	}
	var names []string
	others := results.Read(b).Cuts
	for _, c := range results.Read(a).Cuts {
		has := func(other results.Cut) bool { return other.Name() == c.Name() }
		if c.Kind() != eval.KindLookup && slices.ContainsFunc(others, has) {
			names = append(names, c.Name())
		}
	}
	return names
}

func (r *Reader) Pair(ctx context.Context, a, b tracker.RunInfo, cut string) (shown, exact web.Table, err error) {
	leave, err := r.pairs.comparing.enter(ctx)
	if err != nil {
		return shown, exact, err
	}
	defer leave()
	key := a.ID + a.End.String() + b.ID + b.End.String() + cut // a resumed run may have another model
	for _, kept := range r.pairs.kept {
		if kept.key == key {
			return kept.shown, kept.exact, nil
		}
	}
	first, err := r.model(ctx, a)
	if err != nil {
		return shown, exact, err
	}
	second, err := r.model(ctx, b)
	if err != nil {
		return shown, exact, err
	}
	c, err := results.ComparePaired(ctx, second, first, cut, cut, answer.EvalOptions{}, nil)
	if err != nil {
		return shown, exact, err
	}
	kept := keptPair{key, webTable(results.ComparisonGrid(second, first, c, "text")),
		webTable(results.ComparisonGrid(second, first, c, "csv"))}
	r.pairs.kept = slices.Insert(r.pairs.kept, 0, kept)
	r.pairs.kept = r.pairs.kept[:min(len(r.pairs.kept), maxPairs)]
	return kept.shown, kept.exact, nil
}
