package kg

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
)

// Typing has the types of entities, such as person. An entity may have several, or none.
type Typing struct {
	From  string    // "types.tsv", or the relation whose facts say them
	Names []string  // of the types, ascending
	Of    [][]int32 // by entity: its types, ascending
}

// typesFile has lines of entity and type.
const typesFile = "types.tsv"

// typeRelations are names of the relation from an entity to its type.
var typeRelations = []string{"http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "rdf:type"}

// Typing returns the types of the graph's entities: those of a file types.tsv next to it, else those of the training
// facts of rdf:type; nil if there are none.
func (g *Graph) Typing() *Typing {
	if g.types != nil {
		return g.types
	}
	return g.typing.get(g.typesOfFacts)
}

// TypesDigest is the SHA-256, in hexadecimal, of the types that a file types.tsv gives; "" without such a file. Digest
// does not cover them.
func (g *Graph) TypesDigest() string {
	if g.types == nil {
		return ""
	}
	h := sha256.New()
	for e, of := range g.types.Of {
		for _, kind := range of {
			fmt.Fprintf(h, "%q %q\n", g.Entities.Name(int32(e)), g.types.Names[kind])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Typed returns the number of entities that have a type.
func (t *Typing) Typed() (n int) {
	for _, of := range t.Of {
		if len(of) > 0 {
			n++
		}
	}
	return n
}

func (g *Graph) typesOfFacts() *Typing {
	for r := range int32(g.Relations.Len()) {
		name := g.Relations.Name(r)
		if !slices.Contains(typeRelations, strings.Trim(name, "<>")) {
			continue
		}
		var pairs [][2]string
		for _, t := range g.Train {
			if t.Relation == r {
				pairs = append(pairs, [2]string{g.Entities.Name(t.Head), g.Label(t.Tail)})
			}
		}
		if len(pairs) > 0 {
			return g.newTyping(g.RelationLabel(r), pairs)
		}
	}
	return nil
}

// newTyping has pairs of entity and type. All entities must be in the graph.
func (g *Graph) newTyping(from string, pairs [][2]string) *Typing {
	t := &Typing{From: from, Of: make([][]int32, g.Entities.Len())}
	for _, p := range pairs {
		t.Names = append(t.Names, p[1])
	}
	slices.Sort(t.Names)
	t.Names = slices.Compact(t.Names)
	for _, p := range pairs {
		e, _ := g.Entities.ID(p[0])
		kind, _ := slices.BinarySearch(t.Names, p[1])
		t.Of[e] = append(t.Of[e], int32(kind))
	}
	for e := range t.Of {
		slices.Sort(t.Of[e])
		t.Of[e] = slices.Compact(t.Of[e])
	}
	return t
}

// loadTypes reads types.tsv of a folder, if it exists and is not the graph itself. Lines about entities that the graph
// does not have are left out with a warning.
func loadTypes(dir string, g *Graph) error {
	path, err := findOne(dir, []string{typesFile, typesFile + ".gz"})
	if err != nil || path == "" {
		return err
	}
	if abs, err := filepath.Abs(path); err != nil || abs == g.Source {
		return err
	}
	return withLines(path, func(l *lineReader) error {
		var pairs [][2]string
		unknown := Warning{Kind: UnknownType, File: l.file}
		for {
			name, kind, err := l.nextPair("entity", "type")
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			if len(kind) == 0 {
				return l.fail("the type is empty")
			}
			if _, ok := g.Entities.ID(string(name)); ok {
				pairs = append(pairs, [2]string{string(name), string(kind)})
			} else if unknown.Count++; unknown.Count == 1 {
				unknown.Line = l.line
			}
		}
		if len(pairs) > 0 {
			g.types = g.newTyping(typesFile, pairs)
		}
		if unknown.Count > 0 {
			unknown.Message = quantity.CountOf(unknown.Count, "type is of an entity", "types are of entities") +
				" in no triple; the first is in this line; left out"
			g.Warnings = append(g.Warnings, unknown)
		}
		return nil
	})
}

// nextPair returns the fields of the next line that is not blank: a name that is not empty, a tab, and another field.
func (l *lineReader) nextPair(first, second string) (name, value []byte, err error) {
	text, err := l.nextFilled()
	if err != nil {
		return nil, nil, err
	}
	name, value, ok := bytes.Cut(text, []byte{'\t'})
	if n := bytes.Count(text, []byte{'\t'}) + 1; !ok || n != 2 {
		return nil, nil, l.fail("%s, expected 2: %s and %s with a tab between",
			quantity.CountOf(n, "column", "columns"), first, second)
	}
	if len(name) == 0 {
		return nil, nil, l.fail("the %s is empty", first)
	}
	return name, value, nil
}
