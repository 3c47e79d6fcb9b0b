package kg

import (
	"fmt"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestPart: a part has the facts of the graph between its entities, and depends on graph, seed and number alone.
func TestPart(t *testing.T) {
	t.Parallel()
	var rows [][3]string
	for i := range 400 {
		rows = append(rows, [3]string{fmt.Sprint("e", i), fmt.Sprint("r", i%3), fmt.Sprint("e", i*7%400)},
			[3]string{fmt.Sprint("e", i), "next", fmt.Sprint("e", (i+1)%400)})
	}
	g, err := New("circle", rows, nil, nil)
	expect.NoError(t, err)
	part := func(facts int, seed uint64, number int) *Graph {
		p, err := g.Part(facts, seed, number)
		expect.NoError(t, err)
		return p
	}
	names := func(g *Graph) (all [][3]string) {
		for _, f := range g.Train {
			all = append(all, [3]string{g.Entities.Name(f.Head), g.Relations.Name(f.Relation), g.Entities.Name(f.Tail)})
		}
		return all
	}
	p := part(60, 9, 2)
	if n := len(p.Train); n < 60 || n > 75 {
		t.Errorf("%d facts, want about 60", n)
	}
	inside := map[string]bool{}
	for i := range p.Entities.Len() {
		inside[p.Entities.Name(int32(i))] = true
	}
	var want [][3]string
	for _, f := range names(g) {
		if inside[f[0]] && inside[f[2]] {
			want = append(want, f)
		}
	}
	got := names(p)
	slices.SortFunc(want, func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
	slices.SortFunc(got, func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
	if !slices.Equal(got, want) {
		t.Errorf("%d facts, but %d lie between its %d entities", len(got), len(want), p.Entities.Len())
	}
	if p.Digest() != part(60, 9, 2).Digest() || p.Digest() == part(60, 9, 3).Digest() ||
		p.Digest() == part(60, 8, 2).Digest() {
		t.Error("parts do not depend on seed and number alone")
	}
	if all := part(len(g.Train), 9, 0); len(all.Train) != len(g.Train) {
		t.Errorf("%d of %d facts", len(all.Train), len(g.Train))
	}
}
