package boost

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// drawn are observations whose odds depend on two features, one of few values, and on nothing else.
func drawn(n int) Data {
	r := rand.New(rand.NewPCG(5, 6))
	d := Data{Features: 4}
	for range n {
		x := []float32{float32(r.NormFloat64()), float32(r.IntN(5)), 7, float32(r.Float64())}
		z := -1.0
		if x[0] > .5 && x[1] >= 3 {
			z = 2
		}
		d.X = append(d.X, x...)
		d.Right = append(d.Right, r.Float64() < 1/(1+math.Exp(-z)))
		d.Base = append(d.Base, -.5+.2*r.Float64())
	}
	return d
}

var settings = Settings{Trees: 6, Depth: 3, Rate: .3, Ridge: .5, Least: .7, Bins: 255, Threads: 1}

func mustFit(t *testing.T, d Data, s Settings) *Forest {
	t.Helper()
	f, err := Fit(context.Background(), d, s)
	expect.NoError(t, err)
	return f
}

// twin grows trees by plain recursion over lists of observations, in float64 and package math, and tries every value as
// a threshold.
type twin struct {
	Data
	Settings
	odds []float64
}

type sums struct{ first, second float64 }

func (w *twin) sums(of []int) (s sums) {
	for _, i := range of {
		p := 1 / (1 + math.Exp(-w.odds[i]))
		s.second += p * (1 - p)
		if w.Right[i] {
			p--
		}
		s.first += p
	}
	return s
}

func (w *twin) gain(s sums) float64 { return s.first * s.first / (s.second + w.Ridge) }

// leaves splits observations level by level and returns those of each leaf, with what the splits gained.
func (w *twin) leaves(of []int, depth int) (leaves [][]int, gained float64) {
	if depth == 0 {
		return [][]int{of}, 0
	}
	best, left, right := 0.0, of, []int(nil)
	for j := range w.Features {
		for _, at := range of {
			cut := w.X[at*w.Features+j]
			var low, high []int
			for _, i := range of {
				if w.X[i*w.Features+j] <= cut {
					low = append(low, i)
				} else {
					high = append(high, i)
				}
			}
			a, b := w.sums(low), w.sums(high)
			if a.second < w.Least || b.second < w.Least {
				continue
			}
			if gain := w.gain(a) + w.gain(b) - w.gain(w.sums(of)); gain > best+1e-6 {
				best, left, right = gain, low, high
			}
		}
	}
	a, more := w.leaves(left, depth-1)
	b, maximum := w.leaves(right, depth-1)
	return append(a, b...), best + more + maximum
}

// TestFitIsPlain: the trees of a fit add to every observation what those of the twin add.
func TestFitIsPlain(t *testing.T) {
	t.Parallel()
	d := drawn(220)
	w := &twin{Data: d, Settings: settings, odds: slices.Clone(d.Base)}
	f := mustFit(t, d, settings)
	all := make([]int, len(d.Right))
	for i := range all {
		all[i] = i
	}
	moved, splits := 0.0, 0.0
	for n := range f.Trees {
		leaves, gained := w.leaves(all, w.Depth)
		splits += gained
		add := make([]float64, len(all))
		for _, leaf := range leaves {
			s := w.sums(leaf)
			for _, i := range leaf {
				add[i] = -w.Rate * s.first / (s.second + w.Ridge)
			}
		}
		for i, x := range add {
			have := f.Trees[n].leaf(d.X[i*d.Features : (i+1)*d.Features])
			if math.Abs(have-x) > 1e-6 {
				t.Fatalf("tree %d adds %v to observation %d, want %v", n+1, have, i, x)
			}
			w.odds[i] += x
			moved += math.Abs(x)
		}
	}
	if moved < 10 || splits < 5 {
		t.Errorf("the trees add %v in all, their splits gain %v", moved, splits)
	}
	losses := f.Losses(d)
	want, last := 0.0, len(losses)-1
	for i, z := range w.odds {
		if want += math.Log(1 + math.Exp(z)); d.Right[i] {
			want -= z
		}
	}
	if last != len(f.Trees) || math.Abs(losses[last]-want) > 1e-6*want || !(losses[last] < losses[0]-5) {
		t.Errorf("losses %v, want %v at the end", losses, want)
	}
}

// TestFitHasTheSameBits for any number of threads, also where blocks and bins are many, and after storing.
func TestFitHasTheSameBits(t *testing.T) {
	t.Parallel()
	d, s := drawn(3*block+17), settings
	s.Bins = 13
	one := mustFit(t, d, s)
	s.Threads = 3
	three := mustFit(t, d, s)
	a, err := json.Marshal(one)
	b, otherErr := json.Marshal(three)
	if err != nil || otherErr != nil || string(a) != string(b) {
		t.Fatalf("trees differ by threads; %v, %v", err, otherErr)
	}
	var stored Forest
	expect.NoError(t, json.Unmarshal(a, &stored))
	for i := range 50 {
		x := d.X[i*d.Features : (i+1)*d.Features]
		if u, v := one.Sum(x), stored.Sum(x); math.Float64bits(u) != math.Float64bits(v) || u == 0 {
			t.Fatalf("observation %d: %v before and %v after storing", i, u, v)
		}
	}
	if err := stored.Check(d.Features); err != nil {
		t.Error(err)
	}
}

func TestThresholds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values, want []float32
		maximum      int
	}{
		{nil, []float32{}, 3},
		{[]float32{2, 2}, []float32{}, 3},
		{[]float32{3, 1, 2, 1}, []float32{1, 2}, 2},
		{[]float32{1, 2, 3, 4, 5, 6, 7, 8}, []float32{2, 4, 6}, 3},
		{[]float32{1, 2, 9, 9, 9, 9, 9, 9}, []float32{2}, 1},
		{[]float32{1, 1, 1, 1, 1, 1, 2, 3}, []float32{1}, 1},
	} {
		if have := thresholds(slices.Clone(c.values), c.maximum); !slices.Equal(have, c.want) {
			t.Errorf("thresholds of %v: %v, want %v", c.values, have, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), drawn(30)
	nan := drawn(30)
	nan.X[5] = float32(math.NaN())
	short := drawn(30)
	short.Base = short.Base[1:]
	deep, fast := settings, settings
	deep.Depth, fast.Rate = 13, 1.5
	for want, c := range map[string]struct {
		Data
		Settings
	}{
		"a feature is not finite":                           {nan, settings},
		"30 observations of 4 features with 120 values and": {short, settings},
		"6 trees of depth 13":                               {d, deep},
		"rate 1.5":                                          {d, fast},
	} {
		if _, err := Fit(ctx, c.Data, c.Settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Fit(ended, d, settings); err != context.Canceled {
		t.Errorf("an interrupted fit: %v", err)
	}
	for want, change := range map[string]func(*Tree){
		"splits by feature 5 of 4":         func(t *Tree) { t.Feature[2] = 4 },
		"has 7 nodes, 6 thresholds":        func(t *Tree) { t.Threshold = t.Threshold[1:] },
		"a threshold of tree 1 is not a n": func(t *Tree) { t.Threshold[0] = float32(math.NaN()) },
		"a leaf of tree 1 is +Inf":         func(t *Tree) { t.Leaf[3] = math.Inf(1) },
	} {
		f := mustFit(t, d, settings)
		change(&f.Trees[0])
		if err := f.Check(4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
