package results

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// paperGraphs are the graphs of the paper's results.
var paperGraphs = []string{"fb15k-237", "wn18rr"}

// resultOptions are the options that a table of results uses.
var resultOptions = []string{"all", "full", "variant"}

// ResultTable is the table of a graph: every row, and the short selection for people.
type ResultTable struct {
	Graph       string
	Split       string // "test" or "valid"
	Variant     string // of the models in Short
	Rows, Short []Row
	choice
	digest     string // of the graph in the embedded results, on the paper's graphs; "" if unknown
	paper      *paperResults
	isFull     bool
	showsAll   bool     // Options.All
	isEmbedded bool     // the runs are the embedded ones
	notShown   []string // models whose embedded runs are not shown
}

// Found returns how many of the held-out heads and tails the sets of a run contain, as shares, at the cut by which the
// table shows it. Lookup's contain none.
func (t *ResultTable) Found(run string) (head, tail float64, cut string, ok bool) {
	for _, row := range t.Short {
		if row.Cut.Kind() != eval.KindLookup && slices.Contains(row.RunIDs, run) {
			h, hasHead := row.Numbers[HeadRR]
			l, hasTail := row.Numbers[TailRR]
			return h.Value, l.Value, row.CutName(), hasHead && hasTail
		}
	}
	return 0, 0, "", false
}

// NoRunsError is the error for a table that has nothing to show.
type NoRunsError struct{ Graph string }

func (e *NoRunsError) Error() string {
	return fmt.Sprintf("no finished run with a final evaluation on graph %s is logged in this tracker", e.Graph)
}

// Hints suggests a training.
func (e *NoRunsError) Hints() []hint.Hint { return []hint.Hint{{Action: hint.TrainConfig}} }

func buildResults(ctx context.Context, graph string, s Sources, o Options) (Layout, error) {
	return BuildResultTable(ctx, graph, s, o)
}

// BuildResultTable builds the table of any graph from the runs that are logged for it. Nothing is computed again. If
// none is logged, the embedded results are shown, with a note. On the paper's graphs the paper's numbers are next to
// ours, and a row that no run has logged is shown as missing.
func BuildResultTable(ctx context.Context, graph string, s Sources, o Options) (*ResultTable, error) {
	if o.Variant != "" && !slices.Contains(sphere.Variants(), o.Variant) {
		return nil, &sphere.SettingError{Key: "variant", Value: o.Variant, Allowed: sphere.Variants(),
			Message: "must be one of " + strings.Join(sphere.Variants(), ", ")}
	}
	paper, err := readPaper()
	if err != nil {
		return nil, err
	}
	onGraph := tracker.Filter{Status: tracker.Finished, Params: map[string]string{answer.ParamGraph: graph}}
	infos, err := s.Runs.Runs(ctx, onGraph)
	if err != nil {
		return nil, err
	}
	var files archivedRuns
	if o.Runs == nil {
		if files, err = s.embedded(); err != nil {
			return nil, err
		}
	}
	t := newResultTable(graph, ReadAll(infos), files.runs(), paper.ofGraph(graph), o)
	if len(t.groups) == 0 && t.paper == nil {
		return nil, &NoRunsError{Graph: graph}
	}
	var costs Reader = s.Runs
	if t.isEmbedded {
		costs = files
	}
	if err := readCosts(ctx, costs, t.groups); err != nil {
		return nil, err
	}
	t.collect()
	return t, nil
}

// newResultTable chooses the runs of the table of a graph. Both lists are newest first. Rows are added by collect.
func newResultTable(graph string, runs, embedded []Run, paper *paperResults, o Options) *ResultTable {
	t := &ResultTable{Graph: graph, Split: "test", isFull: o.Full, showsAll: o.All}
	if paper != nil {
		t.digest = graphDigest(embedded, graph)
	}
	t.choice = chooseRuns(runs, graph, t.digest, o)
	if len(t.groups) == 0 {
		t.choice = chooseRuns(embedded, graph, t.digest, o)
		t.isEmbedded = len(t.groups) > 0
	}
	if o.Runs == nil {
		t.paper = paper
	}
	if len(t.groups) > 0 || t.paper != nil {
		t.Variant = t.chooseVariant(o.Variant)
	}
	if !t.isEmbedded && (t.paper != nil || t.graphDigest() == graphDigest(embedded, graph)) {
		t.notShown = notShown(embedded, graph, t.Variant, t.groups)
	}
	return t
}

// graphDigest returns the digest of the graph of the table's runs.
func (t *ResultTable) graphDigest() string {
	if len(t.groups) == 0 {
		return t.digest
	}
	return t.groups[0][0].GraphDigest
}

// ReportTable returns the table of a report that was not logged, laid out like that of logged runs.
func ReportTable(r *answer.Run, report *eval.Report) *ResultTable {
	run := Read(r.Info)
	run.Entities, run.Relations = r.Graph.Entities.Len(), r.Graph.Relations.Len()
	run.Criterion, run.Cost = report.Primary, Cost{}
	run.Primary, run.Cuts = readCuts(report.LoggedMetrics(), report.Split, report.Primary)
	t := &ResultTable{Graph: r.Graph.Name, Split: report.Split, Variant: run.Variant, isFull: true}
	t.groups = [][]Run{{run}}
	t.collect()
	return t
}

// chooseVariant returns the variant that people see: numbers of different variants never share a column.
func (t *ResultTable) chooseVariant(wanted string) string {
	if wanted != "" {
		return wanted
	}
	if t.paper != nil && (len(t.groups) == 0 || t.hasVariant(t.paper.Variant)) {
		return t.paper.Variant
	}
	if t.isEmbedded && t.hasVariant(sphere.Clean) { // the order of embedded runs has no meaning
		return sphere.Clean
	}
	newest := t.groups[0][0]
	for _, group := range t.groups {
		if group[0].Stored.Start.After(newest.Stored.Start) {
			newest = group[0]
		}
	}
	return newest.Variant
}

// hasVariant reports whether a run of the table is of this variant.
func (t *ResultTable) hasVariant(variant string) bool {
	return slices.ContainsFunc(t.groups, func(g []Run) bool { return g[0].Variant == variant })
}

// section is the rows of one model and variant.
type section struct {
	model, variant string // the model by its title
	all, short     []Row
}

// isOf reports whether the section is that of a model, given by its name in configs.
func (s *section) isOf(model string) bool { return s.model == sphere.Title(model) }

// headline returns the row that people see of a model: one row, or none.
func (t *ResultTable) headline(rows []Row) []Row {
	if len(rows) == 0 {
		return nil
	}
	wanted := t.headlineCut(rows)
	i := max(0, slices.IndexFunc(rows, func(r Row) bool { return r.isClean(wanted) }))
	return rows[i : i+1 : i+1]
}

// headlineCut returns the first of novelCuts that every run of the variant has, otherwise the criterion of the run.
// Instead of the intersection of spheres, which retrieves almost nothing, it returns the margin. Next to the paper it
// returns the criterion if the paper has a row of it, otherwise the margin.
func (t *ResultTable) headlineCut(rows []Row) string {
	primary := margin.Name()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Primary })
	if i >= 0 {
		primary = rows[i].Cut.Name()
	}
	switch {
	case t.paper != nil && rows[0].Variant == t.paper.Variant:
		if i >= 0 && rows[i].Paper == nil {
			return margin.Name()
		}
		return primary
	case t.novelCut(rows[0].Variant) != "":
		return t.novelCut(rows[0].Variant)
	case primary == intersection.Name():
		return margin.Name()
	}
	return primary
}

// fittedNovel is the cut whose thresholds are fitted for the F1 of answers that are not known.
const fittedNovel = "fitted-novel"

// novelCuts are made for answers that are not known, the better one first. Queries are answered by them too.
var novelCuts = [...]string{"expected-novel", fittedNovel}

// RankingCuts are the cuts at which runs with different own cuts are compared, the preferred one first.
func RankingCuts() []string {
	return append(novelCuts[:], eval.Criterion(sphere.CriterionMargin).Name())
}

// novelCut returns the first of novelCuts that every run of a variant has logged, "" if there is none.
func (t *ResultTable) novelCut(variant string) string {
	for _, cut := range novelCuts {
		has := func(c Cut) bool { return c.Name() == cut }
		if !slices.ContainsFunc(t.groups, func(g []Run) bool {
			return g[0].Variant == variant && !slices.ContainsFunc(g[0].Cuts, has)
		}) {
			return cut
		}
	}
	return ""
}

// collect makes the rows: lookup on top, then the models in order.
func (t *ResultTable) collect() {
	var lookup *Row
	var sections []*section
	for _, group := range t.groups {
		rows, found := t.rowsOf(group)
		if lookup == nil {
			lookup = found
		}
		s := find(&sections, group[0].Title(), group[0].Variant)
		s.all = append(s.all, rows...)
		s.short = append(s.short, t.headline(rows)...)
	}
	if t.paper != nil {
		sections = t.addMissing(sections)
		if lookup == nil {
			lookup = lookupRow(knownAnswers)
		}
	}
	if lookup != nil {
		t.Rows, t.Short = append(t.Rows, *lookup), append(t.Short, *lookup)
	}
	for _, s := range sections {
		t.Rows = append(t.Rows, s.all...)
		if s.variant == t.Variant {
			t.Short = append(t.Short, s.short...)
		}
	}
	met := metUnder(t.Rows)
	for _, row := range t.Rows { // those of Short share the paper's cells with them
		if row.Paper != nil {
			row.Paper.MetUnder = met[row.Model]
		}
	}
}

// find finds the section of a model and variant, or adds it.
func find(sections *[]*section, model, variant string) *section {
	i := slices.IndexFunc(*sections, func(s *section) bool { return s.model == model && s.variant == variant })
	if i < 0 {
		i = len(*sections)
		*sections = append(*sections, &section{model: model, variant: variant})
	}
	return (*sections)[i]
}

// knownAnswers returns the cut of the lookup row.
var knownAnswers = mustParseCut("lookup")

func mustParseCut(name string) eval.Cut {
	c, ok := eval.ParseCut(name)
	if !ok {
		panic("results: no cut " + name)
	}
	return c
}

// expectedCuts are the cuts that every one of our models has on a graph of the paper.
func expectedCuts() []eval.Cut {
	cuts := []eval.Cut{margin, eval.TopMean{}}
	for _, name := range eval.FittedNames() {
		cuts = append(cuts, mustParseCut(name))
	}
	return cuts
}

// addMissing completes the rows of the paper's variant. It adds an empty row for each that is in the paper, or that
// every model should have, and that no run has logged. Models of other variants come after those next to the paper.
func (t *ResultTable) addMissing(sections []*section) []*section {
	var ordered []*section
	expect := func(model string, c eval.Cut) {
		s := find(&sections, model, t.paper.Variant)
		if !slices.Contains(ordered, s) {
			ordered = append(ordered, s)
		}
		if !slices.ContainsFunc(s.all, func(r Row) bool { return r.isClean(c.Name()) }) {
			s.all = append(s.all, Row{Model: model, Cut: c, Variant: t.paper.Variant, Protocol: protocolClean,
				Primary: c.Name() == margin.Name(), Paper: t.paper.cells(model, c)})
		}
	}
	for _, model := range sphere.Models() {
		if rowConfigs()[rowConfigKey{t.Graph, modelVariant{model, t.paper.Variant}}].name == "" {
			continue // we have no config for it on this graph
		}
		for _, c := range expectedCuts() {
			expect(sphere.Title(model), c)
		}
	}
	for _, row := range t.paper.Rows {
		expect(row.Model, row.cut)
	}
	for _, s := range ordered {
		slices.SortStableFunc(s.all, func(a, b Row) int { return eval.CompareCuts(a.Cut, b.Cut) })
		if len(s.short) == 0 && slices.ContainsFunc(sphere.Models(), s.isOf) {
			s.short = t.headline(s.all)
		}
	}
	for _, s := range sections {
		if !slices.Contains(ordered, s) {
			ordered = append(ordered, s)
		}
	}
	return ordered
}

// rowsOf returns the rows of runs that differ only in the seed, with the paper's numbers and remarks.
func (t *ResultTable) rowsOf(group []Run) (rows []Row, lookup *Row) {
	rows, lookup = groupRows(group)
	for i := range rows {
		row := &rows[i]
		if t.paper != nil && row.Variant == t.paper.Variant {
			row.Paper = t.paper.cells(row.Model, row.Cut)
		}
		row.Unlike = t.unlike(group[0])
		for _, run := range group {
			if slices.Contains(row.RunIDs, run.Stored.ID) {
				row.cost = row.cost.plus(run.Cost)
			}
		}
	}
	return rows, lookup
}
