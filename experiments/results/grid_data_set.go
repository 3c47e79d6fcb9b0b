package results

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/spherE/kg"
)

// DataSetGrid returns the data sets and the weights of models in the folders, and those that can be fetched.
func DataSetGrid(dirs []string) (*Grid, error) {
	g := &Grid{Columns: []Column{{Key: "name"}, {Key: "state"}, {Key: "megabytes", Heading: "MB", Right: true, LeaveOut: 1},
		{Key: "path", Heading: "where"}}}
	add := func(cells ...string) { g.Rows = append(g.Rows, cells) }
	add(config.BundledName, dataset.Here, "", "embedded")
	for _, p := range kg.Patterns() {
		add(p.GraphName(), dataset.Here, "", "generated: "+p.Rule)
	}
	here := map[string]bool{}
	for _, dir := range dirs {
		entries, err := dataset.Local(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			state := e.State()
			here[e.Name] = here[e.Name] || state == dataset.Here
			add(e.Name, state, fmt.Sprintf("%.1f", float64(e.Bytes)/1e6), e.Path)
		}
	}
	for _, set := range dataset.List() {
		if !here[set.Name] {
			add(set.Name, "can be fetched", "", set.Home)
		}
	}
	for _, set := range dataset.Checkpoints() {
		path, err := dataset.FindCheckpoint(set.Name, dirs...)
		size := fmt.Sprintf("%.1f", float64(set.Files[0].Bytes)/1e6)
		switch {
		case err == nil:
			add(set.Name, dataset.Here, size, path)
		case path != "":
			add(set.Name, "damaged", "", path)
		default:
			add(set.Name, "can be fetched", "", set.Home)
		}
	}
	return g, nil
}

// WriteCheck writes what the command data check finds, for people.
func WriteCheck(w io.Writer, r kg.CheckReport, p Page) error {
	labelled := ""
	if r.LabelledRelations > 0 {
		labelled = fmt.Sprintf(" (%d with a label)", r.LabelledRelations)
	}
	fmt.Fprintf(w, "%s (%s)\ndigest %s\n%d entities (%d with a label), %d relations%s\n\n", r.Graph, r.Place(),
		r.Digest, r.Entities, r.Labelled, r.Relations, labelled)
	if r.Division != "" {
		fmt.Fprintf(w, "%s\n\n", r.Division)
	}
	right := func(keys ...string) []Column {
		columns := []Column{{Key: keys[0]}}
		for _, key := range keys[1:] {
			columns = append(columns, Column{Key: key, Right: true})
		}
		return columns
	}
	row := func(name string, numbers ...int) []string {
		cells := []string{name}
		for _, n := range numbers {
			cells = append(cells, fmt.Sprint(n))
		}
		return cells
	}
	splits := &Grid{Columns: right("split", "triples", "entities", "relations", "loops", "unseen entities",
		"unseen relations", "duplicates")}
	for _, s := range r.Splits {
		splits.Rows = append(splits.Rows, row(s.Split, s.Triples, s.Entities, s.Relations, s.Loops, s.UnseenEntities,
			s.UnseenRelations, s.DuplicateRemoved))
	}
	categories := &Grid{Columns: right("category", "relations", "train", "valid", "test")}
	for _, c := range r.Categories {
		categories.Rows = append(categories.Rows, row(c.Category, c.Relations, c.Train, c.Valid, c.Test))
	}
	degrees := &Grid{Columns: right("distribution", "mean", "median", "90 %", "99 %", "largest")}
	add := func(name string, d kg.Distribution) {
		degrees.Rows = append(degrees.Rows, []string{name, fmt.Sprintf("%.1f", d.Mean), fmt.Sprintf("%g", d.Median),
			fmt.Sprint(d.P90), fmt.Sprint(d.P99), fmt.Sprint(d.Max)})
	}
	add("degree in training", r.Degree)
	add("  as head", r.OutDegree)
	add("  as tail", r.InDegree)
	for _, s := range r.PerSide {
		add("answers per "+s.Side+" query, by test triple", s.PerTriple)
	}
	leaks := &Grid{Columns: right("given away by training", "triples", "same", "symmetric", "inverse", "near duplicate",
		"twin", "any reversed", "any parallel")}
	for _, l := range r.Leaks {
		leaks.Rows = append(leaks.Rows, row(l.Split, l.Triples, l.InTrain, l.Symmetric, l.Inverse, l.NearDuplicate,
			l.Twins, l.Reversed, l.Parallel))
	}
	for _, g := range []*Grid{splits, categories, relationGrid(r.PerRelation), degrees, leaks} {
		if err := g.WriteText(w, p); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	names := func(title string, list []string) {
		for i, line := range list {
			if i == 0 {
				fmt.Fprintf(w, "%s (%d)\n", title, len(list))
			}
			if i == 20 {
				fmt.Fprintf(w, "  ... and %d more, which the JSON form lists\n", len(list)-i)
				break
			}
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	pairs := func(title string, list []kg.RelationPair) {
		lines := make([]string, len(list))
		for i, p := range list {
			lines[i] = fmt.Sprintf("%s - %s: %d shared, %.0f %% and %.0f %%", p.First, p.Second, p.Shared, 100*p.FirstShare,
				100*p.SecondShare)
		}
		names(title, lines)
	}
	pairs("relations that are nearly inverses of one another, or symmetric", r.Inverses)
	pairs("relations that say nearly the same", r.NearDuplicates)
	var alike []string
	for _, s := range r.Similar {
		alike = append(alike, s.Kind+" "+s.String())
	}
	names("names that look the same to a reader", alike)
	for _, h := range r.Homonyms {
		names(fmt.Sprintf("names on both sides of %s, which otherwise has different heads and tails", h.Relation), h.Entities)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "warning: %s\n", config.GraphWarning(warning))
	}
	if len(r.Warnings) == 0 {
		fmt.Fprintln(w, "no warnings")
	}
	return nil
}

// relationGrid returns a row per relation, those with the most facts first.
func relationGrid(list []kg.RelationReport) *Grid {
	g := &Grid{Columns: []Column{{Key: "relation"}, {Key: "facts", Right: true}, {Key: "heads", Right: true},
		{Key: "tails", Right: true}, {Key: "held out", Right: true}, {Key: "leak", Right: true},
		{Key: "loops", Right: true}}}
	percent := func(share float64, of int) string {
		if of == 0 {
			return ""
		}
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	sorted := slices.SortedStableFunc(slices.Values(list),
		func(a, b kg.RelationReport) int { return cmp.Compare(b.Facts(), a.Facts()) })
	for _, r := range sorted {
		g.Rows = append(g.Rows, []string{r.Relation, fmt.Sprint(r.Facts()), fmt.Sprint(r.Heads), fmt.Sprint(r.Tails),
			percent(r.HeldOut, r.Facts()), percent(r.Leak, r.Valid+r.Test), fmt.Sprint(r.Loops)})
	}
	return g
}
