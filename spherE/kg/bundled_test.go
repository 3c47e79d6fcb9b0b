package kg

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spherelab/spherelab/internal/expect"
)

// bundledSymmetric are the relations of the bundled graph that hold in both directions.
var bundledSymmetric = []string{"co_author", "shared_nobel_with", "spouse"}

func loadBundled(t *testing.T) *Graph {
	t.Helper()
	g, err := Bundled()
	expect.NoError(t, err)
	return g
}

// eachBundledFact calls f for every line of the three embedded files.
func eachBundledFact(t *testing.T, f func(s Split, line int, fact bundledFact)) {
	t.Helper()
	for _, s := range []Split{Train, Valid, Test} {
		facts, err := bundledFacts(s)
		expect.NoError(t, err)
		for i, fact := range facts {
			f(s, i+1, fact)
		}
	}
}

// bundledSplits returns the split of each triple of the embedded files.
func bundledSplits(t *testing.T) map[[3]string]Split {
	t.Helper()
	splits := map[[3]string]Split{}
	eachBundledFact(t, func(s Split, line int, fact bundledFact) {
		if earlier, ok := splits[fact.triple]; ok {
			t.Errorf("%v:%d: %q is in %v too", s, line, fact.triple, earlier)
		}
		splits[fact.triple] = s
	})
	return splits
}

func TestBundledSize(t *testing.T) {
	t.Parallel()
	g := loadBundled(t)
	train, valid, test := len(g.Train), len(g.Valid), len(g.Test)
	total := train + valid + test
	if g.Name != "bundled" || g.Source != "" {
		t.Errorf("name %q, source %q", g.Name, g.Source)
	}
	if n := g.Entities.Len(); n < 250 {
		t.Errorf("%d entities, want 250 or more", n)
	}
	if n := g.Relations.Len(); n < 12 {
		t.Errorf("%d relations, want 12 or more", n)
	}
	if total < 1500 {
		t.Errorf("%d triples, want 1500 or more", total)
	}
	for split, n := range map[string]int{"valid": valid, "test": test} {
		if share := float64(n) / float64(total); share < 0.08 || share > 0.12 {
			t.Errorf("%s has %.1f %% of the triples, want about 10 %%", split, 100*share)
		}
	}
	if len(g.Warnings) > 0 {
		t.Errorf("warnings: %v", g.Warnings)
	}
}

func TestBundledLines(t *testing.T) {
	t.Parallel()
	relation := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	for _, s := range []Split{Train, Valid, Test} {
		facts, err := bundledFacts(s)
		expect.NoError(t, err)
		sorted := slices.IsSortedFunc(facts, func(a, b bundledFact) int {
			return slices.Compare(a.triple[:], b.triple[:])
		})
		if !sorted {
			t.Errorf("%v is not sorted", s)
		}
	}
	eachBundledFact(t, func(s Split, line int, fact bundledFact) {
		for _, text := range append(fact.triple[:], fact.source) {
			if text == "" || strings.TrimSpace(text) != text || !utf8.ValidString(text) ||
				strings.Contains(text, "  ") {
				t.Errorf("%v:%d: bad text %q", s, line, text)
			}
		}
		if !relation.MatchString(fact.triple[1]) {
			t.Errorf("%v:%d: relation %q is not in snake_case", s, line, fact.triple[1])
		}
		if strings.Contains(fact.source, "://") {
			t.Errorf("%v:%d: source %q is an address, want a name", s, line, fact.source)
		}
		if fact.triple[0] == fact.triple[2] {
			t.Errorf("%v:%d: %q is linked to itself", s, line, fact.triple[0])
		}
	})
}

func TestBundledHasSeenAllNamesInTraining(t *testing.T) {
	t.Parallel()
	g := loadBundled(t)
	seen := seenIn(g, g.Train)
	if i := slices.Index(seen.entities, false); i >= 0 {
		t.Errorf("entity %q is not in training", g.Entities.Name(int32(i)))
	}
	if i := slices.Index(seen.relations, false); i >= 0 {
		t.Errorf("relation %q is not in training", g.Relations.Name(int32(i)))
	}
}

// Facts of symmetric relations are in one split in both directions. Facts of other relations have one direction.
func TestBundledSymmetricTwins(t *testing.T) {
	t.Parallel()
	splits := bundledSplits(t)
	seen := map[string]bool{}
	for fact, s := range splits {
		reverseSplit, reverse := splits[[3]string{fact[2], fact[1], fact[0]}]
		symmetric := slices.Contains(bundledSymmetric, fact[1])
		seen[fact[1]] = true
		switch {
		case symmetric && !reverse:
			t.Errorf("%q lacks the other direction", fact)
		case symmetric && reverseSplit != s:
			t.Errorf("%q is in %v, its other direction in %v", fact, s, reverseSplit)
		case !symmetric && reverse:
			t.Errorf("%q holds in both directions", fact)
		}
	}
	for _, r := range bundledSymmetric {
		if !seen[r] {
			t.Errorf("no fact of %q", r)
		}
	}
}

// No pair of relations with many common entity pairs leaks between splits: two relations that link the same entities do
// so in one split.
func TestBundledHasNoNearDuplicateAcrossSplits(t *testing.T) {
	t.Parallel()
	splits := bundledSplits(t)
	pairs := [][2]string{
		{"advised", "worked_under"}, {"advised", "parent_of"}, {"worked_under", "parent_of"},
		{"doctorate_from", "worked_at"}, {"birth_country", "died_in_country"}, {"birth_city", "birth_country"},
		{"prize", "nobel_decade"}, {"known_for", "field"}, {"prize", "member_of"}, {"attended", "signed"},
	}
	for fact, s := range splits {
		for _, pair := range pairs {
			if fact[1] != pair[0] {
				continue
			}
			for _, other := range [][3]string{{fact[0], pair[1], fact[2]}, {fact[2], pair[1], fact[0]}} {
				if otherSplit, ok := splits[other]; ok && otherSplit != s {
					t.Errorf("%q is in %v, its near-duplicate %q in %v", fact, s, other, otherSplit)
				}
			}
		}
	}
}

// No relation is the inverse of another one, and only symmetric relations contain their own reverse.
func TestBundledHasNoInverseRelations(t *testing.T) {
	t.Parallel()
	g := loadBundled(t)
	type link struct{ a, b int32 }
	links := make([]map[link]bool, g.Relations.Len())
	for i := range links {
		links[i] = map[link]bool{}
	}
	for _, s := range []Split{Train, Valid, Test} {
		for _, f := range g.Split(s) {
			links[f.Relation][link{f.Head, f.Tail}] = true
		}
	}
	for r, forward := range links {
		for q, other := range links {
			reversed := 0
			for l := range forward {
				if other[link{l.b, l.a}] {
					reversed++
				}
			}
			name, otherName := g.Relations.Name(int32(r)), g.Relations.Name(int32(q))
			if r == q && slices.Contains(bundledSymmetric, name) {
				continue
			}
			if share := float64(reversed) / float64(len(forward)); share > 0.5 &&
				!slices.Contains(bundledSymmetric, otherName) {
				t.Errorf("%s: %.0f %% of the facts are reversed facts of %s", name, 100*share, otherName)
			}
		}
	}
}

func TestBundledHasAllCategories(t *testing.T) {
	t.Parallel()
	g := loadBundled(t)
	want := map[string]Category{
		"spouse": OneToOne, "advised": OneToN, "doctorate_from": NToOne, "birth_country": NToOne,
		"nobel_decade": NToOne, "prize": NToN, "worked_at": NToN, "attended": NToN,
	}
	categories := g.Index().Categories()
	for name, category := range want {
		id, ok := g.Relations.ID(name)
		if !ok {
			t.Errorf("no relation %q", name)
		} else if categories[id] != category {
			t.Errorf("%s is %v, want %v", name, categories[id], category)
		}
	}
}

// The example in the introduction of the paper: whom did Max Born advise?
func TestBundledHasThePapersExample(t *testing.T) {
	t.Parallel()
	splits := bundledSplits(t)
	held := 0
	for _, student := range []string{"J. Robert Oppenheimer", "Pascual Jordan", "Carl Hermann"} {
		s, ok := splits[[3]string{"Max Born", "advised", student}]
		if !ok {
			t.Errorf("Max Born advised %s is missing", student)
		}
		if s != Train {
			held++
		}
	}
	if held == 0 || held == 3 {
		t.Errorf("%d of the three students are held out, want one or two", held)
	}

	g := loadBundled(t)
	hinton, err := g.FindEntity("Geoffrey Hinton")
	expect.NoError(t, err)
	advisors := 0
	for _, s := range []Split{Train, Valid, Test} {
		for _, f := range g.Split(s) {
			if f.Tail == hinton && g.Relations.Name(f.Relation) == "advised" {
				advisors++
				if name := g.Entities.Name(f.Head); name != "Christopher Longuet-Higgins" {
					t.Errorf("%s advised Geoffrey Hinton", name)
				}
			}
		}
	}
	if advisors != 1 {
		t.Errorf("Geoffrey Hinton has %d advisors, want 1", advisors)
	}
}
