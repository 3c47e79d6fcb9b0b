package kg

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
)

// New makes a graph from names. Each triple is {head, relation, tail}. Names must be non-empty UTF-8, and train must
// have at least one triple; valid and test may be empty. Duplicates are removed with a warning. Lines in errors and
// warnings are positions in the arguments, from 1.
func New(name string, train, valid, test [][3]string) (*Graph, error) {
	b := newBuilder()
	for i, rows := range [][][3]string{train, valid, test} {
		s := Split(i)
		p := part{split: s, file: s.String()}
		for at, row := range rows {
			for c, text := range row {
				if err := checkName(text, c); err != "" {
					return nil, &FileError{File: s.String(), Line: at + 1, Message: err}
				}
			}
			p.triples = append(p.triples, b.triple([]byte(row[0]), []byte(row[1]), []byte(row[2])))
		}
		b.parts[i] = p
	}
	if len(train) == 0 {
		return nil, &FileError{File: Train.String(), Message: "no training triple"}
	}
	return b.graph(name, ""), nil
}

// FromIDs makes a graph from ids, of entities in [0, entities) and of relations in [0, relations), for programs that
// have no names. The name of an id is its decimal digits, with zeros before them so that all have one length. A nil
// sequence is an empty split; train must have a triple. Duplicates are removed with a warning. An id out of range is a
// *FileError whose line is the triple's position in its sequence, from 1.
func FromIDs(name string, entities, relations int, train, valid, test iter.Seq[Triple]) (*Graph, error) {
	if min(entities, relations) < 1 || max(entities, relations) > math.MaxInt32 {
		return nil, &FileError{File: name, Message: fmt.Sprintf(
			"%d entities and %d relations: each must be a number from 1 to %d", entities, relations, math.MaxInt32)}
	}
	b := newBuilder()
	b.entities.list, b.relations.list = numbered(entities), numbered(relations)
	for i, triples := range []iter.Seq[Triple]{train, valid, test} {
		s := Split(i)
		p := part{split: s, file: s.String()}
		if triples != nil {
			p.triples = slices.Collect(triples)
		}
		for at, t := range p.triples {
			least, known := min(t.Head, t.Tail, t.Relation), int(max(t.Head, t.Tail)) < entities
			if least < 0 || !known || int(t.Relation) >= relations {
				return nil, &FileError{File: s.String(), Line: at + 1, Message: fmt.Sprintf(
					"%+v: the graph has %d entities and %d relations", t, entities, relations)}
			}
		}
		b.parts[i] = p
	}
	if len(b.parts[Train].triples) == 0 {
		return nil, &FileError{File: Train.String(), Message: "no training triple"}
	}
	return b.graph(name, ""), nil
}

// numbered returns the numbers from 0 to n-1 as text of one length.
func numbered(n int) []string {
	width, list := len(strconv.Itoa(n-1)), make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%0*d", width, i)
	}
	return list
}

// FileError is an error in an input file. For New, File is the split of a list of triples.
type FileError struct {
	File    string
	Line    int // from 1; 0 for the whole file
	Message string
	Err     error // the underlying error; may be nil
}

// Unwrap returns the underlying error, if there is one.
func (e *FileError) Unwrap() error { return e.Err }

func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

// errNoTriple is in the error of a file without triples.
var errNoTriple = errors.New("no triple")

// columnName returns the name of a column of a triple in messages.
func columnName(c int) string { return [3]string{"head", "relation", "tail"}[c] }

// checkName returns what is wrong with a name, or "".
func checkName(text string, c int) string {
	if text == "" {
		return "the " + columnName(c) + " is empty"
	}
	if !utf8.ValidString(text) {
		return "the " + columnName(c) + " is not valid UTF-8"
	}
	if strings.IndexByte(text, 0) >= 0 {
		return "the " + columnName(c) + " holds a zero byte"
	}
	return ""
}

// builder collects the splits of a graph while they are read. Names first get ids in order of appearance; graph
// replaces these by ranks.
type builder struct {
	entities, relations names
	parts               [3]part
	warnings            []Warning
}

// part is one split as read, in the order of its lines.
type part struct {
	split   Split
	file    string
	triples []Triple
	lines   []int32 // line of each triple; nil if triple i is in line i+1+skipped
	skipped int     // lines before the first triple

	// first is the triple of the first line, if that line may be a header that was not recognised. Its ids are the
	// builder's.
	first     *Triple
	firstLine int
}

func (p *part) line(i int) int {
	if p.lines != nil {
		return int(p.lines[i])
	}
	return i + 1 + p.skipped
}

// names assigns ids to names in order of appearance.
type names struct {
	ids  map[string]int32
	list []string
}

func (n *names) id(name []byte) int32 {
	if id, ok := n.ids[string(name)]; ok { // does not allocate
		return id
	}
	if len(n.list) == math.MaxInt32 {
		panic("kg: more than 2^31-1 names")
	}
	s, id := string(name), int32(len(n.list))
	n.ids[s] = id
	n.list = append(n.list, s)
	return id
}

func newBuilder() *builder {
	return &builder{
		entities:  names{ids: make(map[string]int32)},
		relations: names{ids: make(map[string]int32)},
	}
}

func (b *builder) triple(head, relation, tail []byte) Triple {
	return Triple{Head: b.entities.id(head), Relation: b.relations.id(relation), Tail: b.entities.id(tail)}
}

// graph assigns the final ids, sorts the splits and collects the warnings. Independent work runs concurrently; the
// order of warnings is fixed.
func (b *builder) graph(name, source string) *Graph {
	g := &Graph{Name: name, Source: source, Warnings: append(b.warnings, b.suspectHeaders()...)}
	var entityRank, relationRank []int32
	parallel.Do(
		func() { g.Entities, entityRank = rank(b.entities.list) },
		func() { g.Relations, relationRank = rank(b.relations.list) },
	)
	b.entities, b.relations = names{}, names{} // no longer needed: free the memory
	var found [11][]Warning
	sorted := [3]*[]Triple{Train: &g.Train, Valid: &g.Valid, Test: &g.Test}
	split := func(s Split) func() {
		return func() {
			p := &b.parts[s]
			for j, t := range p.triples {
				p.triples[j] = Triple{entityRank[t.Head], relationRank[t.Relation], entityRank[t.Tail]}
			}
			unique, removed := sortTriples(slices.Clone(p.triples), g.Entities.Len(), g.Relations.Len())
			if removed > 0 {
				found[s] = []Warning{duplicates(p, unique, removed)}
			}
			*sorted[s] = unique
		}
	}
	parallel.Do(split(Train), split(Valid), split(Test))
	valid, test := &b.parts[Valid], &b.parts[Test]
	parallel.Do(
		func() { found[3] = unseen(g, valid) },
		func() { found[4] = unseen(g, test) },
		func() { found[5] = overlap(g, valid, Train) },
		func() { found[6] = overlap(g, test, Train) },
		func() { found[7] = overlap(g, test, Valid) },
		func() { found[8] = similarWarnings(g.entities(), &b.parts) },
		func() { found[9] = similarWarnings(g.relations(), &b.parts) },
		func() { found[10] = homonymWarnings(g, &b.parts) },
	)
	for _, w := range found {
		g.Warnings = append(g.Warnings, w...)
	}
	return g
}

// rank returns the vocabulary of distinct names, and the id of each of them.
func rank(list []string) (*Vocabulary, []int32) {
	order := make([]int32, len(list))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		switch {
		case list[a] < list[b]:
			return -1
		case list[a] > list[b]:
			return 1
		}
		return 0
	})
	ranks, sorted := make([]int32, len(list)), make([]string, len(list))
	for r, i := range order {
		ranks[i] = int32(r)
		sorted[r] = list[i]
	}
	return newVocabulary(sorted), ranks
}

// duplicates returns warnings of triples that a split holds more than once.
func duplicates(p *part, unique []Triple, removed int) Warning {
	seen := make([]bool, len(unique))
	line := 0
	for i, t := range p.triples {
		at, _ := slices.BinarySearchFunc(unique, t, compareTriples)
		if seen[at] {
			line = p.line(i)
			break
		}
		seen[at] = true
	}
	return Warning{Kind: DuplicateTriple, Split: p.split, File: p.file, Line: line, Count: removed,
		Message: fmt.Sprintf("%s a triple; the first is in this line; each triple counts once", repeat(removed))}
}

func repeat(n int) string { return quantity.CountOf(n, "line repeats", "lines repeat") }

// unseen returns warnings of entities and relations of a split that are in no training triple. Nothing is learned about
// them.
func unseen(g *Graph, p *part) []Warning {
	trained := seenIn(g, g.Train)
	entities, relations := trained.entities, trained.relations
	we := Warning{Kind: UnseenEntity, Split: p.split, File: p.file}
	wr := Warning{Kind: UnseenRelation, Split: p.split, File: p.file}
	var firstEntity, firstRelation string
	for i, t := range p.triples {
		for _, e := range [2]int32{t.Head, t.Tail} {
			if !entities[e] {
				entities[e] = true // count each once
				if we.Count++; we.Count == 1 {
					we.Line, firstEntity = p.line(i), g.Entities.Name(e)
				}
			}
		}
		if !relations[t.Relation] {
			relations[t.Relation] = true
			if wr.Count++; wr.Count == 1 {
				wr.Line, firstRelation = p.line(i), g.Relations.Name(t.Relation)
			}
		}
	}
	var out []Warning
	if we.Count > 0 {
		we.Message = fmt.Sprintf("%s never seen in training; the first is %q",
			ofSplit(we.Count, "entity", "entities", p.split), firstEntity)
		out = append(out, we)
	}
	if wr.Count > 0 {
		wr.Message = fmt.Sprintf("%s never seen in training; the first is %q",
			ofSplit(wr.Count, "relation", "relations", p.split), firstRelation)
		out = append(out, wr)
	}
	return out
}

// overlap returns a warning of triples of a split that are also in an earlier split.
func overlap(g *Graph, p *part, earlier Split) []Warning {
	other := g.Split(earlier)
	w := Warning{Kind: SplitOverlap, Split: p.split, File: p.file}
	for _, t := range g.Split(p.split) {
		if _, ok := slices.BinarySearchFunc(other, t, compareTriples); ok {
			w.Count++
		}
	}
	if w.Count == 0 {
		return nil
	}
	for i, t := range p.triples {
		if _, ok := slices.BinarySearchFunc(other, t, compareTriples); ok {
			w.Line = p.line(i)
			break
		}
	}
	w.Message = fmt.Sprintf("%s also in %s; the first is in this line; evaluation then tests a known triple",
		ofSplit(w.Count, "triple", "triples", p.split), earlier)
	return []Warning{w}
}

// ofSplit returns "1 entity of test is" or "5 entities of test are".
func ofSplit(n int, one, many string, s Split) string {
	return quantity.CountOf(n, one+" of "+s.String()+" is", many+" of "+s.String()+" are")
}
