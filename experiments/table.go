package experiments

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// TableNames are the tables of results, which are built from logged runs.
var TableNames = append([]string{BundledName}, paperGraphs...)

// paperGraphs are the graphs of the paper's results.
var paperGraphs = []string{"fb15k-237", "wn18rr"}

// RunReader is what tables need of a tracker.
type RunReader interface {
	Runs(ctx context.Context, f tracker.Filter) ([]tracker.RunInfo, error)
	History(ctx context.Context, runID, key string) ([]tracker.Point, error)
}

// TableOptions choose the runs behind a table.
type TableOptions struct {
	All     bool     // every finished run in rows of its own, not only the newest per model and variant with its seeds
	Runs    []string // only runs with these ids; nil: any
	Full    bool     // every cut in every format; otherwise only CSV and JSON have them all
	Variant string   // what formats for people show; "": the paper's on its graphs, else that of the newest run

	Notebook bool // notes and errors say what to write in a cell instead of flags of the command
}

// NoRunsError says that a table has nothing to show.
type NoRunsError struct{ Graph string }

func (e *NoRunsError) Error() string {
	return fmt.Sprintf("no finished run with a final evaluation on graph %s is logged in this tracker; `spherelab train` makes some", e.Graph)
}

// ResultTable builds the table of a graph from the runs that are logged for it. Nothing is computed anew. Where none is
// logged, the results inside the program are shown; the table says so. On the paper's graphs the paper's numbers stand
// beside ours, and what no run has logged is a missing row.
func ResultTable(ctx context.Context, r RunReader, graph string, o TableOptions) (*ResultGrid, error) {
	return resultTable(ctx, r, EmbeddedResults, graph, o)
}

func resultTable(ctx context.Context, r RunReader, read func() ([]ArchiveFile, error), graph string, o TableOptions) (*ResultGrid, error) {
	paper, err := ReadPaper()
	if err != nil {
		return nil, err
	}
	if o.Variant != "" && !slices.Contains(variantNames, o.Variant) {
		origin := Origin{Text: "flag --variant"}
		if o.Notebook {
			origin.Text = "lab.Table"
		}
		return nil, &ConfigError{Origin: origin, Message: fmt.Sprintf("must be one of %s, not %q", strings.Join(variantNames, ", "), o.Variant)}
	}
	results := paper.ofGraph(graph)
	var files []ArchiveFile
	if o.Runs == nil {
		if files, err = read(); err != nil {
			return nil, err
		}
	}
	t := &ResultGrid{Graph: graph, Split: "test", full: o.Full, all: o.All, notebook: o.Notebook}
	if results != nil {
		t.digest = digestInside(files, graph)
	}
	if t.choice, err = chooseRuns(ctx, r, graph, t.digest, o); err != nil {
		return nil, err
	}
	if len(t.groups) == 0 {
		r = archivedRuns(files)
		if t.choice, err = chooseRuns(ctx, r, graph, t.digest, o); err != nil {
			return nil, err
		}
		t.embedded = len(t.groups) > 0
	}
	if o.Runs == nil {
		t.paper = results
	}
	if len(t.groups) == 0 && t.paper == nil {
		return nil, &NoRunsError{Graph: graph}
	}
	t.Variant = t.chooseVariant(o.Variant)
	if t.paper != nil && !t.embedded {
		if t.inside, err = inside(ctx, files, graph, t.Variant, t.groups); err != nil {
			return nil, err
		}
	}
	if t.costs, err = readCosts(ctx, r, t.groups); err != nil {
		return nil, err
	}
	t.collect()
	return t, nil
}

// modelRank orders models as the paper does.
func modelRank(model string) int {
	if i := slices.Index(modelNames, model); i >= 0 {
		return i
	}
	return len(modelNames)
}

// ResultGrid is a table of results: every row, and the short choice for people.
type ResultGrid struct {
	Graph       string
	Split       string // "test" or "valid"
	Variant     string // of the models in Short
	Rows, Short []Row
	choice
	digest   string          // of the graph in the results inside the program, on the paper's graphs; "" if unknown
	costs    map[string]cost // by run id
	paper    *PaperResults
	full     bool
	all      bool     // TableOptions.All
	notebook bool     // TableOptions.Notebook
	embedded bool     // the runs come from the results inside the program
	inside   []string // models whose finished runs inside the program are not shown
}

// newResultGrid collects the rows of one run that was evaluated now.
func newResultGrid(graph, split string, run tracker.RunInfo) *ResultGrid {
	t := &ResultGrid{Graph: graph, Split: split, Variant: run.Params["variant"], choice: choice{groups: [][]tracker.RunInfo{{run}}}, full: true}
	t.collect()
	return t
}

// chooseVariant is the variant that people see: numbers of different variants never share a column.
func (t *ResultGrid) chooseVariant(asked string) string {
	if asked != "" {
		return asked
	}
	if t.paper != nil && (len(t.groups) == 0 || slices.ContainsFunc(t.groups, func(g []tracker.RunInfo) bool { return g[0].Params["variant"] == t.paper.Variant })) {
		return t.paper.Variant
	}
	newest := t.groups[0][0]
	for _, group := range t.groups {
		if group[0].Start.After(newest.Start) {
			newest = group[0]
		}
	}
	return newest.Params["variant"]
}

// collect makes the rows: lookup on top, then the models in order.
func (t *ResultGrid) collect() {
	var lookup *Row
	byModel := map[string][]Row{} // of one model and variant
	short := map[string][]Row{}
	var order []string
	for _, group := range t.groups {
		rows, found := t.rowsOf(group)
		if lookup == nil {
			lookup = found
		}
		key := ModelTitle(group[0].Params["model"]) + "\x00" + group[0].Params["variant"]
		if byModel[key] == nil {
			order = append(order, key)
		}
		byModel[key] = append(byModel[key], rows...)
		if t.paper == nil || group[0].Params["variant"] != t.paper.Variant {
			short[key] = append(short[key], essential(rows)...)
		}
	}
	if t.paper != nil {
		order = t.addMissing(byModel, short, order)
		if lookup == nil {
			lookup = &Row{Model: LookupModel, Cut: LookupCut, Protocol: ProtocolClean}
		}
	}
	if lookup != nil {
		t.Rows, t.Short = append(t.Rows, *lookup), append(t.Short, *lookup)
	}
	for _, key := range order {
		t.Rows = append(t.Rows, byModel[key]...)
		if strings.HasSuffix(key, "\x00"+t.Variant) {
			t.Short = append(t.Short, short[key]...)
		}
	}
}

// addMissing completes the rows of the paper's variant: a row that is in the paper, or that every model of ours should
// have, and that no run has logged is there without numbers. It returns the order of the models.
func (t *ResultGrid) addMissing(byModel, short map[string][]Row, order []string) []string {
	expected := map[string][]string{} // cuts by model
	var models []string
	for _, model := range modelNames {
		title := ModelTitle(model)
		models = append(models, title)
		expected[title] = slices.Concat([]string{string(sphere.CriterionMargin), eval.CutTopMean}, eval.FittedNames())
	}
	for _, row := range t.paper.Rows {
		if !slices.Contains(models, row.Model) {
			models = append(models, row.Model)
		}
		if !slices.Contains(expected[row.Model], row.Cut) {
			expected[row.Model] = append(expected[row.Model], row.Cut)
		}
	}
	var all []string
	for _, model := range models {
		key := model + "\x00" + t.paper.Variant
		rows := byModel[key]
		for _, cut := range expected[model] {
			if !slices.ContainsFunc(rows, func(r Row) bool { return r.Cut == cut }) {
				rows = append(rows, Row{Model: model, Cut: cut, Variant: t.paper.Variant, Protocol: ProtocolClean,
					Primary: cut == string(sphere.CriterionMargin), Paper: t.paper.cells(model, cut)})
			}
		}
		slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(cutRank(a.Cut), cutRank(b.Cut)) })
		byModel[key] = rows
		for _, row := range rows {
			if row.Paper != nil || row.Primary || slices.Contains(expected[model], row.Cut) {
				short[key] = append(short[key], row)
			}
		}
		all = append(all, key)
	}
	for _, key := range order { // models of other variants come after those beside the paper
		if !slices.Contains(all, key) {
			all = append(all, key)
		}
	}
	return all
}

// cutRank orders the cuts of one model as the paper does: fixed sizes, then thresholds.
func cutRank(cut string) int {
	if size, ok := topSize(cut); ok {
		return size
	}
	order := slices.Concat([]string{eval.CutTopMean, string(sphere.CriterionMargin), string(sphere.CriterionSphere), string(sphere.CriterionIntersect)}, eval.FittedNames())
	i := slices.Index(order, cut)
	if i < 0 {
		i = len(order)
	}
	return math.MaxInt32 + i
}

// rowsOf are the rows of runs that differ only in the seed, with all that stands beside them.
func (t *ResultGrid) rowsOf(group []tracker.RunInfo) (rows []Row, lookup *Row) {
	rows, lookup = groupRows(group)
	for i := range rows {
		row := &rows[i]
		if t.paper != nil && row.Variant == t.paper.Variant {
			row.Paper = t.paper.cells(row.Model, row.Cut)
		}
		row.Unlike = t.unlike(group[0])
		for _, id := range row.RunIDs {
			row.cost = row.cost.plus(t.costs[id])
		}
	}
	return rows, lookup
}

// groupRows are the rows of runs that differ only in the seed: the numbers of one run, or the means of several.
func groupRows(group []tracker.RunInfo) (rows []Row, lookup *Row) {
	rows, lookup = runRows(group[0])
	if len(group) == 1 {
		return rows, lookup
	}
	for i := range rows {
		all := []Row{rows[i]}
		for _, run := range group[1:] {
			others, _ := runRows(run)
			for _, other := range others {
				if other.Cut == rows[i].Cut {
					all = append(all, other)
				}
			}
		}
		rows[i] = meanRow(all)
	}
	return rows, lookup
}

// meanRow is the mean over seeds of every metric that all have logged; for F1 and RR with the standard deviation (of a
// sample), and as interval the mean of the intervals' ends.
func meanRow(all []Row) Row {
	mean := all[0]
	mean.RunIDs, mean.Metrics = nil, map[string]float64{}
	for _, row := range all {
		mean.RunIDs = append(mean.RunIDs, row.RunIDs...)
	}
	for key := range all[0].Metrics {
		sum, n := 0.0, 0
		for _, row := range all {
			if value, ok := row.Metrics[key]; ok {
				sum += value
				n++
			}
		}
		if n < len(all) {
			continue
		}
		mean.Metrics[key] = sum / float64(n)
		if n > 1 && slices.Contains(intervalMetrics, key) {
			squares := 0.0
			for _, row := range all {
				d := row.Metrics[key] - mean.Metrics[key]
				squares += d * d
			}
			mean.Metrics[key+"_sd"] = math.Sqrt(squares / float64(n-1))
		}
	}
	return mean
}
