package kg

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE/internal/draw"
)

// Pattern is an inference pattern. Its graphs are generated: every triple of validation and test follows from the
// training triples by the pattern's rule, and the distractors, which look like them, do not.
type Pattern struct {
	Name string // "symmetry"
	Rule string // the rule in words and letters
	make func(w *patternWriter)
}

// patternPrefix begins the names of generated graphs.
const patternPrefix = "pattern-"

// GraphName is the name of the pattern's graphs, "pattern-symmetry".
func (p Pattern) GraphName() string { return patternPrefix + p.Name }

// Patterns lists the patterns in the order of the paper's first table; the last four are its relation mapping
// properties.
func Patterns() []Pattern {
	return []Pattern{
		{"symmetry", "r(x,y) gives r(y,x)", symmetry},
		{"anti-symmetry", "r(x,y) excludes r(y,x); s says what r says", antiSymmetry},
		{"inversion", "r(x,y) gives s(y,x)", inversion},
		{"composition", "r(x,y) and s(y,z) give t(x,z)", composition},
		{"nc-composition", "r(x,y) and s(y,z) give t(x,z); s(x,y) and r(y,z) do not", ncComposition},
		{"multiplicity", "p and r link some pairs both and others alone; q says what p says, s what r says",
			multiplicity},
		{"1-1", "s says what r says; an entity has one partner", func(w *patternWriter) { w.mapping(1, 1) }},
		{"1-n", "s says what r says; a head has 4 tails", func(w *patternWriter) { w.mapping(1, mappingMany) }},
		{"n-1", "s says what r says; a tail has 4 heads", func(w *patternWriter) { w.mapping(mappingMany, 1) }},
		{"n-n", "s says what r says; a head has 4 tails and a tail 4 heads",
			func(w *patternWriter) { w.mapping(mappingMany, mappingMany) }},
	}
}

// FindPattern returns the pattern of a generated graph, by the graph's name.
func FindPattern(graph string) (Pattern, bool) {
	for _, p := range Patterns() {
		if p.GraphName() == graph {
			return p, true
		}
	}
	return Pattern{}, false
}

// Graph generates the pattern's graph of a seed, with triples in all splits and distractors. Its Source is empty.
func (p Pattern) Graph(seed uint64) (*Graph, error) {
	w := &patternWriter{stream: draw.New(seed, draw.Pattern, 0, 0)}
	p.make(w)
	g, err := New(p.GraphName(), w.train, w.valid, w.test)
	if err != nil {
		return nil, fmt.Errorf("graph %s: %w", p.GraphName(), err)
	}
	for _, d := range w.distractors {
		t := Triple{}
		var known [3]bool
		t.Head, known[0] = g.Entities.ID(d[0])
		t.Relation, known[1] = g.Relations.ID(d[1])
		t.Tail, known[2] = g.Entities.ID(d[2])
		if known != [3]bool{true, true, true} {
			return nil, fmt.Errorf("graph %s: distractor %s has a name of no triple", p.GraphName(),
				strings.Join(d[:], " "))
		}
		g.Distractors = append(g.Distractors, t)
	}
	g.Distractors, _ = sortTriples(g.Distractors, g.Entities.Len(), g.Relations.Len())
	return g, nil
}

// patternWriter collects the triples of a generated graph, and draws what is random in it.
type patternWriter struct {
	stream                          draw.Stream
	train, valid, test, distractors [][3]string
}

// Of heldOut conclusions one is held out for test and one for validation.
const heldOut = 5

// held draws the splits of n conclusions.
func (w *patternWriter) held(n int) []Split {
	held := make([]Split, n)
	order := w.order(n)
	for k, i := range order[:2*(n/heldOut)] {
		held[i] = [2]Split{Test, Valid}[k%2]
	}
	return held
}

// order returns a random order of the numbers below n.
func (w *patternWriter) order(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := int(w.stream.Uint32n(uint32(i + 1)))
		order[i], order[j] = order[j], order[i]
	}
	return order
}

func (w *patternWriter) premise(head, relation, tail string) {
	w.train = append(w.train, [3]string{head, relation, tail})
}

// conclusion adds a triple that follows from the rule.
func (w *patternWriter) conclusion(s Split, head, relation, tail string) {
	triple := [3]string{head, relation, tail}
	switch s {
	case Test:
		w.test = append(w.test, triple)
	case Valid:
		w.valid = append(w.valid, triple)
	default:
		w.train = append(w.train, triple)
	}
}

func (w *patternWriter) distractor(head, relation, tail string) {
	w.distractors = append(w.distractors, [3]string{head, relation, tail})
}

// member names entity i of a world. In a world of a group every entity plays the same part, so only the rule
// gives a held-out triple away.
func member(world, i int) string { return fmt.Sprintf("e%03d-%d", world, i) }

const symmetricPairs = 120

func symmetry(w *patternWriter) {
	held := w.held(symmetricPairs)
	for i := range symmetricPairs {
		x, y := member(i, 0), member(i, 1)
		w.premise(x, "r", y)
		w.conclusion(held[i], y, "r", x)
		if held[i] == Test {
			w.distractor(y, "r", y)
			w.distractor(x, "r", x)
			w.distractor(y, "r", member((i+1+int(w.stream.Uint32n(symmetricPairs-1)))%symmetricPairs, 0))
		}
	}
}

// Worlds of a cyclic group: entity i stands for the number i modulo cycle.
const (
	cycles = 24
	cycle  = 5
)

func antiSymmetry(w *patternWriter) {
	held := w.held(cycles * cycle)
	for i := range cycles * cycle {
		x, y := member(i/cycle, i%cycle), member(i/cycle, (i+1)%cycle)
		w.premise(x, "r", y)
		w.conclusion(held[i], x, "s", y)
		if held[i] == Test {
			w.distractor(y, "s", x)
			w.distractor(y, "r", x)
		}
	}
}

func inversion(w *patternWriter) {
	held := w.held(cycles * cycle)
	for i := range cycles * cycle {
		x, y := member(i/cycle, i%cycle), member(i/cycle, (i+1)%cycle)
		w.premise(x, "r", y)
		w.conclusion(held[i], y, "s", x)
		if held[i] == Test {
			w.distractor(x, "s", y)
			w.distractor(y, "r", x)
		}
	}
}

// composition has r(i, i+1), s(i, i+2) and t(i, i+3) modulo longCycle.
func composition(w *patternWriter) {
	const longCycles, longCycle = 20, 7
	held := w.held(longCycles * longCycle)
	for i := range longCycles * longCycle {
		at := func(j int) string { return member(i/longCycle, (i%longCycle+j)%longCycle) }
		w.premise(at(0), "r", at(1))
		w.premise(at(0), "s", at(2))
		w.conclusion(held[i], at(0), "t", at(3))
		if held[i] == Test {
			w.distractor(at(0), "t", at(1))
			w.distractor(at(0), "t", at(2))
			w.distractor(at(3), "t", at(0))
		}
	}
}

// ncComposition has worlds of the smallest group that does not commute, the six symmetries of a triangle: entity
// 2k + m stands for k turns after m reflections. r turns by one step and s reflects, each in the triangle's own frame.
func ncComposition(w *patternWriter) {
	const worlds, turns = 24, 3
	turn := func(e int) int {
		k, m := e/2, e%2
		step := 1
		if m == 1 {
			step = turns - 1 // after a reflection a turn runs the other way
		}
		return 2*((k+step)%turns) + m
	}
	reflect := func(e int) int { return e ^ 1 }
	held := w.held(worlds * 2 * turns)
	for i := range worlds * 2 * turns {
		world, e := i/(2*turns), i%(2*turns)
		x := member(world, e)
		w.premise(x, "r", member(world, turn(e)))
		w.premise(x, "s", member(world, reflect(e)))
		w.conclusion(held[i], x, "t", member(world, reflect(turn(e))))
		if held[i] == Test {
			w.distractor(x, "t", member(world, turn(reflect(e))))
			w.distractor(x, "t", member(world, turn(e)))
		}
	}
}

// multiplicity links the pairs (x, y) by p and by r. Other entities x have a partner y by p and another, z, by r.
func multiplicity(w *patternWriter) {
	const pairs, forks = 60, 60
	heldQ, heldS := w.held(pairs+forks), w.held(pairs+forks)
	for i := range pairs + forks {
		x, y := member(i, 0), member(i, 1)
		z := y
		if i >= pairs {
			z = member(i, 2)
		}
		w.premise(x, "p", y)
		w.premise(x, "r", z)
		w.conclusion(heldQ[i], x, "q", y)
		w.conclusion(heldS[i], x, "s", z)
		if y != z {
			w.distractor(x, "q", z)
			w.distractor(x, "s", y)
		}
	}
}

// mappingMany is the "n" of the relation mapping properties.
const mappingMany = 4

// mapping links heads and tails at random, so that every tail has the given number of heads and every head the given
// number of tails.
func (w *patternWriter) mapping(headsPerTail, tailsPerHead int) {
	const facts = 160
	heads, tails := facts/tailsPerHead, facts/headsPerTail
	if headsPerTail > 1 && tailsPerHead > 1 {
		heads, tails = heads*3/2, tails*3/2
	}
	var links [][2]int
	linked := map[[2]int]bool{}
	for round := 0; round < max(headsPerTail, tailsPerHead); {
		order := w.order(max(heads, tails))
		var next [][2]int
		for i, j := range order {
			next = append(next, [2]int{i % heads, j % tails})
		}
		if headsPerTail == 1 || tailsPerHead == 1 {
			links = next
			break
		}
		if slices.ContainsFunc(next, func(l [2]int) bool { return linked[l] }) {
			continue // draw again: no fact twice
		}
		for _, l := range next {
			linked[l] = true
		}
		links, round = append(links, next...), round+1
	}
	held := w.held(len(links))
	name := func(link [2]int) (head, tail string) {
		return fmt.Sprintf("h%03d", link[0]), fmt.Sprintf("t%03d", link[1])
	}
	isLink := map[[2]int]bool{}
	for _, l := range links {
		isLink[l] = true
	}
	for i, l := range links {
		head, tail := name(l)
		w.premise(head, "r", tail)
		w.conclusion(held[i], head, "s", tail)
		if held[i] != Test {
			continue
		}
		w.distractor(tail, "s", head)
		other := l
		for isLink[other] {
			other[1] = int(w.stream.Uint32n(uint32(tails)))
		}
		_, wrong := name(other)
		w.distractor(head, "s", wrong)
	}
}
