package boost

import (
	"context"
	"math"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
)

// Derivatives are summed as whole multiples of 1/unit. With at most maxObservations the sums cannot overflow.
const (
	unit            = 1 << 30
	maxObservations = 1 << 30
)

// Fit finds trees, each for the gradient that those before have left: splits of greatest gain, level by level, of equal
// gains the first by feature and threshold. Leaves are Newton steps times the rate.
func Fit(ctx context.Context, d Data, s Settings) (*Forest, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	if err := d.validate(); err != nil {
		return nil, err
	}
	n := len(d.Right)
	f := &fit{Settings: s, data: d, node: make([]uint16, n), odds: slices.Clone(d.Base), slope: make([]slope, n)}
	if err := f.bin(ctx); err != nil {
		return nil, err
	}
	f.room()
	var out Forest
	for range s.Trees {
		t, err := f.tree(ctx)
		if err != nil {
			return nil, err
		}
		out.Trees = append(out.Trees, t)
	}
	return &out, nil
}

// fit is one call of Fit.
type fit struct {
	Settings
	data  Data
	cuts  [][]float32 // by feature: thresholds, ascending
	bins  [][]uint8   // by feature: of every observation, how many thresholds are below its value
	node  []uint16    // of every observation in the level
	odds  []float64
	slope []slope

	levels [][]histogram // by level and feature, of the tree that is fitted
	left   []counted     // room for the observations of left nodes
}

// slope has the derivatives of one observation.
type slope struct{ first, second int32 }

// derivative returns the derivatives of the loss by the logarithm of odds, in units.
type derivative struct{ first, second int64 }

func (d *derivative) add(o derivative) { d.first, d.second = d.first+o.first, d.second+o.second }

func (d *derivative) observe(s slope) {
	d.first, d.second = d.first+int64(s.first), d.second+int64(s.second)
}

func (d derivative) less(o derivative) derivative {
	return derivative{d.first - o.first, d.second - o.second}
}

// whole is a derivative in units.
func whole(x float64) int32 { return int32(math.Floor(float64(x*unit) + .5)) }

func (d derivative) gradient() float64 { return float64(float64(d.first) / unit) }
func (d derivative) curve() float64    { return float64(float64(d.second) / unit) }

// block is the number of observations that a worker takes at a time.
const block = 1 << 14

// each runs do over all observations by blocks.
func (f *fit) each(ctx context.Context, do func(lo, hi int)) error {
	n := len(f.odds)
	return parallel.For(ctx, f.Threads, (n+block-1)/block, func() func(int) {
		return func(b int) { do(b*block, min(n, (b+1)*block)) }
	})
}

// sample bounds the values of which thresholds are made.
const sample = 1 << 16

// bin chooses thresholds, at equal distances in the order of an even sample of values, and bins all values.
func (f *fit) bin(ctx context.Context) error {
	k, n := f.data.Features, len(f.odds)
	f.cuts, f.bins = make([][]float32, k), make([][]uint8, k)
	every := max(1, n/sample)
	return parallel.For(ctx, f.Threads, k, func() func(int) {
		return func(j int) {
			var values []float32
			for i := 0; i < n; i += every {
				values = append(values, f.data.X[i*k+j])
			}
			f.cuts[j] = thresholds(values, f.Bins)
			f.bins[j] = make([]uint8, n)
			for i := range n {
				bin, _ := slices.BinarySearch(f.cuts[j], f.data.X[i*k+j])
				f.bins[j][i] = uint8(bin)
			}
		}
	})
}

// thresholds returns at most limit of the values, without the greatest. It sorts them.
func thresholds(values []float32, limit int) []float32 {
	slices.Sort(values)
	distinct := slices.Compact(slices.Clone(values))
	if len(distinct) <= limit+1 {
		return distinct[:max(0, len(distinct)-1)]
	}
	var cuts []float32
	for i := range limit {
		cuts = append(cuts, values[(i+1)*len(values)/(limit+1)-1])
	}
	last := distinct[len(distinct)-2] // the greatest would leave nothing on the right
	for i := range cuts {
		cuts[i] = min(cuts[i], last)
	}
	return slices.Compact(cuts)
}

// tree fits the next tree and adds it to the odds.
func (f *fit) tree(ctx context.Context) (Tree, error) {
	var t Tree
	err := f.each(ctx, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			_, p := exact.Logistic(f.odds[i])
			second := float64(p * (1 - p))
			if f.data.Right[i] {
				p--
			}
			f.slope[i] = slope{whole(p), whole(second)}
			f.node[i] = 0
		}
	})
	if err != nil {
		return t, err
	}
	for level, all := range f.levels {
		if err := f.histograms(ctx, level); err != nil {
			return t, err
		}
		splits := make([]split, 1<<level)
		if err := parallel.For(ctx, f.Threads, len(splits), func() func(int) {
			return func(node int) { splits[node] = f.best(all, node) }
		}); err != nil {
			return t, err
		}
		for _, s := range splits {
			threshold := float32(math.MaxFloat32)
			if s.gain > 0 {
				threshold = f.cuts[s.feature][s.bin]
			}
			t.Feature, t.Threshold = append(t.Feature, int32(s.feature)), append(t.Threshold, threshold)
		}
		if err := f.each(ctx, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				s := &splits[f.node[i]]
				f.node[i] = 2*f.node[i] + 1
				if s.gain == 0 || int(f.bins[s.feature][i]) <= s.bin {
					f.node[i]--
				}
			}
		}); err != nil {
			return t, err
		}
	}
	sums, err := f.leaves(ctx)
	if err != nil {
		return t, err
	}
	for _, d := range sums {
		value := 0.0
		if second := d.curve() + f.Ridge; second > 0 {
			value = -float64(f.Rate * (d.gradient() / second))
		}
		t.Leaf = append(t.Leaf, value)
	}
	return t, f.each(ctx, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f.odds[i] += t.Leaf[f.node[i]]
		}
	})
}

// leaves are the sums of derivatives by leaf.
func (f *fit) leaves(ctx context.Context) ([]derivative, error) {
	sums := make([]derivative, 1<<f.Depth)
	n := len(f.odds)
	err := parallel.Ordered(ctx, f.Threads, (n+block-1)/block, func() func(int) []derivative {
		return func(b int) []derivative {
			part := make([]derivative, len(sums))
			for i := b * block; i < min(n, (b+1)*block); i++ {
				part[f.node[i]].observe(f.slope[i])
			}
			return part
		}
	}, func(_ int, part []derivative) {
		for i, d := range part {
			sums[i].add(d)
		}
	})
	return sums, err
}
