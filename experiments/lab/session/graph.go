package session

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/spelling"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Graph is a knowledge graph: entities, relations, and facts in three splits.
type Graph struct {
	session *Session
	graph   *kg.Graph
	data    string // the value of the config key data that finds it again
	file    config.File
	split   config.Split

	once    sync.Once
	degrees []int // facts by entity
	uses    []int // facts by relation
}

// Graph loads a graph: "bundled", the name of a data set, a folder, or a file of triples (.csv, .tsv, .txt, .nt).
//
//	g := lab.Graph("bundled")
//	g := lab.Graph("family.csv")
//
// A line of the file is head,relation,tail; the first may be a header. A fourth column may be train, valid or test.
// Without it a tenth of the facts becomes valid and a tenth test; a graph of fewer than 50 facts is all train. If more
// than 30 % of these facts would have a twin in train, a fact that says the same the other way round, twins stay in one
// split. Keys of the config sections file and split change how the file is read and divided:
//
//	g := lab.Graph("family.csv", "split.leakless=false", "split.seed=2")
//	g := lab.Graph("edges.csv", "file.columns=head,tail,relation")
//	g := lab.Graph("pairs.csv", "file.relation=knows")
//
// The error for an unknown graph lists the known ones.
func (s *Session) Graph(name string, keys ...string) *Graph {
	name = strings.TrimSpace(name)
	settings := config.Default()
	check(settings.Set("split.leakless", "auto", fmt.Sprintf("lab.Graph(%q)", name)))
	for _, item := range keys {
		key, value, ok := strings.Cut(item, "=")
		if key = strings.TrimSpace(key); !ok || !ofGraph(key) {
			panic(fail(BadGraph, "lab.Graph(%q, %q): the second is not of the form split.KEY=VALUE or file.KEY=VALUE,"+
				" such as split.seed=2", name, item))
		}
		check(settings.Set(key, value, fmt.Sprintf("lab.Graph(%q, %q)", name, item)))
	}
	_, err := settings.Check()
	check(err)
	data := name
	if kg.IsFile(name) {
		abs, err := filepath.Abs(name)
		check(err)
		if _, err := os.Stat(abs); err != nil {
			message := "there is no file " + name
			if !filepath.IsAbs(name) {
				here, err := filepath.Abs(".")
				check(err)
				message += "; the current folder is " + here
			}
			panic(&Error{Name: UnknownGraph, Message: message, Err: err})
		}
		data = abs
	}
	settings.Data = data
	g, err := settings.Graph(s.dataDirs())
	var missing *dataset.NotFoundError
	if errors.As(err, &missing) {
		panic(&Error{Name: UnknownGraph, Message: s.noGraph(name, missing), Err: err})
	}
	check(err)
	settings.Split.Leakless = g.Leakless
	return s.newGraph(g, settings)
}

// newGraph wraps a loaded graph that was read and divided by c. With its source the graph is found again from any
// folder.
func (s *Session) newGraph(g *kg.Graph, c *config.Config) *Graph {
	data := g.Source
	if data == "" {
		data = g.Name // the bundled graph, or a generated one
	}
	return &Graph{session: s, graph: g, data: data, file: c.File, split: c.Split}
}

// noGraph returns the error for a missing graph, with the graphs that exist and how to get more.
func (s *Session) noGraph(name string, missing *dataset.NotFoundError) string {
	var b strings.Builder
	fmt.Fprintf(&b, "there is no graph %q", name)
	if missing.Path {
		b.WriteString(": it must be a folder with a train file, or a file that ends in " +
			strings.Join(kg.FileEndings(), ", "))
	}
	here := s.graphsHere()
	if near := spelling.Nearest(here, name, 1); len(near) > 0 {
		fmt.Fprintf(&b, "; did you mean %q?", near[0])
	}
	fmt.Fprintf(&b, "\nthere are: %s", strings.Join(here, ", "))
	var more []string
	for _, set := range dataset.List() {
		if !slices.Contains(here, set.Name) {
			more = append(more, set.Name)
		}
	}
	if set, err := dataset.Lookup(name); err == nil {
		fmt.Fprintf(&b, "\n%s", hintText([]hint.Hint{{Action: hint.FetchGraph, Subject: set.Name}}))
	} else if len(more) > 0 {
		fmt.Fprintf(&b, "\n`spherelab data get NAME` in a terminal downloads: %s", strings.Join(more, ", "))
	}
	b.WriteString("\na graph of your own: lab.Graph(\"file.csv\") with a line head,relation,tail for each fact")
	return b.String()
}

// Name returns the graph's name.
func (g *Graph) Name() string { return g.KG().Name }

// KG returns the graph as a *kg.Graph.
func (g *Graph) KG() *kg.Graph {
	given(g != nil, "graph", "lab.Graph(\"bundled\") loads one")
	return g.graph
}

// tally counts the facts of entities and relations.
func (g *Graph) tally() {
	graph := g.KG()
	g.once.Do(func() {
		g.degrees, g.uses = make([]int, graph.Entities.Len()), make([]int, graph.Relations.Len())
		for _, split := range kg.Splits() {
			for _, t := range graph.Split(split) {
				g.degrees[t.Head]++
				if t.Tail != t.Head {
					g.degrees[t.Tail]++
				}
				g.uses[t.Relation]++
			}
		}
	})
}

// Find lists the entities and relations whose names are similar to a text, or contain it, nearest first.
//
//	g.Find("born")
func (g *Graph) Find(text string) *Rows {
	g.tally()
	type thing struct {
		kind, name string
		facts      int
	}
	found := map[string][]thing{} // by label
	var labels []string
	add := func(label string, t thing) {
		if found[label] == nil {
			labels = append(labels, label)
		}
		found[label] = append(found[label], t)
	}
	for e := range int32(g.graph.Entities.Len()) {
		add(g.graph.Label(e), thing{"entity", g.graph.Entities.Name(e), g.degrees[e]})
	}
	for r := range int32(g.graph.Relations.Len()) {
		add(g.graph.RelationLabel(r), thing{"relation", g.graph.Relations.Name(r), g.uses[r]})
	}
	rows := &Rows{columns: []string{"name", "kind", "facts"},
		title: fmt.Sprintf("names in %s similar to %q", g.graph.Name, text)}
	labelled := g.graph.Labels != nil || g.graph.RelationLabels != nil
	if labelled {
		rows.columns = append(rows.columns, "id")
	}
	for _, label := range spelling.Nearest(labels, strings.TrimSpace(text), 10) {
		for _, t := range found[label] {
			row := []interface{}{label, t.kind, int64(t.facts)}
			if labelled {
				row = append(row, t.name)
			}
			rows.values = append(rows.values, row)
		}
	}
	if len(rows.values) == 0 {
		rows.notes = []string{"no name is similar; g.Relations() lists the relations"}
	}
	return rows
}

// Facts lists the facts about an entity, or those of a relation.
//
//	g.Facts("Max Born")
func (g *Graph) Facts(name string) *Rows {
	entity, err := g.KG().FindEntity(name)
	relation := int32(-1)
	if err != nil {
		r, other := g.graph.FindRelation(name)
		if other != nil {
			var missing *kg.NotFoundError
			if errors.As(err, &missing) && len(missing.Nearest) == 0 {
				panic(&Error{Name: UnknownEntity, Message: missing.Error() + "; g.Find(\"...\") looks for names",
					Err: err})
			}
			check(err)
		}
		relation = r
	}
	rows := &Rows{columns: []string{"head", "relation", "tail", "split"}}
	for _, split := range kg.Splits() {
		for _, t := range g.graph.Split(split) {
			if relation >= 0 && t.Relation == relation || relation < 0 && (t.Head == entity || t.Tail == entity) {
				rows.values = append(rows.values, []interface{}{g.graph.Label(t.Head),
					g.graph.RelationLabel(t.Relation),
					g.graph.Label(t.Tail), split.String()})
			}
		}
	}
	rows.title = fmt.Sprintf("%s: %s in %s", name, quantity.CommaCount(len(rows.values), "fact"), g.graph.Name)
	return rows
}

// Relations lists the relations: how many facts each has, on how many heads and tails, its category (1-1, 1-n, n-1 or
// n-n), and one of its facts.
func (g *Graph) Relations() *Rows {
	all := g.KG().Index()
	categories := all.Categories()
	example := map[int32]kg.Triple{}
	for _, split := range kg.Splits() {
		for _, t := range g.graph.Split(split) {
			if _, ok := example[t.Relation]; !ok {
				example[t.Relation] = t
			}
		}
	}
	rows := &Rows{columns: []string{"relation", "category", "facts", "heads", "tails", "for example"},
		title: fmt.Sprintf("the %s of %s", quantity.CommaCount(g.graph.Relations.Len(), "relation"), g.graph.Name)}
	for r := range int32(g.graph.Relations.Len()) {
		t, name := example[r], g.graph.RelationLabel(r)
		rows.values = append(rows.values, []interface{}{name, categories[r].String(), int64(all.Triples(r)),
			int64(all.Heads(r)),
			int64(all.Tails(r)), g.graph.Label(t.Head) + " " + name + " " + g.graph.Label(t.Tail)})
	}
	return rows
}

// Schema lists what the training facts say about each relation: how many tails a head has and how many heads a tail,
// the share of facts that hold the other way round too, and what its heads and tails are: types, from a file types.tsv
// next to the graph or facts of rdf:type, else what they are of other relations. KG().Schema() has all counts.
func (g *Graph) Schema() *Rows {
	grid := results.SchemaGrid(g.KG().Schema())
	rows := &Rows{title: grid.Title}
	for _, c := range grid.Columns {
		rows.columns = append(rows.columns, cmp.Or(c.Heading, c.Key))
	}
	for _, cells := range grid.Rows {
		row := make([]interface{}, len(cells))
		for i, cell := range cells {
			row[i] = cell
		}
		rows.values = append(rows.values, row)
	}
	for _, note := range grid.Notes {
		rows.addNote(note.Text)
	}
	return rows
}

func (g *Graph) counts() string {
	return fmt.Sprintf("%s, %s, %s: %s train, %s valid, %s test",
		quantity.CommaCountOf(g.graph.Entities.Len(), "entity", "entities"),
		quantity.CommaCount(g.graph.Relations.Len(), "relation"),
		quantity.CommaCount(len(g.graph.Train)+len(g.graph.Valid)+len(g.graph.Test), "fact"),
		quantity.Commas(len(g.graph.Train)), quantity.Commas(len(g.graph.Valid)), quantity.Commas(len(g.graph.Test)))
}

func (g *Graph) remarks() []string {
	var list []string
	if g.graph.Division != "" {
		list = append(list, g.graph.Division)
	}
	for _, w := range g.graph.Warnings {
		if w.File != "" && g.graph.Source != "" {
			w.File = filepath.Base(w.File)
		}
		list = append(list, "warning: "+config.GraphWarning(w))
	}
	return list
}

// place returns where the graph is, relative to the current folder.
func (g *Graph) place() string {
	place := g.graph.Source
	if place == "" {
		return "embedded"
	}
	if here, err := filepath.Abs("."); err == nil {
		if near, err := filepath.Rel(here, place); err == nil && filepath.IsLocal(near) {
			return near
		}
	}
	return place
}

// HTML shows a summary of the graph in a notebook.
func (g *Graph) HTML() string {
	var m markup
	m.open("div", cardBox)
	m.element("div", "font-weight:600", "graph "+g.graph.Name)
	m.element("div", "", g.counts())
	m.element("div", "font-size:90%;"+faint, g.place())
	for _, remark := range g.remarks() {
		m.element("div", "font-size:90%", remark)
	}
	m.raw("</div>")
	return m.String()
}

// String returns the summary as text.
func (g *Graph) String() string {
	return strings.Join(append([]string{"graph " + g.graph.Name + ": " + g.counts()}, g.remarks()...), "\n")
}

// graphsHere returns the names of the bundled graph and of the data sets in the data folders.
func (s *Session) graphsHere() []string {
	names := []string{config.BundledName}
	for _, dir := range s.dataDirs() {
		list, err := dataset.Local(dir)
		if err != nil {
			continue // a folder that cannot be read has no data sets
		}
		for _, e := range list {
			if !e.Partial && !slices.Contains(names, e.Name) {
				names = append(names, e.Name)
			}
		}
	}
	return names
}
