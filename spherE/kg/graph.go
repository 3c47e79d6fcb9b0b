package kg

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync"
)

// Graph is a knowledge graph with its three splits. It is read-only after loading and safe for concurrent use.
type Graph struct {
	Name      string // base name of the folder or file, "bundled", or a generated graph's name
	Source    string // absolute path of the folder or file; "" for the bundled graph and generated ones
	Division  string // for a graph from one file: how its triples were divided into splits; else ""
	Leaks     int    // for a divided file: triples of valid and test that have a twin in train, see Division.Leakless
	Leakless  bool   // for a divided file: twins are in one split, see Division.Leakless
	Drawn     bool   // the program drew the test triples; the graph came without any
	Entities  *Vocabulary
	Relations *Vocabulary

	// Each split is sorted by (head, relation, tail), without duplicates.
	Train, Valid, Test []Triple

	// Distractors are triples known to be false, sorted as a split is. Only generated graphs have them, see Pattern.
	Distractors []Triple

	Labels         []string  // readable label by entity, "" if there is none; nil if no entity has one
	RelationLabels []string  // readable label by relation, likewise
	Warnings       []Warning // oddities of the graph, counted

	divided *Graph  // see Divided; nil for most graphs
	types   *Typing // that were given, nil if none were; see Typing

	digest  once[string]
	typing  once[*Typing] // by facts
	classes once[*classes]
	indexes [8]once[*Index] // by the set of splits, bit s for split s
}

// once holds a value that is computed on first use. Its zero value is ready, so a Graph can be a composite literal.
type once[T any] struct {
	guard sync.Once
	value T
}

func (o *once[T]) get(compute func() T) T {
	o.guard.Do(func() { o.value = compute() })
	return o.value
}

// Warning describes an oddity that does not prevent the use of a graph.
type Warning struct {
	Kind    WarningKind `json:"kind"`
	Split   Split       `json:"-"`       // the split concerned; Train for warnings that concern no split
	File    string      `json:"file"`    // file in which it was found; the name of the split for a graph without files
	Line    int         `json:"line"`    // of the first case, from 1; 0 if it is in no line
	Count   int         `json:"count"`   // number of cases
	Message string      `json:"message"` // the whole sentence, without file and line
}

// String returns "FILE:LINE: MESSAGE", or "FILE: MESSAGE" for a warning without a line.
func (w Warning) String() string {
	if w.Line == 0 {
		return w.File + ": " + w.Message
	}
	return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Message)
}

// WarningKind is the machine-readable kind of a Warning.
type WarningKind string

// The kinds of warnings.
const (
	DuplicateTriple WarningKind = "duplicate-triple" // removed
	SuspectHeader   WarningKind = "suspect-header"   // a first line whose names occur nowhere else; kept as a triple
	UnseenEntity    WarningKind = "unseen-entity"    // in valid or test, never in training
	UnseenRelation  WarningKind = "unseen-relation"  // in valid or test, never in training
	SplitOverlap    WarningKind = "split-overlap"    // the same triple in two splits; both are kept
	UnusedName      WarningKind = "unused-name"      // listed in an id file, in no triple; left out
	SimilarName     WarningKind = "similar-name"     // different names that differ by case or Unicode form alone
	ColumnsGuessed  WarningKind = "columns"          // columns that were recognised by what they hold
	QuotedName      WarningKind = "quoted-name"      // double quotes around a name, which are part of it
	Homonym         WarningKind = "homonym"          // an entity that may be two things of the same name
	UnknownLabel    WarningKind = "unknown-label"    // a label for an entity or relation in no triple; left out
	UnknownType     WarningKind = "unknown-type"     // a type of an entity in no triple; left out
	UnreadTypes     WarningKind = "unread-types"     // types.tsv next to a file of triples has another form; left out
	ShortDivision   WarningKind = "short-division"   // fewer triples can be held out than were asked for
	LeakyDivision   WarningKind = "leaky-division"   // triples of valid and test that were drawn have a twin in train
	Leak            WarningKind = "leak"             // the same for splits that were given; Check finds it
)

// Split returns the triples of a split. It panics for an unknown split.
func (g *Graph) Split(s Split) []Triple {
	switch s {
	case Train:
		return g.Train
	case Valid:
		return g.Valid
	case Test:
		return g.Test
	}
	panic("kg: unknown " + s.String())
}

// Loops returns, by relation, whether a training fact leads from an entity to itself.
func (g *Graph) Loops() []bool {
	loops := make([]bool, g.Relations.Len())
	for _, t := range g.Train {
		if t.Head == t.Tail {
			loops[t.Relation] = true
		}
	}
	return loops
}

// Place returns where the graph is from: its Source, "generated" or "embedded".
func (g *Graph) Place() string { return place(g.Name, g.Source) }

func place(name, source string) string {
	if source != "" {
		return source
	}
	if _, generated := FindPattern(name); generated {
		return "generated"
	}
	return "embedded"
}

// Index returns the index of the union of the given splits; without any, of all three. Each is built once per graph.
func (g *Graph) Index(splits ...Split) *Index {
	set := 0
	for _, s := range splits {
		set |= 1 << s
	}
	if len(splits) == 0 {
		set = len(g.indexes) - 1
	}
	return g.indexes[set].get(func() *Index {
		var parts [][]Triple
		for _, s := range Splits() {
			if set>>s&1 == 1 {
				parts = append(parts, g.Split(s))
			}
		}
		return newIndex(g.Entities.Len(), g.Relations.Len(), parts...)
	})
}

// Digest is the SHA-256, in hexadecimal, of the sorted names and triples. It does not depend on the order of lines, the
// file format, duplicates, the folder or the labels. It is computed once per graph.
func (g *Graph) Digest() string { return g.digest.get(g.computeDigest) }

func (g *Graph) computeDigest() string {
	h := sha256.New()
	buf := append(make([]byte, 0, 1<<16), "spherelab graph 1\n"...)
	room := func(n int) {
		if len(buf)+n > cap(buf) {
			h.Write(buf)
			buf = buf[:0]
		}
	}
	for _, v := range []*Vocabulary{g.Entities, g.Relations} {
		room(8)
		buf = binary.LittleEndian.AppendUint64(buf, uint64(v.Len()))
		for _, name := range v.names {
			room(8 + len(name))
			buf = binary.LittleEndian.AppendUint64(buf, uint64(len(name)))
			buf = append(buf, name...)
		}
	}
	parts := [][]Triple{g.Train, g.Valid, g.Test}
	if len(g.Distractors) > 0 {
		parts = append(parts, g.Distractors)
	}
	for _, triples := range parts {
		room(8)
		buf = binary.LittleEndian.AppendUint64(buf, uint64(len(triples)))
		for _, t := range triples {
			room(12)
			buf = binary.LittleEndian.AppendUint32(buf, uint32(t.Head))
			buf = binary.LittleEndian.AppendUint32(buf, uint32(t.Relation))
			buf = binary.LittleEndian.AppendUint32(buf, uint32(t.Tail))
		}
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))
}

// Without returns the graph as if training did not hold some facts. Names and ids, validation and test are the same.
func (g *Graph) Without(facts []Triple) *Graph {
	gone := make(map[Triple]bool, len(facts))
	for _, t := range facts {
		gone[t] = true
	}
	left := make([]Triple, 0, len(g.Train))
	for _, t := range g.Train {
		if !gone[t] {
			left = append(left, t)
		}
	}
	return &Graph{Name: g.Name, Source: g.Source, Division: g.Division, Leaks: g.Leaks, Leakless: g.Leakless,
		Drawn: g.Drawn, Entities: g.Entities, Relations: g.Relations, Train: left, Valid: g.Valid, Test: g.Test,
		Distractors: g.Distractors, Labels: g.Labels, RelationLabels: g.RelationLabels, Warnings: g.Warnings,
		divided: g.divided, types: g.types}
}
