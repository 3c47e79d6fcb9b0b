package rule

import (
	"cmp"
	"slices"

	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Witness finds what supports facts in the training split of a graph: path rules, rules by one fact of an entity, and
// similar entities of which the same is known. It is safe for concurrent use.
type Witness struct {
	graph  *kg.Graph
	net    *net
	traits [2]*traits // plain, and through hierarchies, nil if there are none or nobody counts them
	voting *Voting    // nil: of similar entities by plain traits
	mined  [][]Rule   // by relation, the most confident first; nil: rules are counted when a fact is asked for
}

// The number of reasons that Reasons returns, and what bounds the search for them.
const (
	ruleReasons      = 5
	neighbourReasons = 3    // on each side
	leastOfBest      = .2   // of the greatest confidence or similarity
	keptWays         = 20   // paths of one rule
	keptCases        = 20   // cases of one rule without a path
	pairSteps        = 3000 // steps of one rule between two entities
	triedBodies      = 60   // rules that are counted for a fact
	bodyEdges        = 40000
	bodyPairs        = 2000 // pairs that a rule is counted by
)

// NewWitness prepares a graph. Of models of the graph, which Fit has made, it takes the mined rules and how similarity
// is counted, so that it finds what they count.
func NewWitness(g *kg.Graph, models ...*Model) *Witness {
	w := &Witness{graph: g}
	for _, m := range models {
		switch c := m.counter.(type) {
		case *rules:
			w.net, w.mined = c.net, c.paths[kg.TailSide]
			w.traits[0] = cmp.Or(w.traits[0], c.traits)
		case *neighbours:
			w.traits, w.voting = c.traits, &c.voting
		}
	}
	if w.net == nil {
		w.net = newNet(g)
	}
	if w.traits[0] == nil {
		w.traits[0] = newTraits(g, nil)
	}
	return w
}

// Reasons returns what supports a fact, which the training split should not hold: rules by confidence, then neighbours
// by similarity, without texts. A rule whose facts are all among those of a better one is left out, and what is less
// than a fifth as confident, or as similar to the same entity, as the best.
func (w *Witness) Reasons(of kg.Triple) []evidence.Reason {
	if of.Head == of.Tail {
		return nil
	}
	found := append(w.pathRules(of), w.caseRules(of)...)
	slices.SortStableFunc(found, func(a, b evidence.Reason) int { return cmp.Compare(b.Confidence, a.Confidence) })
	named := map[kg.Triple]bool{}
	var list []evidence.Reason
	for _, r := range found {
		fresh := false
		for _, f := range r.Facts {
			fresh = fresh || !named[f.Triple]
		}
		if !fresh || weak(r, list) || slices.ContainsFunc(list, func(o evidence.Reason) bool { return turned(r, o) }) {
			continue
		}
		if len(list) == ruleReasons {
			break
		}
		for _, f := range r.Facts {
			named[f.Triple] = true
		}
		list = append(list, r)
	}
	return append(list, w.neighbours(of)...)
}

// weak reports whether a reason says little next to the first of a list.
func weak(r evidence.Reason, list []evidence.Reason) bool {
	return len(list) > 0 && r.Confidence < leastOfBest*list[0].Confidence
}

// turned reports whether two rules by one fact are the same except for the direction of that fact, as in a relation
// whose facts all hold both ways.
func turned(a, b evidence.Reason) bool {
	if len(a.Facts) < 2 || a.Premise != 1 || b.Premise != 1 || a.Support != b.Support || a.Cases != b.Cases {
		return false
	}
	x, y := a.Facts[0].Triple, b.Facts[0].Triple
	return x.Relation == y.Relation && x.Head == y.Tail && x.Tail == y.Head && slices.Equal(a.Facts[1:], b.Facts[1:])
}

// pathRules returns the rules whose path leads from the head to the tail.
func (w *Witness) pathRules(of kg.Triple) (list []evidence.Reason) {
	rules := w.minedFor(of)
	for i := range rules {
		r := &rules[i]
		ways, more := w.ways(of, r.path)
		if len(ways) == 0 {
			continue
		}
		reason := evidence.Reason{Kind: evidence.Rule, Confidence: r.Confidence(), Support: r.Support, Cases: r.Pairs,
			Premise: int(r.Length), More: more}
		for _, way := range ways {
			reason.Facts = append(reason.Facts, triples(way)...)
		}
		if list = append(list, reason); len(list) == 4*ruleReasons { // the most confident come first
			break
		}
	}
	return list
}

// minedFor returns the rules that may lead to a fact.
func (w *Witness) minedFor(of kg.Triple) []Rule {
	if w.mined != nil {
		return w.mined[of.Relation]
	}
	walk := newWalker(w.net)
	var list []Rule
	for _, p := range w.bodies(of) {
		if r := walk.countTo(p, 0, bodyPairs); r.Support >= leastSupport && r.Confidence() >= leastConfidence {
			list = append(list, r)
		}
	}
	return sortRules(list)
}

// bodies returns the forms of the paths from head to tail, those of fewer paths first: a form that joins everything
// with everything says little.
func (w *Witness) bodies(of kg.Triple) []path {
	seen := map[path]int{}
	add := func(steps ...int32) {
		p := path{Relation: of.Relation, Length: int32(len(steps))}
		copy(p.Body[:], steps)
		seen[p]++
	}
	for _, e := range w.net.between(of.Head, of.Tail) {
		add(e.step)
	}
	left := bodyEdges
	for _, a := range w.net.of(of.Head) {
		if a.other == of.Head || a.other == of.Tail {
			continue
		}
		for _, e := range w.net.between(a.other, of.Tail) {
			add(a.step, e.step)
		}
		for _, b := range w.net.of(of.Tail) {
			if left--; left < 0 {
				break
			}
			if b.other == of.Head || b.other == of.Tail || b.other == a.other {
				continue
			}
			for _, e := range w.net.between(a.other, b.other) {
				add(a.step, e.step, b.step^1)
			}
		}
	}
	var list []path
	for p := range seen {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b path) int {
		return cmp.Or(cmp.Compare(a.Length, b.Length), cmp.Compare(seen[a], seen[b]), comparePaths(a, b))
	})
	return list[:min(triedBodies, len(list))]
}

// step is a fact of a path and the direction in which it is passed.
type hop struct{ from, step, to int32 }

// triples returns the facts of a path.
func triples(way []hop) (list []evidence.Fact) {
	for _, h := range way {
		t := kg.Triple{Head: h.from, Relation: h.step / 2, Tail: h.to}
		if h.step&1 == 1 {
			t.Head, t.Tail = t.Tail, t.Head
		}
		list = append(list, evidence.Fact{Triple: t})
	}
	return list
}

// ways returns paths of a form from head to tail, at most keptWays, and how many more a limited search has found.
func (w *Witness) ways(of kg.Triple, p path) (list [][]hop, more int) {
	x, y := of.Head, of.Tail
	add := func(way ...hop) {
		if len(list) < keptWays {
			list = append(list, way)
		} else {
			more++
		}
	}
	switch p.Length {
	case 1:
		if kg.Contains(w.net.over(x, p.Body[0]), y) {
			add(hop{x, p.Body[0], y})
		}
	case 2:
		for _, a := range w.net.over(x, p.Body[0]) {
			if a != x && a != y && kg.Contains(w.net.over(a, p.Body[1]), y) {
				add(hop{x, p.Body[0], a}, hop{a, p.Body[1], y})
			}
		}
	default:
		last := w.net.over(y, p.Body[2]^1)
		if len(last) == 0 {
			return nil, 0
		}
		left := pairSteps
		for _, a := range w.net.over(x, p.Body[0]) {
			if a == x || a == y {
				continue
			}
			for _, b := range w.net.over(a, p.Body[1]) {
				if left--; left < 0 {
					return list, more
				}
				if b != x && b != y && b != a && kg.Contains(last, b) {
					add(hop{x, p.Body[0], a}, hop{a, p.Body[1], b}, hop{b, p.Body[2], y})
				}
			}
		}
	}
	return list, more
}

// caseRules returns the rules by one fact of the head or of the tail: of the entities with this fact, so many have the
// asked one.
func (w *Witness) caseRules(of kg.Triple) (list []evidence.Reason) {
	for _, side := range [2]kg.Side{kg.HeadSide, kg.TailSide} {
		own := of.Answer(side)
		q := of.Query(side)
		others := slices.DeleteFunc(slices.Clone(w.net.index.Answers(q)), func(e int32) bool { return e == own })
		mine := w.traits[0].of.at(own)
		cases := map[int32][]int32{} // by trait of the entity: others that have it
		for _, e := range others {
			for _, x := range w.traits[0].of.at(e) {
				if kg.Contains(mine, x) {
					cases[x] = append(cases[x], e)
				}
			}
		}
		for _, x := range mine {
			n, having := len(cases[x]), len(w.traits[0].having.at(x))
			if c := confidence(n, having); n >= leastSupport && c >= leastConfidence {
				r := evidence.Reason{Kind: evidence.Rule, Confidence: c, Support: n, Cases: having, Premise: 1,
					Facts: []evidence.Fact{{Triple: w.traits[0].fact(x, own)}}}
				for _, e := range cases[x][:min(keptCases, n)] {
					r.Facts = append(r.Facts, evidence.Fact{Triple: q.Triple(e)})
				}
				r.More = n - len(r.Facts) + 1
				list = append(list, r)
			}
		}
	}
	return list
}
