package kg

import (
	"fmt"

	"github.com/spherelab/spherelab/spherE/internal/draw"
)

// followed limits how many facts of an entity Part follows, so that a part has more than the neighbours of one entity.
const followed = 8

// Part returns a part of the training facts as a graph of its own: all facts between entities that are found from a
// drawn one, up to about facts of them. It is a pure function of the graph, the seed and number. A graph with fewer
// facts is returned whole. Labels are left out.
func (g *Graph) Part(facts int, seed uint64, number int) (*Graph, error) {
	stream := draw.New(seed, draw.Part, uint64(number), 0)
	of := make([][]int32, g.Entities.Len()) // facts by entity
	for i, t := range g.Train {
		of[t.Head] = append(of[t.Head], int32(i))
		if t.Tail != t.Head {
			of[t.Tail] = append(of[t.Tail], int32(i))
		}
	}
	chosen, there := make([]bool, len(g.Train)), make([]bool, len(of))
	var queue []int32
	n := 0
	enter := func(e int32) {
		there[e] = true
		queue = append(queue, e)
		for _, i := range of[e] {
			if t := g.Train[i]; there[t.Head] && there[t.Tail] && !chosen[i] {
				chosen[i] = true
				n++
			}
		}
	}
	for n < min(facts, len(g.Train)) {
		if len(queue) == 0 { // a component has ended
			e := stream.Uint32n(uint32(len(of)))
			for there[e] {
				e = (e + 1) % uint32(len(of))
			}
			enter(int32(e))
			continue
		}
		e := queue[0]
		queue = queue[1:]
		for range min(followed, len(of[e])) {
			t := g.Train[of[e][stream.Uint32n(uint32(len(of[e])))]]
			if other := t.Head + t.Tail - e; !there[other] && n < facts {
				enter(other)
			}
		}
	}
	var rows [][3]string
	for i, t := range g.Train {
		if chosen[i] {
			head, tail := g.Entities.Name(t.Head), g.Entities.Name(t.Tail)
			rows = append(rows, [3]string{head, g.Relations.Name(t.Relation), tail})
		}
	}
	return New(fmt.Sprintf("%s, part %d", g.Name, number), rows, nil, nil)
}
