package eval

import (
	"math"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TopMean is the cut of the best l entities, l being the mean number of training answers of the query's relation and
// side, rounded, at least 1.
type TopMean struct{}

const topMean = topPrefix + "mean"

func parseTopMean(name string) (Cut, bool) { return TopMean{}, name == topMean }

func (TopMean) Name() string { return topMean }
func (TopMean) Kind() Kind   { return KindTopMean }
func (TopMean) Rank() int    { return 0 }

func (c TopMean) prepare(p *plan) (prepared, error) {
	size := c.Size(p.graph)
	return prepared{name: c.Name(), criterion: sphere.CriterionMargin,
		count: func(r *row) count { return r.best(size(r.Query)) }}, nil
}

// Size returns the size of the sets of every query on g. It is safe for concurrent use.
func (TopMean) Size(g *kg.Graph) func(q kg.Query) int {
	train := g.Index(kg.Train)
	heads, tails := make([]int, train.Relations()), make([]int, train.Relations())
	for r := range heads {
		heads[r], tails[r] = rounded(train.HeadsPerTail(int32(r))), rounded(train.TailsPerHead(int32(r)))
	}
	return func(q kg.Query) int {
		if q.Side == kg.HeadSide {
			return heads[q.Relation]
		}
		return tails[q.Relation]
	}
}

// rounded returns the nearest whole number, at least 1. Halves are rounded up.
func rounded(mean float64) int { return max(1, int(math.Floor(mean+0.5))) }
