package kg

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomTriples draws n triples. The lower skew is, the more of them have the first entities and relations.
func randomTriples(r *rand.Rand, entities, relations, n int, skew float64) []Triple {
	pick := func(limit int) int32 {
		x := r.Float64()
		for f := skew; f < 1; f *= 2 {
			x *= r.Float64()
		}
		return int32(x * float64(limit))
	}
	out := make([]Triple, n)
	for i := range out {
		out[i] = Triple{pick(entities), pick(relations), pick(entities)}
	}
	return out
}

// TestIndexBruteForce compares every query and many triples with plain maps, for relations with and without a bitmap.
func TestIndexBruteForce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ entities, relations, triples int }{
		{1, 1, 0}, {1, 1, 5}, {2, 1, 3}, {31, 3, 100}, {32, 3, 100}, {33, 3, 100}, {64, 1, 2000},
		{100, 40, 20}, {500, 20, 300}, {2000, 5, 3000}, {5000, 30, 400}, {40, 40, 3000},
	} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%dx%dx%d/%d", c.entities, c.relations, c.triples, seed), func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 1))
				a := randomTriples(r, c.entities, c.relations, c.triples, 0.3)
				b := randomTriples(r, c.entities, c.relations, c.triples/3, 1)
				b = append(b, a[:len(a)/4]...) // splits that overlap
				checkIndex(t, c.entities, c.relations, a, b)
			})
		}
	}
}

func checkIndex(t *testing.T, entities, relations int, splits ...[]Triple) {
	t.Helper()
	has := map[Triple]bool{}
	answers := map[Query][]int32{}
	for _, s := range splits {
		for _, x := range s {
			if has[x] {
				continue
			}
			has[x] = true
			for _, sd := range [2]Side{HeadSide, TailSide} {
				answers[x.Query(sd)] = append(answers[x.Query(sd)], x.Answer(sd))
			}
		}
	}
	ix := newIndex(entities, relations, splits...)
	if ix.Len() != len(has) || ix.Entities() != entities || ix.Relations() != relations {
		t.Fatalf("sizes %d, %d, %d; want %d, %d, %d", ix.Len(), ix.Entities(), ix.Relations(), len(has), entities,
			relations)
	}
	for rel := range int32(relations) {
		triples, heads, tails := 0, 0, 0
		for e := range int32(entities) {
			for _, sd := range [2]Side{HeadSide, TailSide} {
				q := Query{sd, e, rel}
				want := answers[q]
				slices.Sort(want)
				if got := ix.Answers(q); !slices.Equal(got, want) {
					t.Fatalf("Answers(%v) = %v, want %v", q, got, want)
				}
				switch {
				case len(want) == 0:
				case sd == HeadSide:
					tails++
				default:
					heads++
					triples += len(want)
				}
			}
		}
		if ix.Triples(rel) != triples || ix.Heads(rel) != heads || ix.Tails(rel) != tails {
			t.Fatalf("relation %d: %d triples, %d heads, %d tails; want %d, %d, %d",
				rel, ix.Triples(rel), ix.Heads(rel), ix.Tails(rel), triples, heads, tails)
		}
		tph, hpt := 0., 0.
		if triples > 0 {
			tph, hpt = float64(triples)/float64(heads), float64(triples)/float64(tails)
		}
		if ix.TailsPerHead(rel) != tph || ix.HeadsPerTail(rel) != hpt {
			t.Fatalf("relation %d: tph %v, hpt %v; want %v, %v", rel, ix.TailsPerHead(rel), ix.HeadsPerTail(rel), tph,
				hpt)
		}
	}
	var asked []Query
	for q, got := range ix.All() {
		if asked = append(asked, q); !slices.Equal(got, answers[q]) {
			t.Fatalf("All yields %v of %v, want %v", got, q, answers[q])
		}
	}
	if len(asked) != len(answers) || !slices.IsSortedFunc(asked, func(a, b Query) int {
		return cmp.Or(cmp.Compare(a.Side, b.Side), cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Known, b.Known))
	}) {
		t.Fatalf("All yields %d queries in another order than sides, relations, entities, want %d", len(asked), len(answers))
	}
	r := rand.New(rand.NewPCG(7, 7))
	for x := range has {
		x2 := x
		x2.Head = int32(r.IntN(entities))
		x3 := x
		x3.Tail = int32(r.IntN(entities))
		x4 := x
		x4.Relation = int32(r.IntN(relations))
		for _, x := range []Triple{x, x2, x3, x4} {
			if ix.Has(x) != has[x] {
				t.Fatalf("Has(%v) = %v", x, ix.Has(x))
			}
		}
	}
	n := 0
	var last Triple
	ix.each(func(x Triple) {
		if !has[x] {
			t.Fatalf("each gives %v", x)
		}
		if a, b := (Triple{last.Relation, last.Head, last.Tail}),
			(Triple{x.Relation, x.Head, x.Tail}); n > 0 && compareTriples(a, b) >= 0 {
			t.Fatalf("each gives %v after %v", x, last)
		}
		last = x
		n++
	})
	if n != len(has) {
		t.Fatalf("each gives %d triples, want %d", n, len(has))
	}
}

// The cases of the brute-force test must include both ways to find a key.
func TestIndexPaths(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	bitmaps := func(ix *Index) (with, without int) {
		for _, b := range ix.tails.blocks {
			if b < 0 {
				without++
			} else {
				with++
			}
		}
		return with, without
	}
	if with, without := bitmaps(newIndex(64, 1, randomTriples(r, 64, 1, 2000, 1))); with != 1 || without != 0 {
		t.Errorf("dense: %d with, %d without a bitmap", with, without)
	}
	if with, without := bitmaps(newIndex(5000, 30, randomTriples(r, 5000, 30, 400, 1))); with != 0 || without != 30 {
		t.Errorf("sparse: %d with, %d without a bitmap", with, without)
	}
	mixed := slices.Concat(randomTriples(r, 50000, 1, 5000, 1), []Triple{{3, 900, 4}})
	if with, without := bitmaps(newIndex(50000, 1000, mixed)); with != 1 || without != 999 {
		t.Errorf("mixed: %d with, %d without a bitmap", with, without)
	}
	small := []Triple{{3, 900, 4}, {3, 900, 7}, {3, 0, 4}}
	for i := range int32(2000) {
		small = append(small, Triple{i, 1, i * 3 % 2000})
	}
	checkIndex(t, 2000, 1000, small)
}

func TestIndexDoesNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	triples := randomTriples(r, 300, 10, 2000, 0.5)
	ix := newIndex(300, 10, triples)
	found := 0
	allocs := testing.AllocsPerRun(10, func() {
		for _, x := range triples {
			if ix.Has(x) {
				found++
			}
			found += len(ix.Answers(x.Query(HeadSide))) + len(ix.Answers(x.Query(TailSide)))
		}
	})
	if allocs != 0 || found == 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestIndexRefusesForeignIDs(t *testing.T) {
	t.Parallel()
	for _, x := range []Triple{{2, 0, 0}, {0, 1, 0}, {0, 0, 2}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("newIndex takes %v", x)
				}
			}()
			newIndex(2, 1, []Triple{x})
		}()
	}
}

func TestAnswersCannotGrow(t *testing.T) {
	t.Parallel()
	ix := newIndex(4, 1, []Triple{{0, 0, 1}, {1, 0, 2}})
	_ = append(ix.Answers(Query{TailSide, 0, 0}), 3)
	if got := ix.Answers(Query{TailSide, 1, 0}); !slices.Equal(got, []int32{2}) {
		t.Errorf("append to one answer changed another: %v", got)
	}
}

func TestQueryOfTriple(t *testing.T) {
	t.Parallel()
	x := Triple{1, 2, 3}
	if q := x.Query(HeadSide); q != (Query{HeadSide, 3, 2}) || x.Answer(HeadSide) != 1 || q.Triple(1) != x {
		t.Errorf("head side: %v", q)
	}
	if q := x.Query(TailSide); q != (Query{TailSide, 1, 2}) || x.Answer(TailSide) != 3 || q.Triple(3) != x {
		t.Errorf("tail side: %v", q)
	}
}

func TestSortTriples(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{0, 1, 2, 50, 3000} {
		triples := randomTriples(r, 40, 7, n, 0.5)
		want := slices.Clone(triples)
		slices.SortFunc(want, compareTriples)
		want = slices.Compact(want)
		got, removed := sortTriples(slices.Clone(triples), 40, 7)
		if !slices.Equal(got, want) || removed != n-len(want) {
			t.Errorf("n=%d: wrong order or %d removed, want %d", n, removed, n-len(want))
		}
	}
}
