package kg

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Graph is a knowledge graph with its three splits. It is read-only after
// loading and safe for concurrent use.
type Graph struct {
	Name      string // base name of the folder or file, or "bundled"
	Source    string // absolute path of the folder or file; "" for the bundled graph
	Division  string // for a graph from one file: how its triples came into the splits; else ""
	Entities  *Vocabulary
	Relations *Vocabulary

	// Each split is sorted by (head, relation, tail), without duplicates.
	Train, Valid, Test []Triple

	Labels   []string  // per entity a readable label, "" where there is none; nil if no entity has one
	Warnings []Warning // what is odd about the graph, counted
}

// Warning tells of something odd that does not stop a graph from being used.
type Warning struct {
	Kind    WarningKind `json:"kind"`
	Split   Split       `json:"-"`       // the split concerned; Train for warnings about no split
	File    string      `json:"file"`    // where it was found; the split's name for a graph without files
	Line    int         `json:"line"`    // of the first case, from 1
	Count   int         `json:"count"`   // number of cases
	Message string      `json:"message"` // the whole sentence, without file and line
}

// String gives "FILE:LINE: MESSAGE".
func (w Warning) String() string { return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Message) }

// WarningKind is the machine-readable sort of a Warning.
type WarningKind string

// The kinds of warnings.
const (
	DuplicateTriple WarningKind = "duplicate-triple" // removed
	UnseenEntity    WarningKind = "unseen-entity"    // in valid or test, never in training
	UnseenRelation  WarningKind = "unseen-relation"  // in valid or test, never in training
	SplitOverlap    WarningKind = "split-overlap"    // the same triple in two splits; both are kept
	UnusedName      WarningKind = "unused-name"      // listed in an id file, in no triple; left out
	UnknownLabel    WarningKind = "unknown-label"    // a label for an entity in no triple; left out
)

// Split returns the triples of a split; it panics for an unknown one.
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

// Label returns the entity's readable label, or its name where it has none.
func (g *Graph) Label(entity int32) string {
	if int(entity) < len(g.Labels) && g.Labels[entity] != "" {
		return g.Labels[entity]
	}
	return g.Entities.Name(entity)
}

// Index indexes the given splits of the graph; without any, all three.
func (g *Graph) Index(splits ...Split) *Index {
	if len(splits) == 0 {
		all := Splits()
		splits = all[:]
	}
	parts := make([][]Triple, len(splits))
	for i, s := range splits {
		parts[i] = g.Split(s)
	}
	return NewIndex(g.Entities.Len(), g.Relations.Len(), parts...)
}

// NotFoundError says that a name is in neither the vocabulary nor the labels.
type NotFoundError struct {
	Kind    string   // "entity" or "relation"
	Name    string   // what was asked for
	Graph   string   // the graph's name
	Nearest []string // names or labels that may have been meant, nearest first
}

func (e *NotFoundError) Error() string {
	msg := fmt.Sprintf("graph %s has no %s %q", e.Graph, e.Kind, e.Name)
	if len(e.Nearest) > 0 {
		quoted := make([]string, len(e.Nearest))
		for i, n := range e.Nearest {
			quoted[i] = fmt.Sprintf("%q", n)
		}
		msg += "; nearest: " + strings.Join(quoted, ", ")
	}
	return msg
}

// AmbiguousError says that several entities carry the label that was asked
// for; one of Names says which.
type AmbiguousError struct {
	Label string
	Names []string
}

func (e *AmbiguousError) Error() string {
	shown, more := e.Names, ""
	if len(shown) > 8 {
		more = fmt.Sprintf(" and %d more", len(shown)-8)
		shown = shown[:8]
	}
	return fmt.Sprintf("%d entities are labelled %q; give one of their names: %s%s",
		len(e.Names), e.Label, strings.Join(shown, ", "), more)
}

// nearestOffered is how many names a NotFoundError offers.
const nearestOffered = 5

// FindEntity looks an entity up by its name, then by its label. Its error is
// a *NotFoundError or, for a label of several entities, an *AmbiguousError.
func (g *Graph) FindEntity(nameOrLabel string) (int32, error) {
	if id, ok := g.Entities.ID(nameOrLabel); ok {
		return id, nil
	}
	var found []int32
	if nameOrLabel != "" {
		for id, label := range g.Labels {
			if label == nameOrLabel {
				found = append(found, int32(id))
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		candidates := g.Entities.names
		if g.Labels != nil {
			candidates = slices.Concat(candidates, g.Labels)
		}
		return 0, &NotFoundError{Kind: "entity", Name: nameOrLabel, Graph: g.Name,
			Nearest: nearest(candidates, nameOrLabel, nearestOffered)}
	}
	names := make([]string, len(found))
	for i, id := range found {
		names[i] = g.Entities.Name(id)
	}
	return 0, &AmbiguousError{Label: nameOrLabel, Names: names}
}

// FindRelation looks a relation up by its name. Its error is a *NotFoundError.
func (g *Graph) FindRelation(name string) (int32, error) {
	if id, ok := g.Relations.ID(name); ok {
		return id, nil
	}
	return 0, &NotFoundError{Kind: "relation", Name: name, Graph: g.Name,
		Nearest: g.Relations.Nearest(name, nearestOffered)}
}

// Digest is the SHA-256, in hexadecimal, of the sorted names and triples. It
// does not depend on the order of lines, the file format, duplicates, the
// folder or the labels.
func (g *Graph) Digest() string {
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
	for _, s := range Splits() {
		triples := g.Split(s)
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
