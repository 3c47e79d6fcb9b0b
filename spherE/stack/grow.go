package stack

import (
	"context"

	"github.com/spherelab/spherelab/spherE/internal/logistic"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/stack/boost"
)

// growth returns how n trees are fitted.
func (f *fit) growth(trees int) boost.Settings {
	return boost.Settings{Trees: trees, Depth: treeDepth, Rate: .1, Ridge: 1, Least: 1, Bins: 127,
		Threads: f.settings.Threads}
}

const (
	maxTrees  = 150
	treeDepth = 5
)

// nearby are the candidates of validation queries that trees correct.
type nearby struct {
	plain []float32 // observations x featureCount
	x     []float32 // observations x treeFeatureCount; the logarithm of the odds is not known yet
	each  []observation
}

// add adds the candidates of the row's query that training does not hold.
func (n *nearby) add(w *gatherer, truth []int32, half int8) {
	w.near(func(e int32) {
		if w.known[e] || w.dropped(e) {
			return
		}
		for _, x := range w.features(e) {
			n.plain = append(n.plain, float32(x))
		}
		n.x = w.treeFeatures(n.x, e, 0)
		n.each = append(n.each, observation{w.query.Side, half, kg.Contains(truth, e), 1})
	})
}

// data returns the candidates of a side with logarithms of odds by weights. without is the half that is left out, -1
// for none.
func (f *fit) data(side kg.Side, without int, weights []float64) boost.Data {
	n, k := len(weights), treeFeatureCount(len(f.models))
	d, x := boost.Data{Features: k}, make([]float64, n)
	for b := range f.blocks {
		near := &f.blocks[b].near
		for i, o := range near.each {
			if o.side != side || int(o.half) == without {
				continue
			}
			for j, v := range near.plain[i*n : (i+1)*n] {
				x[j] = float64(v)
			}
			odds, at := logistic.Sum(weights, x), len(d.X)
			d.X = append(d.X, near.x[i*k:(i+1)*k]...)
			d.X[at] = float32(odds)
			d.Base, d.Right = append(d.Base, odds), append(d.Right, o.isRight)
		}
	}
	return d
}

// grow fits the trees of all sides on top of the weights. First it fits trees on each half of the validation queries,
// and keeps the number of trees that makes the other half most likely; that may be 0. Then it fits that many on all
// queries.
func (f *fit) grow(ctx context.Context) error {
	f.fitted.Trees = &Trees{}
	total, done := 0, 0
	grown := func(n int) {
		if done += n; f.settings.Growing != nil {
			f.settings.Growing(done, total)
		}
	}
	total = 2 * 3 * maxTrees
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		loss := make([]float64, maxTrees+1)
		for without := range 2 {
			weights := *f.fitted.Halves[without].side(side)
			forest, err := boost.Fit(ctx, f.data(side, without, weights), f.growth(maxTrees))
			if err != nil {
				return err
			}
			for i, x := range forest.Losses(f.data(side, 1-without, weights)) {
				loss[i] += x
			}
			*f.fitted.Trees.Halves[without].side(side) = *forest
			grown(maxTrees)
		}
		best := 0
		for i, x := range loss {
			if x < loss[best] {
				best = i
			}
		}
		for without := range 2 {
			forest := f.fitted.Trees.Halves[without].side(side)
			forest.Trees = forest.Trees[:best]
		}
		if best > 0 {
			forest, err := boost.Fit(ctx, f.data(side, -1, *f.fitted.All.side(side)), f.growth(best))
			if err != nil {
				return err
			}
			*f.fitted.Trees.All.side(side) = *forest
		}
		grown(maxTrees)
	}
	return nil
}
