package rule

import (
	"context"
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Mined are the path rules of a graph with their counts.
type Mined struct {
	Rules []Rule `json:"rules"` // by relation, then the most confident first
	// Families is the number of rules of each kind that count when confidences are combined by noisy-or. With 0 the
	// maximum decides, and the next ones decide between equals.
	Families int `json:"noisy_or"`
}

// Rule is a path rule and how often it holds in training. If there are too many paths, they are counted from a sample.
type Rule struct {
	path
	Support int `json:"support"` // pairs that both the path and the relation join
	Pairs   int `json:"pairs"`   // pairs that the path joins
}

// Confidence returns the smoothed confidence: as if the rule had been wrong unseen more times.
func (r *Rule) Confidence() float64 { return confidence(r.Support, r.Pairs) }

func confidence(support, pairs int) float64 { return float64(support) / float64(pairs+unseen) }

const (
	unseen          = 5
	leastSupport    = 2
	leastConfidence = .01

	miningRound = 10000 // steps after which new rules are counted
	miningBlock = 500   // steps of a worker at once
	countPairs  = 20000 // a rule is counted until it has joined this many pairs
	countSteps  = 5000  // from one entity
	maxRules    = 1500  // of a relation: the most confident ones
	walks       = 4     // of one mining step
)

// mine draws paths that join the two entities of training facts, for a number of steps, and counts each rule that it
// finds twice. The rules do not depend on the number of threads.
func mine(ctx context.Context, g *kg.Graph, n *net, seed uint64, s Settings) ([]Rule, error) {
	if len(g.Train) == 0 {
		return nil, fmt.Errorf("rule: graph %s has no training facts", g.Name)
	}
	byRelation := factsByRelation(g)
	found, rules := map[path]int{}, []Rule{}
	for done := 0; done < s.Steps; {
		end := min(done+miningRound, s.Steps)
		var fresh []path
		err := parallel.Ordered(ctx, s.Threads, (end-done+miningBlock-1)/miningBlock, func() func(int) []path {
			return func(block int) (seen []path) {
				for step := done + block*miningBlock; step < min(done+(block+1)*miningBlock, end); step++ {
					seen = n.draw(g.Train, byRelation, seed, step, seen)
				}
				return seen
			}
		}, func(_ int, seen []path) {
			for _, p := range seen {
				if found[p]++; found[p] == leastSupport {
					fresh = append(fresh, p)
				}
			}
		})
		if err != nil {
			return nil, err
		}
		slices.SortFunc(fresh, comparePaths)
		err = parallel.Ordered(ctx, s.Threads, len(fresh), func() func(int) Rule {
			w := newWalker(n)
			return func(i int) Rule { return w.count(fresh[i], seed) }
		}, func(_ int, r Rule) {
			if r.Support >= leastSupport && r.Confidence() >= leastConfidence {
				rules = append(rules, r)
			}
		})
		if err != nil {
			return nil, err
		}
		done = end
		if s.Progress != nil {
			s.Progress(done, s.Steps)
		}
	}
	return sortRules(rules), nil
}

// sortRules orders rules and keeps the best of each relation.
func sortRules(rules []Rule) []Rule {
	slices.SortFunc(rules, func(a, b Rule) int {
		switch {
		case a.Relation != b.Relation:
			return int(a.Relation - b.Relation)
		case a.Confidence() > b.Confidence():
			return -1
		case a.Confidence() < b.Confidence():
			return 1
		}
		return comparePaths(a.path, b.path)
	})
	var kept []Rule
	nth := 0
	for i, r := range rules {
		if nth++; i == 0 || rules[i-1].Relation != r.Relation {
			nth = 0
		}
		if nth < maxRules {
			kept = append(kept, r)
		}
	}
	return kept
}

// factsByRelation returns the training facts of each relation that has some.
func factsByRelation(g *kg.Graph) [][]kg.Triple {
	lists := make([][]kg.Triple, g.Relations.Len())
	for _, t := range g.Train {
		lists[t.Relation] = append(lists[t.Relation], t)
	}
	return slices.DeleteFunc(lists, func(all []kg.Triple) bool { return len(all) == 0 })
}

// draw draws the fact of a mining step and appends the rules of random paths between its entities.
func (n *net) draw(facts []kg.Triple, byRelation [][]kg.Triple, seed uint64, step int, seen []path) []path {
	stream := draw.New(seed, draw.Mining, uint64(step), 0)
	if step%2 == 0 { // rare relations get as many steps as frequent ones
		facts = byRelation[step/2%len(byRelation)]
	}
	return n.step(facts[stream.Uint32n(uint32(len(facts)))], &stream, seen)
}

// step appends the rules of random paths between the entities of a fact.
func (n *net) step(t kg.Triple, stream *draw.Stream, seen []path) []path {
	length := 1 + stream.Uint32n(longest)
	if t.Head == t.Tail {
		return seen
	}
	pick := func(e int32) edge {
		all := n.of(e)
		return all[stream.Uint32n(uint32(len(all)))]
	}
	if length == 1 {
		for _, e := range n.between(t.Head, t.Tail) {
			if e.step != 2*t.Relation {
				seen = append(seen, path{t.Relation, 1, [longest]int32{e.step}})
			}
		}
		return seen
	}
	for range walks {
		a := pick(t.Head)
		if a.other == t.Head || a.other == t.Tail {
			continue
		}
		if length == 2 {
			for _, e := range n.between(a.other, t.Tail) {
				seen = append(seen, path{t.Relation, 2, [longest]int32{a.step, e.step}})
			}
			continue
		}
		b := pick(t.Tail)
		if b.other == t.Head || b.other == t.Tail || b.other == a.other {
			continue
		}
		for _, e := range n.between(a.other, b.other) {
			seen = append(seen, path{t.Relation, 3, [longest]int32{a.step, e.step, b.step ^ 1}})
		}
	}
	return seen
}

// count counts how often a rule holds, until it has enough pairs. It starts from entities in an order that depends on
// the rule.
func (w *walker) count(p path, seed uint64) Rule { return w.countTo(p, seed, countPairs) }

// countTo is count until a rule has joined a number of pairs.
func (w *walker) countTo(p path, seed uint64, pairs int) Rule {
	r := Rule{path: p}
	number := uint64(p.Relation) + 1
	for _, step := range p.Body {
		number = number*1_000_003 + uint64(step) + 1
	}
	entities := uint32(len(w.mark))
	order := draw.NewPermutation(seed, number, entities)
	for i := uint32(0); i < entities && r.Pairs < pairs; i++ {
		w.scanned++
		x := int32(order.At(i))
		if len(w.net.over(x, p.Body[0])) == 0 {
			continue
		}
		answers := w.net.over(x, 2*p.Relation)
		ends := w.from(x, p, countSteps)
		w.taken += countSteps - w.tries
		for _, y := range ends {
			r.Pairs++
			if kg.Contains(answers, y) {
				r.Support++
			}
		}
	}
	return r
}
