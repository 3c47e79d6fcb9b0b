package rule

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// plainEnds follows a path in the plainest way: over all training facts at every step. No entity comes twice.
func plainEnds(g *kg.Graph, visited []int32, body []int32, ends map[int32]bool) {
	if len(body) == 0 {
		ends[visited[len(visited)-1]] = true
		return
	}
	for _, x := range g.Train {
		from, to := x.Head, x.Tail
		if body[0]%2 == 1 {
			from, to = to, from
		}
		if x.Relation == body[0]/2 && from == visited[len(visited)-1] && !slices.Contains(visited, to) {
			plainEnds(g, append(slices.Clone(visited), to), body[1:], ends)
		}
	}
}

// plainMine counts every path of every length for every relation.
func plainMine(g *kg.Graph) map[path][2]int {
	all := map[path][2]int{}
	steps := int32(2 * g.Relations.Len())
	var bodies [][]int32
	for a := range steps {
		bodies = append(bodies, []int32{a})
		for b := range steps {
			bodies = append(bodies, []int32{a, b})
			for c := range steps {
				bodies = append(bodies, []int32{a, b, c})
			}
		}
	}
	index := g.Index(kg.Train)
	for _, body := range bodies {
		for x := range g.Entities.Len() {
			ends := map[int32]bool{}
			plainEnds(g, []int32{int32(x)}, body, ends)
			for r := range g.Relations.Len() {
				p := path{Relation: int32(r), Length: int32(len(body))}
				copy(p.Body[:], body)
				n := all[p]
				for y := range ends {
					n[1]++
					if index.Has(kg.Triple{Head: int32(x), Relation: int32(r), Tail: y}) {
						n[0]++
					}
				}
				all[p] = n
			}
		}
	}
	for p, n := range all {
		itself := p.Length == 1 && p.Body[0] == 2*p.Relation
		if itself || n[0] < 2 || float64(n[0])/float64(n[1]+5) < .01 {
			delete(all, p)
		}
	}
	return all
}

// TestMiningFindsEveryRule: on a small graph mining finds the rules of a miner that tries all, with the same counts.
func TestMiningFindsEveryRule(t *testing.T) {
	t.Parallel()
	g := zoo(t)
	want := plainMine(g)
	rules, err := mine(context.Background(), g, newNet(g), 3, Settings{Steps: 60000, Threads: 2})
	expect.NoError(t, err)
	lengths := map[int32]int{}
	for _, r := range rules {
		n, ok := want[r.path]
		if !ok || n != [2]int{r.Support, r.Pairs} {
			t.Errorf("mined %+v, counted %v", r, n)
		}
		delete(want, r.path)
		lengths[r.Length]++
	}
	for p, n := range want {
		t.Errorf("not found: %+v, %v", p, n)
	}
	if lengths[1] == 0 || lengths[2] < 10 || lengths[3] < 10 {
		t.Errorf("rules by length: %v", lengths)
	}
	few, err := mine(context.Background(), g, newNet(g), 3, Settings{Steps: 300})
	if err != nil || len(few) >= len(rules) {
		t.Errorf("%d rules in 300 steps, %d in 60000, %v", len(few), len(rules), err)
	}
}

// plainVerdict has the confidences of an entity by kind, greatest first, counted from the definitions.
func plainVerdict(g *kg.Graph, m *Mined, traits []map[string]bool, q kg.Query) []([families][]float64) {
	all := make([]([families][]float64), g.Entities.Len())
	having := map[string][]int32{}
	for e, has := range traits {
		for x := range has {
			having[x] = append(having[x], int32(e))
		}
	}
	index := g.Index(kg.Train)
	say := func(e int32, kind int, support, pairs int) {
		if c := float64(support) / float64(pairs+5); support >= 2 && c >= .01 {
			all[e][kind] = append(all[e][kind], c)
		}
	}
	for i := range m.Rules {
		r := &m.Rules[i]
		if r.Relation != q.Relation {
			continue
		}
		p := r.path
		if q.Side == kg.HeadSide {
			for k := range p.Length {
				p.Body[k] = r.Body[p.Length-1-k] ^ 1
			}
		}
		ends := map[int32]bool{}
		plainEnds(g, []int32{q.Known}, p.Body[:p.Length], ends)
		for y := range ends {
			say(y, byPath, r.Support, r.Pairs)
		}
	}
	for y := range all {
		for x := range traits[q.Known] {
			support := 0
			for _, e := range having[x] {
				same := kg.Query{Side: q.Side, Relation: q.Relation, Known: e}
				if e != q.Known && slices.Contains(index.Answers(same), int32(y)) {
					support++
				}
			}
			say(int32(y), byKnown, support, len(having[x]))
		}
		for x := range traits[y] {
			support := 0
			for _, a := range index.Answers(q) {
				if traits[a][x] {
					support++
				}
			}
			if support < len(having[x]) {
				say(int32(y), byAnswers, support, len(having[x]))
			}
		}
		for k := range all[y] {
			slices.Sort(all[y][k])
			slices.Reverse(all[y][k])
			for len(all[y][k]) < bestKept {
				all[y][k] = append(all[y][k], 0)
			}
			all[y][k] = all[y][k][:bestKept]
		}
	}
	return all
}

// TestRulesJudge compares values with those by plain counts, for the maximum and for every noisy-or.
func TestRulesJudge(t *testing.T) {
	t.Parallel()
	g := zoo(t)
	mined, err := mine(context.Background(), g, newNet(g), 3, Settings{Steps: 20000})
	expect.NoError(t, err)
	m := &Mined{Rules: mined}
	r := newRules(g, *m)
	traits := plainTraits(g, func(int32) []int32 { return nil })
	j, got := r.spare.Get().(*jury), make([]float32, g.Entities.Len())
	kinds := [families]int{}
	everyQuery(g, func(q kg.Query) {
		want := plainVerdict(g, m, traits, q)
		r.hear(j, q)
		for k := 1; k <= bestKept; k++ {
			r.verdict(j, q, k, got)
			for e, x := range got {
				wrong := 1.0
				for kind, list := range want[e] {
					for _, c := range list[:k] {
						wrong *= 1 - c
					}
					if list[0] > 0 {
						kinds[kind]++
					}
				}
				score := math.Log((1 - wrong) / wrong)
				if wrong == 1 {
					score = math.Log(1e-3 * plainShare(g, q, int32(e)))
				}
				if !near(x, score) {
					t.Fatalf("noisy-or of %d, %v, entity %d: %v, want %v", k, q, e, x, score)
				}
			}
		}
		r.verdict(j, q, 0, got)
		list := func(e int) []float64 {
			all := slices.Concat(want[e][0], want[e][1], want[e][2])
			slices.Sort(all)
			slices.Reverse(all)
			return all
		}
		for a := range got {
			la := list(a)
			if la[0] > 0 && math.Abs(float64(got[a])-math.Log(la[0]/(1-la[0]))) > 1e-3 {
				t.Fatalf("maximum, %v, entity %d: %v, want %v", q, a, got[a], la[0])
			}
			for b := range got {
				lb := list(b)
				if la[0] > 0 && (slices.Compare(la, lb) > 0) != (got[a] > got[b]) {
					t.Fatalf("%v: %v of %v, %v of %v", q, got[a], la, got[b], lb)
				}
			}
		}
	})
	if slices.Contains(kinds[:], 0) {
		t.Errorf("rules of each kind spoke %v times", kinds)
	}
}

// TestRulesAreRefused: files with rules that the graph does not have.
func TestRulesAreRefused(t *testing.T) {
	t.Parallel()
	g := zoo(t)
	good := Rule{path{0, 2, [longest]int32{7, 2}}, 3, 4}
	for what, change := range map[string]func(m *Mined){
		"relation": func(m *Mined) { m.Rules[0].Relation = 4 },
		"step":     func(m *Mined) { m.Rules[0].Body[1] = 8 },
		"length":   func(m *Mined) { m.Rules[0].Length = 4 },
		"support":  func(m *Mined) { m.Rules[0].Support = 5 },
		"noisy-or": func(m *Mined) { m.Families = bestKept + 1 },
	} {
		m := &Mined{Rules: []Rule{good}}
		expect.NoError(t, m.check(g))
		if change(m); m.check(g) == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	if _, err := Fit(context.Background(), sphere.Rules, g, Settings{}); err == nil {
		t.Error("mined without steps")
	}
}
