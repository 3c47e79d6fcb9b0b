package kg

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// leakyFile has a symmetric relation, a pair of inverses, a pair of duplicates and facts without twins.
func leakyFile(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for i := range 40 {
		j, k, l := (i+1)%40, (i+7)%40, (i+11)%40
		fmt.Fprintf(&b, "e%02d,beside,e%02d\ne%02d,beside,e%02d\n", i, j, j, i)
		fmt.Fprintf(&b, "e%02d,owns,e%02d\ne%02d,owned by,e%02d\n", i, k, k, i)
		fmt.Fprintf(&b, "e%02d,likes,e%02d\ne%02d,loves,e%02d\n", i, l, i, l)
		fmt.Fprintf(&b, "e%02d,next,e%02d\n", i, (i+17)%40)
	}
	return fileNamed(t, "leaky.csv", b.String())
}

// leaksOf counts the triples of valid and test with a twin in training, by the known relations of leakyFile.
func leaksOf(g *Graph) int {
	train := map[string]bool{}
	fact := func(h int32, r string, t int32) string { return fmt.Sprint(h, r, t) }
	for _, t := range g.Train {
		train[fact(t.Head, g.Relations.Name(t.Relation), t.Tail)] = true
	}
	reverse := map[string]string{"beside": "beside", "owns": "owned by", "owned by": "owns"}
	same := map[string]string{"likes": "loves", "loves": "likes"}
	leaks := 0
	for _, t := range slices.Concat(g.Valid, g.Test) {
		r := g.Relations.Name(t.Relation)
		if train[fact(t.Tail, reverse[r], t.Head)] || train[fact(t.Head, same[r], t.Tail)] {
			leaks++
		}
	}
	return leaks
}

func TestLoadDividedWithoutLeaks(t *testing.T) {
	t.Parallel()
	path := leakyFile(t)
	digests := map[string]bool{}
	for seed := range uint64(5) {
		for _, leakless := range []bool{false, true} {
			g, err := LoadDivided(path, Division{Valid: .15, Test: .2, Seed: seed, Leakless: leakless})
			if err != nil {
				t.Fatal(err)
			}
			digests[g.Digest()] = true
			leaks := leaksOf(g)
			if g.Leaks != leaks || leakless != (leaks == 0) {
				t.Errorf("seed %d, leakless %v: %d leaks, the graph says %d", seed, leakless, leaks, g.Leaks)
			}
			if len(g.Valid) != 42 || len(g.Test) != 56 || len(g.Train) != 280-98 {
				t.Errorf("seed %d, leakless %v: %s", seed, leakless, g.Division)
			}
			seen := seenIn(g, g.Train)
			if slices.Contains(seen.entities, false) || slices.Contains(seen.relations, false) {
				t.Errorf("seed %d, leakless %v: a name is not in training", seed, leakless)
			}
			report := Check(g)
			if l := report.Leaks[1]; leakless && l.Symmetric+l.Inverse+l.NearDuplicate > 0 {
				t.Errorf("seed %d: Check finds %+v", seed, l)
			}
		}
	}
	if len(digests) != 10 {
		t.Errorf("%d different divisions of 10", len(digests))
	}
}

func TestLoadDividedShares(t *testing.T) {
	t.Parallel()
	path := leakyFile(t)
	for _, test := range []struct {
		d           Division
		valid, test int
	}{
		{Division{}, 0, 0}, {Division{Valid: .1}, 28, 0}, {Division{Test: .25}, 0, 70}, {DefaultDivision(), 28, 28},
	} {
		g, err := LoadDivided(path, test.d)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Valid) != test.valid || len(g.Test) != test.test {
			t.Errorf("%+v: %d valid, %d test", test.d, len(g.Valid), len(g.Test))
		}
	}
}
