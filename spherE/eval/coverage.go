package eval

import (
	"fmt"
	"math"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Coverage has what split conformal prediction needs: how likely right new answers are that were not fitted on.
// Covering takes all entities from the odds on that a share of these answers reaches. Answers of one cluster are
// exchangeable if test facts are drawn as validation facts were. Then the sets of new facts hold theirs with that
// probability at least, however bad the model is (Vovk et al. 2005). The guarantee is about facts, not about queries,
// and of a cluster of relations as a whole. Clusters by relation are those of Ding et al. (2023) and Zhu et al. (2025),
// except that a relation with few answers joins all others that have few.
type Coverage struct {
	Head SideCoverage `json:"head"`
	Tail SideCoverage `json:"tail"`
}

// SideCoverage is the coverage of the queries of one side.
type SideCoverage struct {
	// Clusters are logarithms of odds of right new answers, ascending. The first cluster is of the relations that have
	// too few answers for one of their own, or of the whole side if these have too few together.
	Clusters [][]float64 `json:"clusters"`
	Cluster  []int       `json:"cluster"` // by relation
}

const (
	ownCluster    = 100  // right answers at least of a cluster, except the first
	clusterPoints = 1000 // logarithms of odds at most that are stored of a cluster, evenly taken
)

// Side returns the coverage of the queries of one side.
func (c *Coverage) Side(s kg.Side) *SideCoverage {
	if s == kg.HeadSide {
		return &c.Head
	}
	return &c.Tail
}

// check refuses the coverage of another graph.
func (c *Coverage) check(g *kg.Graph) error {
	for _, of := range []*SideCoverage{&c.Head, &c.Tail} {
		whole := len(of.Cluster) == g.Relations.Len() && len(of.Clusters) > 0 && !slices.ContainsFunc(of.Cluster,
			func(i int) bool { return i < 0 || i >= len(of.Clusters) }) &&
			!slices.ContainsFunc(of.Clusters, func(odds []float64) bool { return !slices.IsSorted(odds) })
		if !whole {
			return fmt.Errorf("eval: coverage of %d relations does not fit graph %q, which has %d", len(of.Cluster), g.Name,
				g.Relations.Len())
		}
	}
	return nil
}

// cover collects the odds of right new answers in chosen evidence, which by was not fitted on.
func (c *calibrating) cover(by *Calibration, chosen func(*evidence) bool) (out Coverage) {
	for side, logits := range [][]Logit{by.Head, by.Tail} {
		odds := make([][]float64, len(logits)) // by relation
		for i := range c.evidence[side] {
			e := &c.evidence[side][i]
			if !chosen(e) {
				continue
			}
			s, of := logits[e.relation].with(e), &odds[e.relation]
			for _, v := range e.values[e.known:e.right] {
				*of = append(*of, clampOdds(s.Odds(v)))
			}
			*of = append(*of, slices.Repeat([]float64{clampOdds(math.Inf(-1))}, e.lost)...)
		}
		*out.Side([]kg.Side{kg.HeadSide, kg.TailSide}[side]) = clusters(odds)
	}
	return out
}

// clusters are those of a side, given the odds of its right answers by relation.
func clusters(odds [][]float64) SideCoverage {
	out := SideCoverage{Clusters: [][]float64{nil}, Cluster: make([]int, len(odds))}
	var few []float64
	for r, of := range odds {
		if len(of) < ownCluster {
			few = append(few, of...)
			continue
		}
		out.Cluster[r] = len(out.Clusters)
		out.Clusters = append(out.Clusters, points(of))
	}
	if len(few) < ownCluster {
		few = slices.Concat(odds...)
	}
	out.Clusters[0] = points(few)
	return out
}

// points are the odds of a cluster, ascending. Of many it takes evenly spaced ones, which are a sample.
func points(odds []float64) []float64 {
	odds = slices.Clone(odds)
	if n := len(odds); n > clusterPoints {
		for i := range clusterPoints {
			odds[i] = odds[i*n/clusterPoints]
		}
		odds = odds[:clusterPoints]
	}
	slices.Sort(odds)
	return odds
}
