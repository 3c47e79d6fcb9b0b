package rule

import (
	"cmp"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Steps of a path: 2r leads from the head of relation r to its tail, 2r+1 from the tail to the head.

// longest is the max number of steps of a path.
const longest = 3

// path is a rule r(X, Y) <- a path from X to Y. No entity occurs twice on a path, and the path is not the fact itself.
type path struct {
	Relation int32
	Length   int32
	Body     [longest]int32 // the first Length are used, others are 0
}

func comparePaths(a, b path) int {
	return cmp.Or(cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Length, b.Length),
		slices.Compare(a.Body[:], b.Body[:]))
}

// reversed returns the body from Y to X.
func (p path) reversed() path {
	t := path{Relation: p.Relation, Length: p.Length}
	for i := range p.Length {
		t.Body[i] = p.Body[p.Length-1-i] ^ 1
	}
	return t
}

// edge is a step from an entity to another one.
type edge struct{ other, step int32 }

// net has the training facts as edges.
type net struct {
	index *kg.Index
	start []int32 // by entity, the first edge; one more ends the last
	edges []edge  // sorted by other, then step
}

func newNet(g *kg.Graph) *net {
	n := &net{index: g.Index(kg.Train), start: make([]int32, g.Entities.Len()+1)}
	for _, t := range g.Train {
		n.start[t.Head+1]++
		n.start[t.Tail+1]++
	}
	for e := range g.Entities.Len() {
		n.start[e+1] += n.start[e]
	}
	n.edges = make([]edge, 2*len(g.Train))
	next := slices.Clone(n.start)
	put := func(from int32, e edge) {
		n.edges[next[from]] = e
		next[from]++
	}
	for _, t := range g.Train {
		put(t.Head, edge{t.Tail, 2 * t.Relation})
		put(t.Tail, edge{t.Head, 2*t.Relation + 1})
	}
	for e := range g.Entities.Len() {
		slices.SortFunc(n.of(int32(e)), func(a, b edge) int {
			return cmp.Or(cmp.Compare(a.other, b.other), cmp.Compare(a.step, b.step))
		})
	}
	return n
}

// of returns the edges of an entity.
func (n *net) of(e int32) []edge { return n.edges[n.start[e]:n.start[e+1]] }

// between returns the edges from a to b.
func (n *net) between(a, b int32) []edge {
	all := n.of(a)
	lo, _ := slices.BinarySearchFunc(all, b, func(e edge, b int32) int { return cmp.Compare(e.other, b) })
	hi := lo
	for hi < len(all) && all[hi].other == b {
		hi++
	}
	return all[lo:hi]
}

// over returns the entities that a step leads to from an entity, ascending.
func (n *net) over(from, step int32) []int32 {
	q := kg.Query{Side: kg.TailSide, Relation: step / 2, Known: from}
	if step&1 == 1 {
		q.Side = kg.HeadSide
	}
	return n.index.Answers(q)
}

// walker finds the ends of paths. It belongs to one worker.
type walker struct {
	net   *net
	mark  []int32 // by entity: the walk that found it last
	walk  int32
	ends  []int32
	tries int // steps that the walk may still take

	scanned, taken int // entities that counts of rules have looked at, and steps that they took
}

func newWalker(n *net) *walker { return &walker{net: n, mark: make([]int32, len(n.start)-1)} }

// from returns the ends of paths with this body from x, each once, in the order of the walk. It takes a limited number
// of steps. If the walk is longer, it returns the ends that come first.
func (w *walker) from(x int32, p path, steps int) []int32 {
	w.walk++
	w.ends, w.tries = w.ends[:0], steps
	body := p.Body[:p.Length]
	switch len(body) {
	case 1:
		w.finish(x, body[0], x, x)
	case 2:
		for _, a := range w.net.over(x, body[0]) {
			if a != x && w.tries > 0 {
				w.finish(a, body[1], x, a)
			}
		}
	default:
		for _, a := range w.net.over(x, body[0]) {
			if a == x {
				continue
			}
			for _, b := range w.net.over(a, body[1]) {
				if w.tries--; w.tries <= 0 {
					return w.ends
				}
				if b != x && b != a {
					w.finish(b, body[2], x, a)
				}
			}
		}
	}
	return w.ends
}

// finish takes the last step, which leads neither back to where it comes from nor to a or x.
func (w *walker) finish(from, step, x, a int32) {
	for _, y := range w.net.over(from, step) {
		if w.tries--; w.tries < 0 {
			return
		}
		if y != x && y != a && y != from && w.mark[y] != w.walk {
			w.mark[y] = w.walk
			w.ends = append(w.ends, y)
		}
	}
}
