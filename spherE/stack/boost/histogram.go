package boost

import (
	"context"

	"github.com/spherelab/spherelab/spherE/internal/parallel"
)

// histogram has the sums of derivatives of a feature by node and bin; bins are next to each other.
type histogram []derivative

// room allocates the histograms of every level.
func (f *fit) room() {
	for level := range f.Depth {
		all := make([]histogram, len(f.cuts))
		for j := range all {
			all[j] = make(histogram, f.width(j)<<level)
		}
		f.levels = append(f.levels, all)
	}
	f.left = make([]counted, len(f.odds))
}

// width returns the number of bins of a feature.
func (f *fit) width(j int) int { return len(f.cuts[j]) + 1 }

// counted is an observation whose node is counted.
type counted struct {
	at   int32
	node uint16
	slope
}

// histograms are those of all nodes of a level. Of two nodes with the same parent only the first is counted; the second
// is the parent's less the first.
func (f *fit) histograms(ctx context.Context, level int) error {
	n := 0
	if level > 0 {
		for i, node := range f.node {
			f.left[n] = counted{int32(i), node, f.slope[i]}
			n += 1 - int(node&1) // without a branch, which could not be foreseen
		}
	}
	return parallel.For(ctx, f.Threads, f.data.Features, func() func(int) {
		return func(j int) { f.count(level, j, f.left[:n]) }
	})
}

// count fills feature j of the histograms. left are the observations of left nodes.
func (f *fit) count(level, j int, left []counted) {
	if len(f.cuts[j]) == 0 {
		return
	}
	bins, all, width := f.bins[j], f.levels[level][j], f.width(j)
	clear(all)
	if level == 0 {
		for i, d := range f.slope {
			all[bins[i]].observe(d)
		}
		return
	}
	for _, o := range left {
		all[int(o.node)*width+int(bins[o.at])].observe(o.slope)
	}
	for parent, above := 0, f.levels[level-1][j]; len(above) > 0; parent, above = parent+1, above[width:] {
		first, second := all[2*parent*width:][:width], all[(2*parent+1)*width:][:width]
		for b := range first {
			second[b] = above[b].less(first[b])
		}
	}
}

// split sends the bins up to bin to the left. Without a gain there is no split.
type split struct {
	feature, bin int
	gain         float64
}

// best is the split of greatest gain of a node.
func (f *fit) best(level []histogram, node int) split {
	var best split
	for j := range level {
		width := f.width(j)
		h := level[j][node*width:][:width]
		var all, left derivative
		for _, d := range h {
			all.add(d)
		}
		whole := f.score(all)
		for b, d := range h[:width-1] {
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
