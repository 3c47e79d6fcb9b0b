package boost

import (
	"context"

	"github.com/spherelab/spherelab/spherE/internal/parallel"
)

// histogram has the sums of derivatives of a node by feature and bin.
type histogram [][]derivative

// room allocates the histograms of every level.
func (f *fit) room() {
	for level := range f.Depth {
		all := make([]histogram, 1<<level)
		for i := range all {
			for _, cuts := range f.cuts {
				all[i] = append(all[i], make([]derivative, len(cuts)+1))
			}
		}
		f.levels = append(f.levels, all)
	}
}

// histograms are those of all nodes of a level. Of two nodes with the same parent only the first is counted; the second
// is the parent's less the first.
func (f *fit) histograms(ctx context.Context, level int) error {
	return parallel.For(ctx, f.Threads, f.data.Features, func() func(int) {
		return func(j int) { f.count(level, j) }
	})
}

// count fills feature j of the histograms.
func (f *fit) count(level, j int) {
	if len(f.cuts[j]) == 0 {
		return
	}
	bins, all := f.bins[j], f.levels[level]
	for node := range all {
		clear(all[node][j])
	}
	if level == 0 {
		to := all[0][j]
		for i, d := range f.slope {
			to[bins[i]].observe(d)
		}
		return
	}
	for i, node := range f.node {
		if node&1 == 0 {
			all[node][j][bins[i]].observe(f.slope[i])
		}
	}
	for parent, above := range f.levels[level-1] {
		whole, left, right := above[j], all[2*parent][j], all[2*parent+1][j]
		for b := range whole {
			right[b] = whole[b].less(left[b])
		}
	}
}

// split sends the bins up to bin to the left. Without a gain there is no split.
type split struct {
	feature, bin int
	gain         float64
}

// best is the split of greatest gain.
func (f *fit) best(h histogram) split {
	var best split
	for j := range h {
		var all, left derivative
		for _, d := range h[j] {
			all.add(d)
		}
		whole := f.score(all)
		for b, d := range h[j][:len(h[j])-1] {
			left.add(d)
			right := all.less(left)
			if float64(left.second) < f.Least*unit || float64(right.second) < f.Least*unit {
				continue
			}
			if gain := f.score(left) + f.score(right) - whole; gain > best.gain {
				best = split{j, b, gain}
			}
		}
	}
	return best
}

// score returns twice what the best leaf subtracts from the loss.
func (f *fit) score(d derivative) float64 {
	second := d.curve() + f.Ridge
	if second <= 0 {
		return 0
	}
	first := d.gradient()
	return float64(first*first) / second
}
