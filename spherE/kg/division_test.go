package kg

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
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
			expect.NoError(t, err)
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
			if found := report.Leaks[0].Twins + report.Leaks[1].Twins; found != g.Leaks {
				t.Errorf("seed %d: Check finds %d leaks, %d were counted", seed, found, g.Leaks)
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
		expect.NoError(t, err)
		if len(g.Valid) != test.valid || len(g.Test) != test.test {
			t.Errorf("%+v: %d valid, %d test", test.d, len(g.Valid), len(g.Test))
		}
	}
}

// TestLoadDividedWithLeakLimit: a division that leaks more than the limit is the leakless one and says so; one that
// leaks less is what it is without a limit, with a warning.
func TestLoadDividedWithLeakLimit(t *testing.T) {
	t.Parallel()
	path := leakyFile(t)
	load := func(d Division) *Graph {
		d.Valid, d.Test, d.Seed = .15, .2, 3
		g, err := LoadDivided(path, d)
		expect.NoError(t, err)
		return g
	}
	plain, leakless := load(Division{}), load(Division{Leakless: true})
	leaks := leaksOf(plain)
	if leaks < 40 || leaks > 97 {
		t.Fatalf("%d of 98 triples leak", leaks)
	}
	w := plain.Warnings
	if len(w) != 1 || w[0].Kind != LeakyDivision || w[0].Count != leaks || w[0].Line != 0 ||
		!strings.Contains(w[0].String(), fmt.Sprintf("leaky.csv: %d of 98 triples", leaks)) {
		t.Errorf("warnings of the plain division: %v", w)
	}
	for _, test := range []struct {
		limit float64
		want  *Graph
	}{{0, plain}, {.3, leakless}, {(float64(leaks) - .5) / 98, leakless}, {(float64(leaks) + .5) / 98, plain}} {
		g := load(Division{LeakLimit: test.limit})
		if g.Digest() != test.want.Digest() || g.Leakless != test.want.Leakless || g.Leaks != test.want.Leaks ||
			len(g.Warnings) != len(test.want.Warnings) {
			t.Errorf("limit %g: %s; warnings %v", test.limit, g.Division, g.Warnings)
		}
		if said := strings.Contains(g.Division, fmt.Sprintf("without that, %d of 98", leaks)); said != g.Leakless {
			t.Errorf("limit %g: %s", test.limit, g.Division)
		}
	}
	if !leakless.Leakless || strings.Contains(leakless.Division, "without that") || len(leakless.Warnings) > 0 {
		t.Errorf("%s; warnings %v", leakless.Division, leakless.Warnings)
	}
}

// TestLoadDividedShort: where few triples can be held out, valid and test share them by their shares, and a warning
// has the numbers. Only the triples between hubs can be
// held out here.
func TestLoadDividedShort(t *testing.T) {
	t.Parallel()
	path := sparseFile(t, 9)
	for _, test := range []struct {
		d           Division
		valid, test int
		missing     int
	}{
		{Division{Valid: .1, Test: .1}, 4, 5, 111},
		{Division{Valid: .1, Test: .1, TestFirst: true}, 0, 9, 111},
		{Division{Valid: .1, Test: .2}, 3, 6, 172},
		{Division{Valid: .2, Test: .1}, 6, 3, 172},
		{Division{Test: .1}, 0, 9, 51},
		{Division{Valid: .1}, 9, 0, 51},
		{Division{Valid: .005, Test: .01}, 3, 6, 0},
		{Division{Valid: .1, Test: .1, Leakless: true}, 4, 5, 111},
	} {
		for seed := range uint64(3) {
			test.d.Seed = seed
			g, err := LoadDivided(path, test.d)
			expect.NoError(t, err)
			if len(g.Valid) != test.valid || len(g.Test) != test.test {
				t.Errorf("%+v: %d valid, %d test", test.d, len(g.Valid), len(g.Test))
			}
			if len(g.Train)+len(g.Valid)+len(g.Test) != 606 || slices.Contains(seenIn(g, g.Train).entities, false) {
				t.Errorf("%+v: a triple is lost, or an entity has none in train", test.d)
			}
			var said string
			missing := 0
			for _, w := range g.Warnings {
				if w.Kind == ShortDivision {
					said, missing = w.Message, w.Count
				}
			}
			numbers := fmt.Sprintf("only %d and %d can be held out", test.valid, test.test)
			if missing != test.missing || missing > 0 && !strings.Contains(said, numbers) {
				t.Errorf("%+v: %d are missing: %q", test.d, missing, said)
			}
		}
	}
}

// sparseFile has 606 triples, of which all but free, at most 10, are the only one of an entity.
func sparseFile(t *testing.T, free int) string {
	t.Helper()
	var b strings.Builder
	for i := range 606 - free {
		fmt.Fprintf(&b, "e%03d,near,hub%d\n", i, i%5)
	}
	for i, left := 0, free; i < 5; i++ {
		for j := i + 1; j < 5 && left > 0; j++ {
			fmt.Fprintf(&b, "hub%d,near,hub%d\n", i, j)
			left--
		}
	}
	return fileNamed(t, "sparse.csv", b.String())
}

// TestLeaksAreThoseOfCheck: a twin of a twin is in the same split of a leakless division, and no leak.
func TestLeaksAreThoseOfCheck(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 60 { // second repeats first and third, which share a third of their triples
		for relation, has := range map[string]bool{"first": i < 36, "second": true, "third": i >= 24} {
			if has {
				fmt.Fprintf(&b, "a%02d,%s,b%02d\n", i, relation, i)
			}
		}
		fmt.Fprintf(&b, "a%02d,next,a%02d\nb%02d,next,b%02d\n", i, (i+1)%60, i, (i+7)%60)
	}
	path := fileNamed(t, "chain.csv", b.String())
	for seed := range uint64(5) {
		g, err := LoadDivided(path, Division{Valid: .2, Test: .2, Seed: seed})
		expect.NoError(t, err)
		if r := Check(g); g.Leaks == 0 || g.Leaks != r.Leaks[0].Twins+r.Leaks[1].Twins {
			t.Errorf("seed %d: %d leaks, Check has %+v", seed, g.Leaks, r.Leaks)
		}
	}
}
