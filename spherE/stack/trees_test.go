package stack

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/stack/boost"
)

func mustGrow(t *testing.T, g *kg.Graph, threads int) *Stack {
	t.Helper()
	done, total := 0, 1
	s, err := Fit(context.Background(), models(g), g, Settings{Threads: threads, WithTrees: true, WithClasses: true,
		Growing: func(d, n int) { done, total = d, n }})
	expect.NoError(t, err)
	if done != total {
		t.Errorf("%d of %d trees are told", done, total)
	}
	return s
}

// taught are trees that are made by hand, since the facts of a small graph bear few out. They use features of every
// kind, and every forest has leaves of its own.
func taught(s *Stack) Fitted {
	f, names := s.Fitted(), TreeFeatureNames([]string{"a", "b"})
	at := func(name string) int32 { return int32(slices.Index(names, name)) }
	grown := &Trees{}
	for i, of := range []*Forests{&grown.All, &grown.Halves[0], &grown.Halves[1]} {
		for j, forest := range []*boost.Forest{&of.Head, &of.Tail} {
			shift := float64(10*i + j)
			forest.Trees = []boost.Tree{
				{Feature: []int32{at("score less crowd of b"), at("ln rank of a"), at("score less best of a")},
					Threshold: []float32{1, 1.2, -3.5},
					Leaf:      []float64{shift + .1, shift + .2, shift + .3, shift + .4}},
				{Feature: []int32{at("ln(1 + entities on the asked side of the relation)")}, Threshold: []float32{3.4},
					Leaf: []float64{.01, .02}},
				{Feature: []int32{at("ln(1 + facts of the asked entity)")}, Threshold: []float32{2},
					Leaf: []float64{.001, .002}},
				{Feature: []int32{at("mean share of its classes on the asked side")}, Threshold: []float32{.743},
					Leaf: []float64{3e-4, 7e-4}},
				{Feature: []int32{at("greatest share of its classes on the asked side")}, Threshold: []float32{.77},
					Leaf: []float64{2e-3, 4e-3}},
				{Feature: []int32{at("logarithm of the odds")}, Threshold: []float32{.743}, Leaf: []float64{1e-4, 2e-4}},
			}
		}
	}
	f.Trees = grown
	return f
}

// TestTreesLeaveOutTheAskedEntity counts what trees are fitted on by loops over all entities, which are fewer than
// nearRank here.
func TestTreesLeaveOutTheAskedEntity(t *testing.T) {
	t.Parallel()
	g := small(t)
	list, train, loops, asked := models(g), g.Index(kg.Train), g.Loops(), 0
	for _, drop := range []bool{false, true} {
		s, err := prepare(list, g, Settings{WithClasses: true})
		expect.NoError(t, err)
		f := &fit{Stack: s, settings: Settings{WithTrees: true, DropItself: drop},
			truth: g.Index(kg.Train, kg.Valid), loops: loops}
		expect.NoError(t, f.gather(context.Background()))
		have := 0
		for _, b := range f.blocks {
			have += len(b.near.each)
		}
		want := 0
		for _, q := range queries(g.Valid) {
			for e := range int32(g.Entities.Len()) {
				x := plain(g, list, q, e)
				if train.Has(q.Triple(e)) || x[1]-x[1] != 0 || x[5]-x[5] != 0 { // a score is not finite
					continue
				}
				if e == q.Known && !loops[q.Relation] {
					asked++
					if drop {
						continue
					}
				}
				want++
			}
		}
		if have != want {
			t.Errorf("dropping %v: %d candidates, want %d", drop, have, want)
		}
	}
	if asked == 0 {
		t.Error("no query could have the asked entity as an answer")
	}
}

// plainTree are the features of trees, by loops over all entities.
func plainTree(g *kg.Graph, list []Model, q kg.Query, e int32, odds float64) []float32 {
	known := g.Index(kg.Train).Answers(q)
	x, all := []float32{float32(odds)}, plain(g, list, q, e)
	for k, m := range list {
		best := math.Inf(1)
		for other := range int32(m.Entities()) {
			v := float64(m.(*grid).distance(q, other))
			if !slices.Contains(known, other) && v-v == 0 {
				best = min(best, v)
			}
		}
		f := all[1+4*k:]
		x = append(x, float32(f[0]), float32(f[0]-f[1]), float32(f[0]+best), float32(f[2]))
	}
	for _, v := range all[9:] {
		x = append(x, float32(v))
	}
	degree, asked, given := 0, map[int32]bool{}, map[int32]bool{}
	for _, f := range g.Train {
		if f.Head == q.Known || f.Tail == q.Known {
			degree++
		}
		if f.Relation == q.Relation {
			asked[f.Answer(q.Side)], given[f.Query(q.Side).Known] = true, true
		}
	}
	for _, n := range []int{degree, len(asked), len(given)} {
		x = append(x, float32(math.Log(float64(1+n))))
	}
	mean, most := make([]float32, g.Entities.Len()), make([]float32, g.Entities.Len())
	g.Typicality(q.Side, q.Relation, mean, most)
	return append(x, mean[e], most[e])
}

// TestTreesArePlain compares what trees add with trees on features by loops, for every entity of many queries, by the
// forests of the halves for validation queries of the crossed stack.
func TestTreesArePlain(t *testing.T) {
	t.Parallel()
	g := small(t)
	list, bare := models(g), mustFit(t, g, 1)
	f := taught(bare)
	s, err := New(list, g, f)
	expect.NoError(t, err)
	n, valid := g.Entities.Len(), queries(g.Valid)
	corrected, forest := 0, map[int]bool{}
	for i := range int32(4 * n) {
		q := kg.Query{Side: kg.Side(i % 2), Known: i / 2 % int32(n), Relation: i / (2 * int32(n))}
		before, after := make([]float32, n), make([]float32, n)
		weights, forests := bare.fitted.All, &f.Trees.All
		if half := slices.Index(valid, q); half >= 0 && i%5 > 0 {
			weights, forests = f.Halves[half%2], &f.Trees.Halves[half%2]
			bare.Crossed().Distances([]kg.Query{q}, before)
			s.Crossed().Distances([]kg.Query{q}, after)
		} else {
			bare.Distances([]kg.Query{q}, before)
			s.Distances([]kg.Query{q}, after)
		}
		for e := range int32(n) {
			x := plain(g, list, q, e)
			odds := dot(*weights.side(q.Side), x)
			if odds-odds != 0 {
				if after[e]-after[e] == 0 {
					t.Fatalf("%v, entity %d: value %v, the odds are %v", q, e, after[e], odds)
				}
				continue
			}
			want := forests.side(q.Side).Sum(plainTree(g, list, q, e, odds))
			if have := float64(before[e]) - float64(after[e]); math.Abs(have-want) > 2e-5 {
				t.Fatalf("%v, entity %d: trees add %v, want %v", q, e, have, want)
			}
			corrected++
			forest[int(want/.5)/2] = true
		}
	}
	if corrected < 1000 {
		t.Errorf("%d entities were corrected", corrected)
	}
	for _, shift := range []int{0, 1, 10, 11, 20, 21} {
		if !forest[shift] {
			t.Errorf("no entity was corrected by the forest %d", shift)
		}
	}
}

// TestTreesAreNear: entities beyond the first ranks of all models have the values of the weights.
func TestTreesAreNear(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	list := models(g)
	f := taught(mustFit(t, small(t), 1))
	s, err := New(list, g, f)
	expect.NoError(t, err)
	f.Trees = nil
	bare, err := New(list, g, f)
	expect.NoError(t, err)
	n := g.Entities.Len()
	for _, q := range queries(g.Test)[:3] {
		before, after := make([]float32, n), make([]float32, n)
		bare.Distances([]kg.Query{q}, before)
		s.Distances([]kg.Query{q}, after)
		known, near := g.Index(kg.Train).Answers(q), 0
		for e := range int32(n) {
			first := false
			for _, m := range list {
				before, v := 0, m.(*grid).distance(q, e)
				for other := range int32(n) {
					if m.(*grid).distance(q, other) < v && !slices.Contains(known, other) {
						before++
					}
				}
				first = first || before < nearRank && v-v == 0
			}
			if v := before[e]; v-v == 0 && first != (v != after[e]) {
				t.Fatalf("%v, entity %d: among the first %v, value %v and without trees %v", q, e, first, after[e], v)
			}
			if first {
				near++
			}
		}
		if near < nearRank || near > n/2 {
			t.Fatalf("%v: %d of %d entities are among the first", q, near, n)
		}
	}
}

// TestTreesGrow has the same bits for any number of threads, as many trees in every forest of a side, and refuses
// damaged ones.
func TestTreesGrow(t *testing.T) {
	t.Parallel()
	g := small(t)
	one, three := mustGrow(t, g, 1), mustGrow(t, g, 3)
	if one.Digest() != three.Digest() || one.Digest() == mustFit(t, g, 1).Digest() {
		t.Errorf("digests %s and %s", one.Digest(), three.Digest())
	}
	trees := one.Fitted().Trees
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		all, half := len(trees.All.side(side).Trees), len(trees.Halves[0].side(side).Trees)
		if all != half || half != len(trees.Halves[1].side(side).Trees) || all >= maxTrees {
			t.Errorf("%v side: %d trees, %d of a half", side, all, half)
		}
	}
	again, err := New(models(g), g, one.Fitted())
	if err != nil || again.Digest() != one.Digest() {
		t.Errorf("stored trees have the digest %s, %v", again.Digest(), err)
	}
	damaged := taught(one)
	damaged.Trees.Halves[1].Tail.Trees[0].Feature[0] = 99
	if _, err := New(models(g), g, damaged); err == nil || !strings.Contains(err.Error(), "splits by feature 100 of 18") {
		t.Errorf("damaged trees: %v", err)
	}
	if names := TreeFeatureNames([]string{"a", "b"}); len(names) != treeFeatureCount(2) {
		t.Errorf("%d names of %d features", len(names), treeFeatureCount(2))
	}
	ended, cancel := context.WithCancel(context.Background())
	_, err = Fit(ended, models(g), g, Settings{WithTrees: true, Growing: func(int, int) { cancel() }})
	if err != context.Canceled {
		t.Errorf("interrupted while trees grow: %v", err)
	}
}

// TestWithoutCounts: no weight and no tree of such a stack looks at a count, and its values are those of a stack that
// knows the counts and has the same weights and trees.
func TestWithoutCounts(t *testing.T) {
	t.Parallel()
	g := small(t)
	list, all := models(g), queries(g.Test)
	s, err := Fit(context.Background(), list, g, Settings{WithTrees: true, WithoutCounts: true})
	expect.NoError(t, err)
	f := s.Fitted()
	for _, w := range []Weights{f.All, f.Halves[0], f.Halves[1]} {
		for _, side := range [][]float64{w.Head, w.Tail} {
			if end := side[len(side)-counts:]; slices.ContainsFunc(end, func(x float64) bool { return x != 0 }) {
				t.Errorf("weights of counts are %v", end)
			}
			if !slices.ContainsFunc(side[:len(side)-counts], func(x float64) bool { return x != 0 }) {
				t.Error("all weights are 0")
			}
		}
	}
	for _, of := range []*Forests{&f.Trees.All, &f.Trees.Halves[0], &f.Trees.Halves[1]} {
		for _, forest := range []*boost.Forest{&of.Head, &of.Tail} {
			for _, tree := range forest.Trees {
				for _, x := range tree.Feature {
					if int(x) >= treeFeatureCount(len(list))-counts-moreCounts-typical {
						t.Errorf("a tree asks for feature %d, a count", x)
					}
				}
			}
		}
	}
	knowing, err := New(list, g, f)
	expect.NoError(t, err)
	n := g.Entities.Len()
	have, want := make([]float32, len(all)*n), make([]float32, len(all)*n)
	s.Distances(all, have)
	knowing.Distances(all, want)
	for i := range have {
		if math.Float32bits(have[i]) != math.Float32bits(want[i]) {
			t.Fatalf("value %d is %v, and %v by the same weights", i, have[i], want[i])
		}
	}
	if counting, err := Fit(context.Background(), list, g, Settings{}); err != nil || counting.Digest() == s.Digest() {
		t.Errorf("counts change nothing (%v)", err)
	}
}
