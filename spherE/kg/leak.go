package kg

import (
	"cmp"
	"slices"
)

// seenNames marks the names that occur in a list of triples.
type seenNames struct{ entities, relations []bool }

func seenIn(g *Graph, triples []Triple) seenNames {
	s := seenNames{make([]bool, g.Entities.Len()), make([]bool, g.Relations.Len())}
	for _, t := range triples {
		s.entities[t.Head], s.entities[t.Tail], s.relations[t.Relation] = true, true, true
	}
	return s
}

// each calls f for every indexed triple, ordered by (relation, head, tail).
func (ix *Index) each(f func(Triple)) {
	s := &ix.tails
	for r := range int32(ix.relations) {
		for key := s.first[r]; key < s.first[r+1]; key++ {
			for _, tail := range s.answers[s.starts[key]:s.starts[key+1]] {
				f(Triple{s.known[key], r, tail})
			}
		}
	}
}

// link is a triple as an unordered pair of entities and a direction.
type link struct {
	low, high, relation int32
	isBackwards         bool // the head has the greater id
}

// overlappingPair is a pair of relations with first < second.
type overlappingPair struct {
	first, second           int32
	shared                  int
	firstShare, secondShare float64
}

// relationPairs finds the relations whose entity pairs overlap, reversed (inverses) or not (near duplicates). Loops do
// not count, because they are their own reverse.
func relationPairs(all *Index) (inverses, duplicates []overlappingPair) {
	links := make([]link, 0, all.Len())
	size := make([]int, all.Relations()) // triples without loops
	all.each(func(t Triple) {
		switch {
		case t.Head < t.Tail:
			links = append(links, link{t.Head, t.Tail, t.Relation, false})
		case t.Head > t.Tail:
			links = append(links, link{t.Tail, t.Head, t.Relation, true})
		default:
			return
		}
		size[t.Relation]++
	})
	slices.SortFunc(links, func(a, b link) int {
		if c := cmp.Compare(a.low, b.low); c != 0 {
			return c
		}
		if c := cmp.Compare(a.high, b.high); c != 0 {
			return c
		}
		return cmp.Compare(a.relation, b.relation)
	})
	type pair struct{ first, second int32 }
	same, opposite := map[pair]int{}, map[pair]int{}
	for from := 0; from < len(links); {
		to := from + 1
		for to < len(links) && links[to].low == links[from].low && links[to].high == links[from].high {
			to++
		}
		group := links[from:to]
		for i, a := range group {
			for _, b := range group[i+1:] {
				switch {
				case a.relation == b.relation: // symmetric, not a pair
				case a.isBackwards == b.isBackwards:
					same[pair{a.relation, b.relation}]++
				default:
					opposite[pair{a.relation, b.relation}]++
				}
			}
		}
		from = to
	}
	collect := func(counts map[pair]int) []overlappingPair {
		var out []overlappingPair
		for p, n := range counts {
			o := overlappingPair{p.first, p.second, n, mean(n, size[p.first]), mean(n, size[p.second])}
			if n >= minOverlap && max(o.firstShare, o.secondShare) >= minOverlapShare {
				out = append(out, o)
			}
		}
		slices.SortFunc(out, func(a, b overlappingPair) int {
			return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(a.first, b.first),
				cmp.Compare(a.second, b.second))
		})
		return out
	}
	return collect(opposite), collect(same)
}

func name(g *Graph, pairs []overlappingPair) []RelationPair {
	out := make([]RelationPair, len(pairs))
	for i, p := range pairs {
		out[i] = RelationPair{g.Relations.Name(p.first), g.Relations.Name(p.second), p.shared, p.firstShare,
			p.secondShare}
	}
	return out
}

// partners lists per relation the relations that it forms a pair with.
func partners(pairs []overlappingPair) map[int32][]int32 {
	out := make(map[int32][]int32)
	for _, p := range pairs {
		out[p.first] = append(out[p.first], p.second)
		out[p.second] = append(out[p.second], p.first)
	}
	return out
}

// pairSet has the number of relations of each pair of entities.
type pairSet map[[2]int32]int32

func newPairSet(triples []Triple) pairSet {
	s := make(pairSet, len(triples))
	for _, t := range triples {
		s[[2]int32{t.Head, t.Tail}]++
	}
	return s
}

// checkLeaks counts the triples of a split that leak, and adds to leaks, by relation, those that the split's relations
// explain: all but Reversed and Parallel.
func checkLeaks(g *Graph, s Split, train *Index, pairs pairSet, inverses, duplicates map[int32][]int32,
	leaks []int) LeakReport {
	r := LeakReport{Split: s.String(), Triples: len(g.Split(s))}
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	for _, t := range g.Split(s) {
		known := train.Has(t)
		if known {
			r.InTrain++
		}
		if t.Head == t.Tail {
			if known {
				leaks[t.Relation]++
			}
			continue
		}
		symmetric := train.Has(reversed(t, t.Relation))
		inverse := slices.ContainsFunc(inverses[t.Relation], func(x int32) bool { return train.Has(reversed(t, x)) })
		duplicate := slices.ContainsFunc(duplicates[t.Relation],
			func(x int32) bool { return train.Has(Triple{t.Head, x, t.Tail}) })
		count(&r.Symmetric, symmetric)
		count(&r.Inverse, inverse)
		count(&r.NearDuplicate, duplicate)
		count(&r.Twins, symmetric || inverse || duplicate)
		if known || symmetric || inverse || duplicate {
			leaks[t.Relation]++
		}
		if pairs[[2]int32{t.Tail, t.Head}] > 0 {
			r.Reversed++
		}
		others := pairs[[2]int32{t.Head, t.Tail}]
		if known {
			others--
		}
		if others > 0 {
			r.Parallel++
		}
	}
	return r
}
