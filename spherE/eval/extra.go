package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// CutTopMean is the name of the top-l cut whose l follows the query.
const CutTopMean = "top-mean"

// extra are the cuts that neither a criterion nor a fixed l gives: fitted thresholds and top-mean.
type extra struct {
	thresholds []sphere.Thresholds
	mean       [2][]int32 // by side and relation: l of top-mean; nil without it
}

// newExtra checks the settings' thresholds against the graph and counts l of top-mean.
func newExtra(g *kg.Graph, s Settings) (extra, error) {
	x := extra{thresholds: s.Thresholds}
	var names []string
	for _, t := range s.Thresholds {
		switch relations := g.Relations.Len(); {
		case len(t.Head) != relations || len(t.Tail) != relations:
			return x, fmt.Errorf("eval: thresholds %q are of %d and %d relations, graph %q has %d; fit them on this graph",
				t.Name, len(t.Head), len(t.Tail), g.Name, relations)
		case t.Name == "" || t.Name == CutTopMean || slices.Contains(names, t.Name) || slices.Contains(sphere.Criteria(), sphere.Criterion(t.Name)) ||
			strings.HasPrefix(t.Name, "top-") || strings.HasPrefix(t.Name, "lookup"):
			return x, fmt.Errorf("eval: thresholds cannot be called %q: the name is empty or another cut's", t.Name)
		}
		names = append(names, t.Name)
	}
	if s.TopMean {
		train := g.Index(kg.Train)
		for side := range x.mean {
			x.mean[side] = make([]int32, train.Relations())
		}
		for r := range int32(train.Relations()) {
			x.mean[0][r], x.mean[1][r] = rounded(train.HeadsPerTail(r)), rounded(train.TailsPerHead(r))
		}
	}
	return x, nil
}

// With returns an evaluator that also measures the given thresholds instead of those of its settings; the preparation
// is shared.
func (e *Evaluator) With(thresholds []sphere.Thresholds) (*Evaluator, error) {
	with := *e
	with.settings.Thresholds = thresholds
	var err error
	with.extra, err = newExtra(e.graph, with.settings)
	return &with, err
}

// rounded is the nearest whole number, at least 1; halves go up.
func rounded(mean float64) int32 { return max(1, int32(math.Floor(mean+0.5))) }

// names are the cuts' names in the order in which they are counted.
func (x *extra) names() []string {
	var names []string
	for _, t := range x.thresholds {
		names = append(names, t.Name)
	}
	if x.mean[0] != nil {
		names = append(names, CutTopMean)
	}
	return names
}

// countExtra counts the extra cuts of query i from its row of distances. It overwrites w.values.
func (w *worker) countExtra(i int, dist []float32) {
	x, q := &w.e.extra, w.e.questions[i]
	if len(x.thresholds) == 0 && x.mean[0] == nil {
		return
	}
	cuts := w.rec.Cuts[len(w.criteria)+len(w.e.topL):]
	w.m.Values(sphere.CriterionMargin, q.query, dist, w.values)
	var nan int32
	for k := range x.thresholds {
		n := countWithin(q, w.values, x.thresholds[k].Limit(q.query))
		cuts[k].set(i, n)
		nan = n.nan
	}
	if x.mean[0] != nil {
		if len(x.thresholds) == 0 {
			nan = countNaN(w.values)
		}
		best := w.smallest(w.values, int(x.mean[w.rec.side(i)][q.query.Relation]))
		cuts[len(x.thresholds)].set(i, countTop(q, w.values, best))
	}
	w.extraNaN.Add(int64(nan))
}
