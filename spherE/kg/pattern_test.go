package kg

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

type fact = [3]string

func namedFacts(g *Graph, triples []Triple) map[fact]bool {
	facts := map[fact]bool{}
	for _, t := range triples {
		facts[fact{g.Entities.Name(t.Head), g.Relations.Name(t.Relation), g.Entities.Name(t.Tail)}] = true
	}
	return facts
}

// hornRule says: whatever makes the body true makes the head true. A literal is relation, first and second variable.
type hornRule struct {
	body []fact
	head fact
}

// patternRules are the rules of the patterns, written independently of the generators.
var patternRules = map[string][]hornRule{
	"symmetry":       {{[]fact{{"r", "x", "y"}}, fact{"r", "y", "x"}}},
	"anti-symmetry":  {{[]fact{{"r", "x", "y"}}, fact{"s", "x", "y"}}},
	"inversion":      {{[]fact{{"r", "x", "y"}}, fact{"s", "y", "x"}}},
	"composition":    {{[]fact{{"r", "x", "y"}, {"s", "y", "z"}}, fact{"t", "x", "z"}}},
	"nc-composition": {{[]fact{{"r", "x", "y"}, {"s", "y", "z"}}, fact{"t", "x", "z"}}},
	"multiplicity": {{[]fact{{"p", "x", "y"}}, fact{"q", "x", "y"}},
		{[]fact{{"r", "x", "y"}}, fact{"s", "x", "y"}}},
	"1-1": {{[]fact{{"r", "x", "y"}}, fact{"s", "x", "y"}}},
	"1-n": {{[]fact{{"r", "x", "y"}}, fact{"s", "x", "y"}}},
	"n-1": {{[]fact{{"r", "x", "y"}}, fact{"s", "x", "y"}}},
	"n-n": {{[]fact{{"r", "x", "y"}}, fact{"s", "x", "y"}}},
}

// closure adds what the rules give, by trying all facts for all literals, until nothing is new.
func closure(facts map[fact]bool, rules []hornRule) map[fact]bool {
	all := maps.Clone(facts)
	for {
		before := len(all)
		for _, rule := range rules {
			var match func(rest []fact, bound map[string]string)
			match = func(rest []fact, bound map[string]string) {
				if len(rest) == 0 {
					all[fact{bound[rule.head[1]], rule.head[0], bound[rule.head[2]]}] = true
					return
				}
				for f := range maps.Clone(facts) {
					with := maps.Clone(bound)
					fits := f[1] == rest[0][0]
					for v, value := range map[string]string{rest[0][1]: f[0], rest[0][2]: f[2]} {
						if old, ok := with[v]; ok && old != value {
							fits = false
						}
						with[v] = value
					}
					if fits {
						match(rest[1:], with)
					}
				}
			}
			match(rule.body, map[string]string{})
		}
		if len(all) == before {
			return all
		}
		facts = maps.Clone(all)
	}
}

// checkPattern compares a graph with the rules: what follows from training is what is held out, and no distractor does.
func checkPattern(g *Graph, rules []hornRule) error {
	train, distractors := namedFacts(g, g.Train), namedFacts(g, g.Distractors)
	test := namedFacts(g, slices.Concat(g.Valid, g.Test))
	implied := closure(train, rules)
	for f := range test {
		if train[f] {
			return fmt.Errorf("held-out triple %v is a training triple", f)
		}
		if !implied[f] {
			return fmt.Errorf("held-out triple %v does not follow from training", f)
		}
	}
	for f := range implied {
		if !train[f] && !test[f] {
			return fmt.Errorf("%v follows from training and is not held out", f)
		}
	}
	for f := range distractors {
		if implied[f] {
			return fmt.Errorf("distractor %v follows from training", f)
		}
	}
	return nil
}

func TestPatternTriplesFollowFromTraining(t *testing.T) {
	t.Parallel()
	for _, p := range Patterns() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(2) {
				g, err := p.Graph(seed)
				expect.NoError(t, err)
				if err := checkPattern(g, patternRules[p.Name]); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				if len(g.Warnings) > 0 {
					t.Errorf("seed %d: warnings: %v", seed, g.Warnings)
				}
				if len(g.Train) < 190 || len(g.Train) > 600 || len(g.Test) < 20 || len(g.Valid) < 20 ||
					len(g.Distractors) < 40 {
					t.Errorf("seed %d: %d training triples, %d held out, %d distractors", seed, len(g.Train),
						len(g.Test), len(g.Distractors))
				}
			}
		})
	}
}

// The check finds a held-out triple that does not follow, one that nobody holds out, and a distractor that follows.
func TestCheckPatternFindsMistakes(t *testing.T) {
	t.Parallel()
	p, _ := FindPattern("pattern-symmetry")
	for name, spoil := range map[string]func(g *Graph){
		"not implied": func(g *Graph) {
			t := &g.Test[0]
			t.Tail = t.Head
		},
		"not held out":                func(g *Graph) { g.Test = g.Test[1:] },
		"not held out for validation": func(g *Graph) { g.Valid = g.Valid[1:] },
		"true distractor": func(g *Graph) {
			g.Distractors = append(g.Distractors, g.Test[0])
		},
	} {
		g, err := p.Graph(1)
		expect.NoError(t, err)
		spoil(g)
		if checkPattern(g, patternRules[p.Name]) == nil {
			t.Errorf("%s: not found", name)
		}
	}
}

func TestPatternsHoldWithoutException(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		facts := map[string]map[fact]bool{}
		for _, p := range Patterns() {
			g, err := p.Graph(seed)
			expect.NoError(t, err)
			facts[p.Name] = namedFacts(g, slices.Concat(g.Train, g.Valid, g.Test))
			want := map[string]Category{"1-1": OneToOne, "1-n": OneToN, "n-1": NToOne, "n-n": NToN}
			if category, ok := want[p.Name]; ok {
				for r, got := range g.Index().Categories() {
					if got != category {
						t.Errorf("seed %d: relation %s of %s is %v", seed, g.Relations.Name(int32(r)), p.Name, got)
					}
				}
			}
		}
		for f := range facts["anti-symmetry"] {
			if facts["anti-symmetry"][fact{f[2], f[1], f[0]}] {
				t.Errorf("seed %d: anti-symmetric %v holds in both directions", seed, f)
			}
		}
		both, alone := 0, 0
		for f := range facts["multiplicity"] {
			if f[1] == "p" {
				if facts["multiplicity"][fact{f[0], "r", f[2]}] {
					both++
				} else {
					alone++
				}
			}
		}
		if both < 50 || alone < 50 {
			t.Errorf("seed %d: p and r share %d pairs, and %d are of p alone", seed, both, alone)
		}
		// r then s and s then r lead every entity to different ones, and the second are the distractors of t.
		next := func(relation, head string) string {
			for f := range facts["nc-composition"] {
				if f[0] == head && f[1] == relation {
					return f[2]
				}
			}
			return ""
		}
		p, _ := FindPattern("pattern-nc-composition")
		g, _ := p.Graph(seed)
		distractors := namedFacts(g, g.Distractors)
		for f := range namedFacts(g, g.Test) {
			other := next("r", next("s", f[0]))
			if other == "" || other == f[2] {
				t.Errorf("seed %d: r and s commute from %s", seed, f[0])
			}
			if !distractors[fact{f[0], "t", other}] {
				t.Errorf("seed %d: %v with the order exchanged is not a distractor", seed, f)
			}
		}
	}
}

func TestPatternGraphsAreFunctionsOfTheSeed(t *testing.T) {
	t.Parallel()
	for _, p := range Patterns() {
		digests := map[string]bool{}
		for _, seed := range []uint64{1, 2, 1} {
			g, err := p.Graph(seed)
			expect.NoError(t, err)
			digests[g.Digest()] = true
		}
		if len(digests) != 2 {
			t.Errorf("%s: seeds 1, 2 and 1 give %d graphs, want 2", p.Name, len(digests))
		}
	}
	if _, ok := FindPattern("pattern-none"); ok {
		t.Error("pattern-none is a pattern")
	}
}

// Distractors are part of a graph's digest, because they are measured. A graph without any keeps its digest.
func TestDigestHasDistractors(t *testing.T) {
	t.Parallel()
	p, _ := FindPattern("pattern-1-1")
	g, err := p.Graph(1)
	expect.NoError(t, err)
	same := &Graph{Entities: g.Entities, Relations: g.Relations, Train: g.Train, Test: g.Test}
	with := g.Digest()
	if same.Digest() == with {
		t.Error("the digest leaves the distractors out")
	}
}
