package kg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestCheckSmall(t *testing.T) {
	t.Parallel()
	var train [][3]string
	for i := range 6 { // q is the inverse of r and s repeats r, except for one triple each
		a, b := fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)
		train = append(train, [3]string{a, "r", b})
		if i < 5 {
			train = append(train, [3]string{b, "q", a}, [3]string{a, "s", b})
		}
	}
	train = append(train, [3]string{"a0", "m", "a1"}, [3]string{"a1", "m", "a0"}, [3]string{"a2", "m", "a3"},
		[3]string{"a4", "m", "a4"}, train[0])
	g := mustNew(t, train, nil, [][3]string{
		{"b5", "q", "a5"}, // inverse
		{"a5", "s", "b5"}, // near duplicate
		{"a3", "m", "a2"}, // symmetric twin
		{"a0", "r", "b0"}, // in train; reverse and parallel facts too
		{"b1", "m", "a1"}, // parallel to q, reverse of r and s, of no pair
		{"a4", "m", "a4"}, // loop, in train
		{"new", "m", "a4"},
	})
	r := Check(g)
	if want := (LeakReport{Split: "test", Triples: 7, InTrain: 2, Symmetric: 1, Inverse: 2, NearDuplicate: 2, Twins: 4,
		Reversed: 4, Parallel: 3}); r.Leaks[1] != want {
		t.Errorf("leaks\n%+v, want\n%+v", r.Leaks[1], want)
	}
	if len(r.Warnings) != 4 || r.Warnings[3].Kind != Leak || r.Warnings[3].Count != 4 ||
		!strings.Contains(r.Warnings[3].String(), "4 of 7 triples of valid and test (57 %) have a twin in train") {
		t.Errorf("warnings %v", r.Warnings)
	}
	if (r.Leaks[0] != LeakReport{Split: "valid"}) {
		t.Errorf("leaks of an empty split: %+v", r.Leaks[0])
	}
	wantInverse := []RelationPair{{"q", "r", 6, 1, 1}, {"q", "s", 6, 1, 1}}
	wantSame := []RelationPair{{"r", "s", 6, 1, 1}}
	if !slices.Equal(r.Inverses, wantInverse) || !slices.Equal(r.NearDuplicates, wantSame) {
		t.Errorf("inverses %v, near duplicates %v", r.Inverses, r.NearDuplicates)
	}
	if want := (SplitReport{Split: "train", Triples: 20, Entities: 12, Relations: 4, Loops: 1,
		DuplicateRemoved: 1}); r.Splits[Train] != want {
		t.Errorf("train %+v, want %+v", r.Splits[Train], want)
	}
	if want := (SplitReport{Split: "test", Triples: 7, Entities: 10, Relations: 4, Loops: 1, UnseenEntities: 1,
		TriplesOfUnseen: 1}); r.Splits[Test] != want {
		t.Errorf("test %+v, want %+v", r.Splits[Test], want)
	}
	// m has 6 triples without the loop; 4 of them have their reverse.
	if m := r.PerRelation[0]; m.Relation != "m" || m.Symmetric != 4./6 || m.Train != 4 || m.Test != 4 || m.Heads != 7 ||
		m.Tails != 5 {
		t.Errorf("m %+v", m)
	}
	// By hand: m has one loop, in train and test; that and its twin (a3, a2) leak, two others do not.
	for id, want := range []RelationReport{{Loops: 1, HeldOut: 4. / 8, Leak: 2. / 4}, {HeldOut: 1. / 6, Leak: 1},
		{HeldOut: 1. / 7, Leak: 1}, {HeldOut: 1. / 6, Leak: 1}} {
		if got := r.PerRelation[id]; got.Loops != want.Loops || got.HeldOut != want.HeldOut || got.Leak != want.Leak {
			t.Errorf("%s: %+v, want %+v", got.Relation, got, want)
		}
	}
	if r.Degree.Count != 13 || r.Degree.Min != 0 || r.Degree.Max != 5 {
		t.Errorf("degree %+v", r.Degree)
	}
	triples := 0
	for _, c := range r.Categories {
		triples += c.Train + c.Valid + c.Test
	}
	if triples != 27 {
		t.Errorf("categories hold %d triples", triples)
	}
}

// TestCheckBruteForce compares the leaks and pairs with loops over all pairs of triples.
func TestCheckBruteForce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 9))
		rows := func(n int) [][3]string {
			var out [][3]string
			for _, x := range randomTriples(r, 12, 6, n, 0.5) {
				out = append(out, [3]string{fmt.Sprint("e", x.Head), fmt.Sprint("r", x.Relation),
					fmt.Sprint("e", x.Tail)})
				if r.IntN(3) == 0 { // r5 is nearly the inverse of the relations so far
					out = append(out, [3]string{fmt.Sprint("e", x.Tail), "r5", fmt.Sprint("e", x.Head)})
				}
			}
			return out
		}
		g := mustNew(t, rows(60), rows(15), rows(15))
		got := Check(g)
		all := slices.Concat(g.Train, g.Valid, g.Test)
		slices.SortFunc(all, compareTriples)
		all = slices.Compact(all)
		size, inverse, same := map[int32]int{}, map[[2]int32]int{}, map[[2]int32]int{}
		for _, a := range all {
			if a.Head == a.Tail {
				continue
			}
			size[a.Relation]++
			for _, b := range all {
				if a.Relation >= b.Relation {
					continue
				}
				if a.Head == b.Tail && a.Tail == b.Head {
					inverse[[2]int32{a.Relation, b.Relation}]++
				}
				if a.Head == b.Head && a.Tail == b.Tail {
					same[[2]int32{a.Relation, b.Relation}]++
				}
			}
		}
		pairs := func(counts map[[2]int32]int) ([]RelationPair, map[[2]int32]bool) {
			var out []RelationPair
			listed := map[[2]int32]bool{}
			for k, n := range counts {
				p := RelationPair{g.Relations.Name(k[0]), g.Relations.Name(k[1]), n, float64(n) / float64(size[k[0]]),
					float64(n) / float64(size[k[1]])}
				if n >= 5 && max(p.FirstShare, p.SecondShare) >= .8 {
					out = append(out, p)
					listed[k], listed[[2]int32{k[1], k[0]}] = true, true
				}
			}
			return out, listed
		}
		comparePairs := func(what string, got, want []RelationPair) {
			if len(got) != len(want) {
				t.Fatalf("seed %d: %s %v, want %v", seed, what, got, want)
			}
			for i, p := range got {
				if !slices.Contains(want, p) || i > 0 && p.Shared > got[i-1].Shared {
					t.Errorf("seed %d: %s %v, want %v", seed, what, got, want)
				}
			}
		}
		wantInverse, inverseListed := pairs(inverse)
		wantSame, sameListed := pairs(same)
		comparePairs("inverses", got.Inverses, wantInverse)
		comparePairs("near duplicates", got.NearDuplicates, wantSame)
		for i, part := range [][]Triple{g.Valid, g.Test} {
			want := twinLeaks(Split(i+1), part, g.Train, inverseListed, sameListed)
			if got.Leaks[i] != want {
				t.Errorf("seed %d: %+v, want %+v", seed, got.Leaks[i], want)
			}
		}
	}
}

// twinLeaks counts the triples of a split that training holds, by loops over all pairs.
func twinLeaks(split Split, part, train []Triple, inverseListed, sameListed map[[2]int32]bool) LeakReport {
	want := LeakReport{Split: split.String(), Triples: len(part)}
	for _, x := range part {
		var in, sym, inv, dup, rev, par int
		for _, y := range train {
			if x == y {
				in = 1
			}
			if x.Head == x.Tail {
				continue
			}
			if x.Head == y.Tail && x.Tail == y.Head {
				rev = 1
				if x.Relation == y.Relation {
					sym = 1
				}
				if inverseListed[[2]int32{x.Relation, y.Relation}] {
					inv = 1
				}
			}
			if x.Head == y.Head && x.Tail == y.Tail && x.Relation != y.Relation {
				par = 1
				if sameListed[[2]int32{x.Relation, y.Relation}] {
					dup = 1
				}
			}
		}
		want.InTrain += in
		want.Symmetric += sym
		want.Inverse += inv
		want.NearDuplicate += dup
		want.Reversed += rev
		want.Parallel += par
		want.Twins += max(sym, inv, dup)
	}
	return want
}

func TestDistribution(t *testing.T) {
	t.Parallel()
	d := distribution([]int{5, 0, 1, 3, 2, 2, 9, 1, 1, 100})
	want := []Bucket{{0, 0, 1}, {1, 1, 3}, {2, 3, 3}, {4, 7, 1}, {8, 15, 1}, {16, 31, 0}, {32, 63, 0}, {64, 127, 1}}
	if d.Count != 10 || d.Mean != 12.4 || d.Min != 0 || d.Median != 2 || d.P90 != 9 || d.P99 != 100 || d.Max != 100 ||
		!slices.Equal(d.Buckets, want) {
		t.Errorf("%+v", d)
	}
	if d := distribution([]int{4, 1, 2, 8}); d.Median != 3 {
		t.Errorf("median %v", d.Median)
	}
	if d := distribution(nil); d.Count != 0 || d.Buckets != nil || math.IsNaN(d.Mean) {
		t.Errorf("of nothing: %+v", d)
	}
}
