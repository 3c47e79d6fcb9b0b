package rule

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/kg"
)

// asked are facts that training does not hold: those of other splits and some of none.
func asked(g *kg.Graph) []kg.Triple {
	list := slices.Concat(g.Valid, g.Test)
	n := int32(g.Entities.Len())
	for i := range int32(60) {
		t := kg.Triple{Head: i * 7 % n, Relation: i % int32(g.Relations.Len()), Tail: (i*i + 3) % n}
		if !g.Index(kg.Train).Has(t) && t.Head != t.Tail {
			list = append(list, t)
		}
	}
	return list
}

// plainPaths lists the paths with a body between two entities, looking at all training facts at every step.
func plainPaths(g *kg.Graph, visited []int32, way []kg.Triple, body []int32, end int32) (list []string) {
	if len(body) == 0 {
		if visited[len(visited)-1] == end {
			list = append(list, fmt.Sprint(way))
		}
		return list
	}
	for _, x := range g.Train {
		from, to := x.Head, x.Tail
		if body[0]%2 == 1 {
			from, to = to, from
		}
		if x.Relation == body[0]/2 && from == visited[len(visited)-1] && !slices.Contains(visited, to) {
			further := plainPaths(g, append(slices.Clone(visited), to), append(slices.Clone(way), x), body[1:], end)
			list = append(list, further...)
		}
	}
	return list
}

// TestPathRulesMatchTwin: the rules with a path from head to tail, and its facts, are those that a search through all
// facts finds.
func TestPathRulesMatchTwin(t *testing.T) {
	t.Parallel()
	g := zoo(t)
	m := fit(t, sphere.Rules, g, 1)
	w := NewWitness(g, m)
	found, several := 0, 0
	for _, f := range asked(g) {
		reasons := w.pathRules(f)
		for _, r := range m.stored.Rules.Rules {
			if len(reasons) == 0 {
				break
			}
			if r.Relation != f.Relation {
				continue
			}
			want := plainPaths(g, []int32{f.Head}, nil, r.Body[:r.Length], f.Tail)
			if len(want) == 0 {
				continue
			}
			of := reasons[0]
			reasons = reasons[1:]
			var got []string
			for i := 0; i < len(of.Facts); i += of.Premise {
				var way []kg.Triple
				for _, x := range of.Facts[i : i+of.Premise] {
					way = append(way, x.Triple)
				}
				got = append(got, fmt.Sprint(way))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || of.Confidence != r.Confidence() || of.Support != r.Support ||
				of.Cases != r.Pairs {
				t.Fatalf("%v by %+v: %v, want %v; %+v", f, r, got, want, of)
			}
			found++
			if len(got) > 1 {
				several++
			}
		}
		if len(reasons) > 0 {
			t.Errorf("%v: no rule for %+v", f, reasons[0])
		}
	}
	if found < 100 || several < 10 {
		t.Errorf("%d paths, %d of several", found, several)
	}
}

// TestCaseRulesMatchTwin: the rules by one fact of an entity have the counts of the plainest way to count.
func TestCaseRulesMatchTwin(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	w := NewWitness(g)
	index := g.Index(kg.Train)
	sides := map[bool]int{}
	for _, f := range g.Test[:80] {
		want := map[string]bool{}
		for _, of := range g.Train {
			for _, end := range []kg.Side{kg.HeadSide, kg.TailSide} { // what the entity is in its own fact
				for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} { // what it is in the asked fact
					own := f.Answer(side)
					if of.Answer(end) != own {
						continue
					}
					support, cases := 0, 0
					for e := range int32(g.Entities.Len()) {
						if !index.Has(of.Query(end).Triple(e)) {
							continue
						}
						cases++
						if e != own && index.Has(f.Query(side).Triple(e)) {
							support++
						}
					}
					if c := float64(support) / float64(cases+5); support >= 2 && c >= .01 {
						want[fmt.Sprint(of, side, support, cases)] = true
						sides[side == kg.HeadSide]++
					}
				}
			}
		}
		for _, r := range w.caseRules(f) {
			side := kg.HeadSide
			if r.Facts[1].Triple.Head == f.Head {
				side = kg.TailSide
			}
			key := fmt.Sprint(r.Facts[0].Triple, side, r.Support, r.Cases)
			if !want[key] || r.Support != len(r.Facts)-1+r.More {
				t.Fatalf("%v: %+v is not one of %v", f, r, want)
			}
			delete(want, key)
			for _, x := range r.Facts {
				if !index.Has(x.Triple) {
					t.Fatalf("%v: %v is not a fact", f, x.Triple)
				}
			}
		}
		if len(want) > 0 {
			t.Fatalf("%v: not found: %v", f, want)
		}
	}
	if sides[true] < 20 || sides[false] < 20 {
		t.Errorf("rules by side: %v", sides)
	}
}

// TestNeighboursMatchTwin: the similar entities are those of the plainest way to compare, with what they share.
func TestNeighboursMatchTwin(t *testing.T) {
	t.Parallel()
	g := zoo(t)
	index := g.Index(kg.Train)
	traits := plainTraits(g, func(int32) []int32 { return nil })
	w := NewWitness(g)
	found := map[bool]int{}
	for _, f := range asked(g) {
		want := map[int32][]float64{} // by entity of the fact
		for e := range int32(g.Entities.Len()) {
			if e != f.Head && index.Has(kg.Triple{Head: e, Relation: f.Relation, Tail: f.Tail}) {
				want[f.Head] = append(want[f.Head], plainCosine(traits, f.Head, e))
			}
			if e != f.Tail && index.Has(kg.Triple{Head: f.Head, Relation: f.Relation, Tail: e}) {
				want[f.Tail] = append(want[f.Tail], plainCosine(traits, f.Tail, e))
			}
		}
		for own, all := range want {
			slices.Sort(all)
			slices.Reverse(all)
			want[own] = slices.DeleteFunc(all, func(c float64) bool { return c == 0 || c < leastOfBest*all[0] })
			want[own] = want[own][:min(3, len(want[own]))]
		}
		for _, r := range w.neighbours(f) {
			n := r.Neighbour
			found[n.Like == f.Head]++
			if len(want[n.Like]) == 0 || math.Abs(r.Confidence-want[n.Like][0]) > 1e-9 ||
				math.Abs(r.Confidence-plainCosine(traits, n.Like, n.Entity)) > 1e-9 || !index.Has(r.Facts[0].Triple) {
				t.Fatalf("%v: %+v, want similarities %v", f, r, want)
			}
			want[n.Like] = want[n.Like][1:]
			for _, s := range n.Shared {
				place := fmt.Sprint([]string{"head", "tail"}[map[bool]int{true: 1}[s.AsTail]], " ", s.RelationID, " ")
				shared, of := 0, 0
				for x := range traits[n.Entity] {
					if len(x) > len(place) && x[:len(place)] == place {
						of++
						if traits[n.Like][x] {
							shared++
						}
					}
				}
				if s.Count != shared || s.Of != of || len(s.Rarest) != min(3, shared) {
					t.Fatalf("%v: %+v, want %d of %d", f, s, shared, of)
				}
				for _, x := range s.Rarest {
					if !traits[n.Like][place+fmt.Sprint(x)] || !traits[n.Entity][place+fmt.Sprint(x)] {
						t.Fatalf("%v: %d is not shared", f, x)
					}
				}
			}
		}
		if len(want[f.Head])+len(want[f.Tail]) > 0 {
			t.Fatalf("%v: neighbours of similarities %v are missing", f, want)
		}
	}
	if found[true] < 20 || found[false] < 20 {
		t.Errorf("neighbours by side: %v", found)
	}
}

// TestReasonsAreDirected: the reasons for a fact are none of the fact from its tail to its head, where the graph does
// not say so.
func TestReasonsAreDirected(t *testing.T) {
	t.Parallel()
	var train [][3]string
	for i := range 8 {
		train = append(train, [3]string{fmt.Sprint("parent", i), "has_child", fmt.Sprint("child", i)})
		if i > 0 {
			train = append(train, [3]string{fmt.Sprint("parent", i), "raises", fmt.Sprint("child", i)})
		}
	}
	g, err := kg.New("family", train, nil, nil)
	expect.NoError(t, err)
	fact, err := triple(g, "parent0", "raises", "child0")
	expect.NoError(t, err)
	w := NewWitness(g)
	reasons := w.Reasons(fact)
	e := evidence.Evidence{Reasons: reasons}
	e.Name(g, fact)
	if len(reasons) != 1 || reasons[0].Support != 7 || reasons[0].Cases != 8 ||
		reasons[0].Text != `parent0 has_child child0; 7 of 8 pairs linked like this have "raises"` {
		t.Errorf("%+v", reasons)
	}
	if turned := w.Reasons(kg.Triple{Head: fact.Tail, Relation: fact.Relation, Tail: fact.Head}); len(turned) > 0 {
		t.Errorf("a child raises its parent because %+v", turned)
	}
}

func triple(g *kg.Graph, head, relation, tail string) (t kg.Triple, err error) {
	if t.Head, err = g.FindEntity(head); err != nil {
		return t, err
	}
	if t.Relation, err = g.FindRelation(relation); err != nil {
		return t, err
	}
	t.Tail, err = g.FindEntity(tail)
	return t, err
}

// TestSymmetricFactsCountOnce: what two entities share in a relation whose facts hold both ways is listed once.
func TestSymmetricFactsCountOnce(t *testing.T) {
	t.Parallel()
	var train [][3]string
	for _, p := range [][2]string{{"a", "c"}, {"b", "c"}, {"a", "d"}, {"b", "d"}, {"d", "e"}, {"f", "g"}} {
		train = append(train, [3]string{p[0], "knows", p[1]}, [3]string{p[1], "knows", p[0]})
	}
	train = append(train, [3]string{"b", "likes", "e"}, [3]string{"f", "likes", "e"})
	g, err := kg.New("friends", train, nil, nil)
	expect.NoError(t, err)
	fact, err := triple(g, "a", "likes", "e")
	expect.NoError(t, err)
	for _, r := range NewWitness(g).neighbours(fact) {
		if r.Neighbour.Like != fact.Head {
			continue
		}
		if s := r.Neighbour.Shared; len(s) != 1 || s[0].Count != 2 || s[0].AsTail || len(s[0].Rarest) != 2 {
			t.Errorf("shared: %+v", s)
		}
		return
	}
	t.Error("a and b are not similar")
}
