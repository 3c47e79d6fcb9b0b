package kg

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/internal/quantity"
)

// A position is a side of a relation: 2 * relation for its heads, 2 * relation + 1 for its tails. Positions whose
// entities are largely the same have one type. Suppose a relation leads from one type to another, and also has loops:
// facts from an entity to itself. Then an entity of both types is suspected to be two things of the same name.
const (
	minOfType      = 5  // a position with fewer entities is a type of its own
	minTypeShare   = .5 // share of the smaller of two positions that makes them one type
	maxMergedShare = .2 // share of the smaller of two types; more is not an accident of names
	minLoops       = 3  // loops of a relation; a few may be slips, as in FB15k-237
	minLoopShare   = .1 // loops by entity of both types
)

// Homonyms are entities that may be two things of the same name, because of a relation whose heads and tails are of
// different types.
type Homonyms struct {
	Relation string   `json:"relation"`
	Entities []string `json:"entities"` // that are of both types
	Loops    int      `json:"loops"`    // facts of the relation that lead from an entity to itself

	relation int32
}

// homonyms finds the relations with loops whose heads and tails are of different types, and the entities of both types.
func homonyms(g *Graph) []Homonyms {
	loops := make([]int, g.Relations.Len())
	for _, s := range Splits() {
		for _, t := range g.Split(s) {
			if t.Head == t.Tail {
				loops[t.Relation]++
			}
		}
	}
	if len(loops) == 0 || slices.Max(loops) < minLoops {
		return nil
	}
	members := positionMembers(g)
	typeOf := positionTypes(g.Entities.Len(), members)
	var out []Homonyms
	for r, n := range loops {
		head, tail := typeOf[2*r], typeOf[2*r+1]
		if n < minLoops || head == tail {
			continue
		}
		heads, tails := unionOf(members, typeOf, head), unionOf(members, typeOf, tail)
		var merged []string
		for _, e := range heads {
			if _, ok := slices.BinarySearch(tails, e); ok {
				merged = append(merged, g.Entities.Name(e))
			}
		}
		if float64(len(merged)) <= maxMergedShare*float64(min(len(heads), len(tails))) &&
			float64(n) >= minLoopShare*float64(len(merged)) {
			out = append(out, Homonyms{g.Relations.Name(int32(r)), merged, n, int32(r)})
		}
	}
	return out
}

// positionMembers lists the entities of each position, ascending.
func positionMembers(g *Graph) [][]int32 {
	members := make([][]int32, 2*g.Relations.Len())
	for _, s := range Splits() {
		for _, t := range g.Split(s) {
			members[2*t.Relation] = append(members[2*t.Relation], t.Head)
			members[2*t.Relation+1] = append(members[2*t.Relation+1], t.Tail)
		}
	}
	for i, list := range members {
		slices.Sort(list)
		members[i] = slices.Compact(list)
	}
	return members
}

// positionTypes numbers positions, those of one type alike.
func positionTypes(entities int, members [][]int32) []int {
	held := make([][]int32, entities) // positions of each entity
	for p, list := range members {
		if len(list) >= minOfType {
			for _, e := range list {
				held[e] = append(held[e], int32(p))
			}
		}
	}
	shared := map[[2]int32]int{}
	for _, list := range held {
		for i, a := range list {
			for _, b := range list[i+1:] {
				shared[[2]int32{a, b}]++
			}
		}
	}
	typeOf := make([]int, len(members))
	for p := range typeOf {
		typeOf[p] = p
	}
	root := func(p int) int {
		for typeOf[p] != p {
			p = typeOf[p]
		}
		return p
	}
	for pair, n := range shared {
		a, b := int(pair[0]), int(pair[1])
		if float64(n) >= minTypeShare*float64(min(len(members[a]), len(members[b]))) {
			a, b = root(a), root(b)
			typeOf[max(a, b)] = min(a, b)
		}
	}
	for p := range typeOf {
		typeOf[p] = root(p)
	}
	return typeOf
}

// unionOf lists the entities of a type, ascending.
func unionOf(members [][]int32, typeOf []int, wanted int) []int32 {
	var all []int32
	for p, list := range members {
		if typeOf[p] == wanted {
			all = append(all, list...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// homonymWarnings describes the homonyms, with the line of the first loop. parts have final ids.
func homonymWarnings(g *Graph, parts *[3]part) []Warning {
	var out []Warning
	for _, h := range homonyms(g) {
		w := Warning{Kind: Homonym, Count: len(h.Entities)}
		first := ""
		w.at(parts, func(t Triple) bool {
			if t.Relation != h.relation || t.Head != t.Tail {
				return false
			}
			first = g.Entities.Name(t.Head)
			return true
		})
		w.Message = fmt.Sprintf("%s among both the heads and the tails of %q, which are otherwise different things;"+
			" %s, the first in this line from %q; two things of the same name may be one entity here: give them different names",
			quantity.CountOf(len(h.Entities), "name is", "names are"), h.Relation,
			quantity.CountOf(h.Loops, "fact leads from an entity to itself", "facts lead from an entity to itself"), first)
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b Warning) int { return cmp.Compare(b.Count, a.Count) })
	return out
}
