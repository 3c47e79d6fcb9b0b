package kg

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/spelling"
)

// labelled is a vocabulary with the readable labels of its names, by id; labels may be nil.
type labelled struct {
	kind   string // "entity" or "relation"
	plural string
	graph  string
	names  *Vocabulary
	labels []string
}

func (g *Graph) entities() labelled {
	return labelled{"entity", "entities", g.Name, g.Entities, g.Labels}
}

func (g *Graph) relations() labelled {
	return labelled{"relation", "relations", g.Name, g.Relations, g.RelationLabels}
}

// Label returns the readable label of an entity, or its name if it has none.
func (g *Graph) Label(entity int32) string { return g.entities().label(entity) }

// RelationLabel returns the readable label of a relation, or its name if it has none.
func (g *Graph) RelationLabel(relation int32) string { return g.relations().label(relation) }

// EntityWords returns a word that FindEntity takes for each entity, by id: the label, or the name if the label is also
// another entity's label or name.
func (g *Graph) EntityWords() []string { return g.entities().words() }

// RelationWords returns a word that FindRelation takes for each relation, by id, chosen as in EntityWords.
func (g *Graph) RelationWords() []string { return g.relations().words() }

// FindEntity finds an entity by its name, then by its label. The error is a *NotFoundError or, for a label of several
// entities, an *AmbiguousError.
func (g *Graph) FindEntity(nameOrLabel string) (int32, error) { return g.entities().find(nameOrLabel) }

// FindRelation finds a relation by its name, then by its label. The errors are those of FindEntity.
func (g *Graph) FindRelation(nameOrLabel string) (int32, error) {
	return g.relations().find(nameOrLabel)
}

func (v labelled) label(id int32) string {
	if int(id) < len(v.labels) && v.labels[id] != "" {
		return v.labels[id]
	}
	return v.names.Name(id)
}

// labelledNames counts the names that have a label.
func (v labelled) labelledNames() int {
	n := 0
	for _, label := range v.labels {
		if label != "" {
			n++
		}
	}
	return n
}

func (v labelled) words() []string {
	words := slices.Clone(v.names.names)
	times := make(map[string]int, len(v.labels))
	for _, label := range v.labels {
		times[label]++
	}
	for id, label := range v.labels {
		other, taken := v.names.ID(label)
		if label != "" && times[label] == 1 && (!taken || other == int32(id)) {
			words[id] = label
		}
	}
	return words
}

func (v labelled) find(nameOrLabel string) (int32, error) {
	if id, ok := v.names.ID(nameOrLabel); ok {
		return id, nil
	}
	var found []int32
	if nameOrLabel != "" {
		for id, label := range v.labels {
			if label == nameOrLabel {
				found = append(found, int32(id))
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		words := v.words()
		return 0, &NotFoundError{Kind: v.kind, Name: nameOrLabel, Graph: v.graph,
			Nearest:  spelling.Nearest(slices.Concat(v.names.names, v.labels), nameOrLabel, maxNearest),
			Examples: words[:min(len(words), maxNearest)]}
	}
	names := make([]string, len(found))
	for i, id := range found {
		names[i] = v.names.Name(id)
	}
	return 0, &AmbiguousError{Kind: v.plural, Label: nameOrLabel, Names: names}
}

// maxNearest is the largest number of names in each list of a NotFoundError.
const maxNearest = 5

// NotFoundError is the error for a name that is in neither the vocabulary nor the labels.
type NotFoundError struct {
	Kind     string   // "entity" or "relation"
	Name     string   // the unknown name
	Graph    string   // the graph's name
	Nearest  []string // names or labels that may have been meant, nearest first
	Examples []string // some names or labels that the graph has
}

func (e *NotFoundError) Error() string {
	msg := fmt.Sprintf("graph %s has no %s %q", e.Graph, e.Kind, e.Name)
	lead, names := "nearest", e.Nearest
	if len(names) == 0 {
		lead, names = "it has, for example", e.Examples
	}
	if len(names) == 0 {
		return msg
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return msg + "; " + lead + ": " + strings.Join(quoted, ", ")
}

// AmbiguousError is the error for a label that several entities or relations have. Names lists their names.
type AmbiguousError struct {
	Kind  string // "entities" or "relations"
	Label string
	Names []string
}

func (e *AmbiguousError) Error() string {
	shown, more := e.Names, ""
	if len(shown) > 8 {
		more = fmt.Sprintf(" and %d more", len(shown)-8)
		shown = shown[:8]
	}
	return fmt.Sprintf("%d %s are labelled %q; use one of their names: %s%s",
		len(e.Names), e.Kind, e.Label, strings.Join(shown, ", "), more)
}

// loadLabels reads entity_labels.tsv and relation_labels.tsv of a folder, if they exist.
func loadLabels(dir string, g *Graph) error {
	for _, into := range []struct {
		names  labelled
		labels *[]string
	}{{g.entities(), &g.Labels}, {g.relations(), &g.RelationLabels}} {
		name := into.names.kind + "_labels.tsv"
		path, err := findOne(dir, []string{name, name + ".gz"})
		if err != nil {
			return err
		}
		if path == "" {
			continue
		}
		err = withLines(path, func(l *lineReader) error {
			labels, warnings, err := readLabels(l, into.names)
			*into.labels, g.Warnings = labels, append(g.Warnings, warnings...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readLabels reads lines of name and label separated by a tab. Labels of names that the graph does not have are left
// out with a warning. The labels are nil if no name has one.
func readLabels(l *lineReader, v labelled) (labels []string, warnings []Warning, err error) {
	labels = make([]string, v.names.Len())
	unknown := Warning{Kind: UnknownLabel, File: l.file}
	used := false
	for {
		name, label, err := l.nextPair(v.kind, "label")
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		id, ok := v.names.ID(string(name))
		switch {
		case !ok:
			if unknown.Count++; unknown.Count == 1 {
				unknown.Line = l.line
			}
		case labels[id] != "" && labels[id] != string(label):
			return nil, nil, l.fail("%s %q has a second label %q; the first was %q; keep one", v.kind, name, label,
				labels[id])
		default:
			labels[id] = string(label)
			used = used || len(label) > 0
		}
	}
	if !used {
		labels = nil
	}
	if unknown.Count > 0 {
		article := "a"
		if v.kind == "entity" {
			article = "an"
		}
		unknown.Message = quantity.CountOf(unknown.Count, "label is for "+article+" "+v.kind, "labels are for "+v.plural) +
			" in no triple; the first is in this line; left out"
		warnings = append(warnings, unknown)
	}
	return labels, warnings, nil
}
