package results

import (
	"context"
	"slices"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/tracker"
)

// Table is a table that is built by its name.
type Table struct {
	Name    string
	Options []string // names of the fields of Options that it uses, in lower case
	NoRuns  bool     // the table is not built from logged runs
	build   func(ctx context.Context, name string, s Sources, o Options) (Layout, error)
}

// Tables are the tables with names of their own; GraphTable makes those of other graphs. A new one is a file
// table_NAME.go and a line here.
var Tables = []Table{
	{Name: config.BundledName, Options: resultOptions, build: buildResults},
	{Name: "fb15k-237", Options: resultOptions, build: buildResults},
	{Name: "wn18rr", Options: resultOptions, build: buildResults},
	{Name: "umls", Options: resultOptions, build: buildResults},
	{Name: "datasets", NoRuns: true, build: buildDatasets},
	{Name: "ablation", Options: []string{"variant"}, build: buildAblation},
	{Name: "patterns", build: buildPatterns},
	{Name: "dimension", build: buildDimensions},
	{Name: "radius", NoRuns: true, build: buildRadius},
}

// Sources are what tables are built from.
type Sources struct {
	Runs     Reader                        // nil for a table with NoRuns
	DataDirs []string                      // folders of data sets
	Embedded func() ([]ArchiveFile, error) // results in addition to those of Runs; nil: EmbeddedResults
}

func (s Sources) embedded() ([]ArchiveFile, error) {
	if s.Embedded == nil {
		return EmbeddedResults()
	}
	return s.Embedded()
}

// finished returns embedded files, those of usual unless others are set, and the finished runs.
func (s Sources) finished(
	ctx context.Context, usual func() ([]ArchiveFile, error),
) ([]ArchiveFile, []tracker.RunInfo, error) {
	if s.Embedded != nil {
		usual = s.Embedded
	}
	files, err := usual()
	if err != nil {
		return nil, nil, err
	}
	infos, err := s.Runs.Runs(ctx, tracker.Filter{Status: tracker.Finished})
	return files, infos, err
}

// TableNames returns the names of all tables.
func TableNames() []string {
	names := make([]string, len(Tables))
	for i, t := range Tables {
		names[i] = t.Name
	}
	return names
}

// GraphTable returns the table of results of any graph.
func GraphTable(graph string) Table {
	return Table{Name: graph, Options: resultOptions, build: buildResults}
}

// Graphs returns the graphs that have a finished run with a final evaluation, sorted.
func Graphs(ctx context.Context, r Reader) ([]string, error) {
	infos, err := r.Runs(ctx, tracker.Filter{Status: tracker.Finished})
	if err != nil {
		return nil, err
	}
	var graphs []string
	for _, run := range ReadAll(infos) {
		if run.Graph != "" && run.Evaluated() && !slices.Contains(graphs, run.Graph) {
			graphs = append(graphs, run.Graph)
		}
	}
	slices.Sort(graphs)
	return graphs, nil
}

// Options choose the runs behind a table.
type Options struct {
	All     bool     // every finished run in rows of its own, not only the newest per model and variant with its seeds
	Runs    []string // only runs with these ids; nil: any
	Full    bool     // every cut in every format; otherwise only CSV and JSON have them all
	Variant string   // variant for people; "": the paper's on its graphs, otherwise that of the newest run
}

// Layout is a table that can be laid out for a format.
type Layout interface{ Grid(format string) *Grid }

// Build builds the table.
func (t Table) Build(ctx context.Context, s Sources, o Options) (Layout, error) {
	return t.build(ctx, t.Name, s, o)
}

// FindTable finds a table by name.
func FindTable(name string) (Table, bool) {
	i := slices.IndexFunc(Tables, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return Table{}, false
	}
	return Tables[i], true
}
