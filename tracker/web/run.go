package web

import (
	"context"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/tracker"
)

// Reader explains stored runs. The program, which knows the models, implements it.
type Reader interface {
	// Results returns tables of a run's results, the most important one first.
	Results(run tracker.RunInfo) []Table
	// Wrote reports whether the program itself writes and reads a tag. People may not change it.
	Wrote(tag string) bool
	// Command returns what a user types to finish a run or to train it again, "" if that is not known.
	Command(run tracker.RunInfo) string
	// Stops reports whether the program of a running run saves its state and ends where somebody asks for that.
	Stops(run tracker.RunInfo) bool
	// State returns a word for the status of a run that has ended early, "" for the status itself.
	State(run tracker.RunInfo) string
	// Lineage returns where a run comes from.
	Lineage(run tracker.RunInfo) []Origin
	// Beside returns tables that compare several runs side by side.
	Beside(runs []tracker.RunInfo) []Table
	// Figures returns the titles of the pictures of a run, without drawing them.
	Figures(run tracker.RunInfo) []string
	// Figure draws a picture of a run.
	Figure(ctx context.Context, run tracker.RunInfo, title string) (chart.Chart, error)
}

// Origin is where a run comes from, or what comes from it.
type Origin struct {
	Text   string
	Run    string // id of a run to go to, "" for none
	Search string // filter of runs to go to, "" for none
}

// maxChildren is the max number of shown runs that belong to another run.
const maxChildren = 20

// lineage returns where a run comes from: what the Reader returns, the run that it belongs to, and the runs that belong
// to it.
func (s *site) lineage(ctx context.Context, run tracker.RunInfo) (list []Origin, err error) {
	if s.o.Reader != nil {
		list = s.o.Reader.Lineage(run)
	}
	if parent := run.Tags[tracker.TagParent]; parent != "" {
		list = append(list, Origin{Text: "part of run " + tracker.ShortID(parent), Run: parent})
	}
	children, err := s.store.Runs(ctx, tracker.Filter{Tags: map[string]string{tracker.TagParent: run.ID},
		Limit: maxChildren + 1})
	if err != nil {
		return nil, err
	}
	if len(children) > maxChildren {
		return append(list, Origin{Text: "the runs that are parts of this one",
			Search: "tags.`" + tracker.TagParent + "` = '" + run.ID + "'"}), nil
	}
	told, _ := distinguishNames(children)
	for _, child := range children {
		name := title(child)
		if text := told[child.ID]; text != "" {
			name += ": " + text
		}
		list = append(list, Origin{Text: "has the part " + name, Run: child.ID})
	}
	return list, nil
}

// Table is a table of texts.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]string
	Notes   []string
	File    *Table     // the same with every digit, for programs; nil: this one
	Facts   []Question // by row the fact that its first cell names; nil: it names none
	links   []string   // to their explanations
}

// Column is a column's heading.
type Column struct {
	Heading string
	Right   bool // numbers
}

// maxRelations is the max number of relations on a page. The CSV has all.
const maxRelations = 200

type keyValue struct{ Key, Value string }

type runPage struct {
	tracker.RunInfo
	Swatch      template.HTML
	Took, Note  string
	State       string
	Command     string
	CanAsk      bool
	CanExplore  bool
	Archived    bool
	CanStop     bool
	End         *lastWords // nil unless it failed or was stopped
	Asked       string     // when somebody asked it to stop, "" if nobody has
	Experiments []string
	Results     []Table
	Figures     []picture
	Curves      []picture
	Keys        []choice // metrics to draw
	Look        curveView
	Smooth      string
	From, To    string
	AllSteps    string // address of the view without a range of steps, "" if it has none
	Params      []keyValue
	Tags        []keyValue // that people may change
	Fixed       []keyValue // other tags
	Metrics     []keyValue
	Relations   Table
	Cuts        []choice
	Lineage     []Origin
	Files       []file
	NoFiles     string // why the artifacts cannot be listed
	query       url.Values
}

// Keep is what a form must send besides its own fields to stay in the view.
func (p runPage) Keep(names ...string) []keyValue { return kept(p.query, names) }

// usualCurves are drawn first, if a run has them.
var usualCurves = []string{"loss", "valid/head_f1", "valid/tail_f1", "valid/mrr"}

// maxUsualCurves is the max number of curves for a run of another program.
const maxUsualCurves = 6

func (s *site) run(w http.ResponseWriter, r *http.Request) error {
	ctx, query := r.Context(), r.URL.Query()
	run, err := s.store.FindRun(ctx, r.PathValue("run"))
	if err != nil {
		return err
	}
	look, err := readCurveView(query)
	if err != nil {
		return err
	}
	look.runs, look.places = []string{run.ID}, places([]string{run.ID})
	p := runPage{RunInfo: run, Swatch: template.HTML(chart.Swatch(look.places[0])), Took: duration(run),
		State: s.state(run), Note: run.Tags[noteTag], Look: look, Smooth: query.Get("smooth"), From: query.Get("from"), To: query.Get("to"),
		Params: pairs(run.Params), AllSteps: allSteps(r, query), query: query}
	for _, tag := range pairs(run.Tags) {
		switch {
		case s.isFree(tag.Key):
			p.Tags = append(p.Tags, tag)
		case tag.Key != noteTag:
			p.Fixed = append(p.Fixed, tag)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(run.Metrics)) {
		p.Metrics = append(p.Metrics, keyValue{key, number(run.Metrics[key])})
	}
	if s.o.Reader != nil {
		p.Command, p.Results = s.o.Reader.Command(run), s.o.Reader.Results(run)
		for _, title := range s.o.Reader.Figures(run) {
			p.Figures = append(p.Figures, newPicture(title, "/runs/"+run.ID+"/figure/"+url.PathEscape(title), nil))
		}
	}
	p.CanAsk = s.o.Answerer != nil && s.o.Answerer.CanAsk(run)
	p.CanExplore = p.CanAsk && s.o.Explorer != nil && s.o.Explorer.Explores(run)
	_, p.Archived = run.Tags[tracker.TagArchived]
	p.CanStop = s.canStop(run)
	if p.End, err = s.lastWords(ctx, run); err != nil {
		return err
	}
	if run.Status == string(tracker.Running) {
		p.Asked = run.Tags[tracker.TagStop]
	}
	if p.Experiments, err = s.store.Experiments(ctx); err != nil {
		return err
	}
	chosen := chosenCurves(run, query["curve"])
	for _, key := range chosen {
		p.Curves = append(p.Curves, look.picture(key, run))
	}
	for _, m := range p.Metrics {
		p.Keys = append(p.Keys, choice{Column: m.Key, Label: m.Key, Chosen: slices.Contains(chosen, m.Key)})
	}
	if p.Lineage, err = s.lineage(ctx, run); err != nil {
		return err
	}
	relations, err := s.store.Relations(ctx, run.ID)
	if err != nil {
		return err
	}
	p.Relations, p.Cuts = relationTable(relations, query.Get("cut"), run.Tags[tracker.TagCriterion])
	if p.Files, err = s.artifacts(ctx, run); err != nil {
		p.NoFiles = err.Error()
	}
	s.render(w, http.StatusOK, "run", p)
	return nil
}

// state returns a word for the status of a run.
func (s *site) state(run tracker.RunInfo) string {
	if s.o.Reader != nil {
		if state := s.o.Reader.State(run); state != "" {
			return state
		}
	}
	return strings.ToLower(run.Status)
}

func pairs(texts map[string]string) []keyValue {
	var list []keyValue
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		list = append(list, keyValue{key, texts[key]})
	}
	return list
}

// chosenCurves returns the metrics to draw: those in the address, otherwise the usual ones, otherwise the first that
// may have several points.
func chosenCurves(run tracker.RunInfo, named []string) []string {
	has := func(key string) bool { _, ok := run.Metrics[key]; return ok }
	if list := slices.DeleteFunc(slices.Clone(named), func(key string) bool { return !has(key) }); len(list) > 0 {
		return list
	}
	var list []string
	for _, key := range usualCurves {
		if has(key) {
			list = append(list, key)
		}
	}
	if list != nil {
		return list
	}
	for _, key := range slices.Sorted(maps.Keys(run.Metrics)) {
		if !strings.HasPrefix(key, "system/") && !strings.HasPrefix(key, "test/") && len(list) < maxUsualCurves {
			list = append(list, key)
		}
	}
	return list
}

// relationTable returns the results per relation at one cut: the requested one, otherwise the run's, otherwise the
// first. The relations with the most triples come first.
func relationTable(all []tracker.RelationResult, asked, usual string) (Table, []choice) {
	var cuts []string
	for _, r := range all {
		if !slices.Contains(cuts, r.Cut) {
			cuts = append(cuts, r.Cut)
		}
	}
	if len(cuts) == 0 {
		return Table{}, nil
	}
	cut := cuts[0]
	for _, name := range []string{usual, asked} {
		if slices.Contains(cuts, name) {
			cut = name
		}
	}
	var choices []choice
	for _, c := range cuts {
		choices = append(choices, choice{Column: c, Label: c, Chosen: c == cut})
	}
	t := Table{Title: "Results per relation at cut " + cut, Columns: relationColumns[1:]}
	list := slices.DeleteFunc(slices.Clone(all), func(r tracker.RelationResult) bool { return r.Cut != cut })
	slices.SortStableFunc(list, func(a, b tracker.RelationResult) int { return int(b.Triples - a.Triples) })
	if len(list) > maxRelations {
		t.Notes = []string{strconv.Itoa(len(list)-maxRelations) + " more rows are in the CSV."}
		list = list[:maxRelations]
	}
	for _, r := range list {
		t.Rows = append(t.Rows, relationRow(r, number)[1:])
	}
	return t, choices
}

var relationColumns = []Column{{"cut", false}, {"relation", false}, {"side", false}, {"category", false}, {"triples", true},
	{"queries", true}, {"f1", true}, {"precision", true}, {"recall", true}, {"rr", true}, {"size", true},
	{"query_f1", true}, {"union_f1", true}, {"novel_triples", true}, {"novel_f1", true}}

// relationRow returns a result as texts in the order of relationColumns.
func relationRow(r tracker.RelationResult, text func(float64) string) []string {
	novel := ""
	if r.NovelTriples > 0 {
		novel = text(r.NovelF1)
	}
	count := func(n int64) string { return strconv.FormatInt(n, 10) }
	return []string{r.Cut, r.Relation, r.Side, r.Category, count(r.Triples), count(r.Queries), text(r.F1),
		text(r.Precision), text(r.Recall), text(r.RR), text(r.Size), text(r.QueryF1), text(r.UnionF1),
		count(r.NovelTriples), novel}
}

// relationsCSV writes the results per relation at every cut.
func (s *site) relationsCSV(w http.ResponseWriter, r *http.Request) error {
	run, err := s.store.FindRun(r.Context(), r.PathValue("run"))
	if err != nil {
		return err
	}
	all, err := s.store.Relations(r.Context(), run.ID)
	if err != nil {
		return err
	}
	rows := [][]string{{"run_id"}}
	for _, c := range relationColumns {
		rows[0] = append(rows[0], c.Heading)
	}
	for _, result := range all {
		rows = append(rows, append([]string{run.ID}, relationRow(result, exact)...))
	}
	writeCSV(w, "relations.csv", rows)
	return nil
}

// runCSV writes what is logged with a run: params, newest values of metrics, tags.
func (s *site) runCSV(w http.ResponseWriter, r *http.Request) error {
	run, err := s.store.FindRun(r.Context(), r.PathValue("run"))
	if err != nil {
		return err
	}
	rows := [][]string{{"run_id", "kind", "key", "value"}}
	for _, p := range pairs(run.Params) {
		rows = append(rows, []string{run.ID, "param", p.Key, p.Value})
	}
	for _, key := range slices.Sorted(maps.Keys(run.Metrics)) {
		rows = append(rows, []string{run.ID, "metric", key, exact(run.Metrics[key])})
	}
	for _, p := range pairs(run.Tags) {
		rows = append(rows, []string{run.ID, "tag", p.Key, p.Value})
	}
	writeCSV(w, "run.csv", rows)
	return nil
}

// resultCSV writes one of the Reader's tables of a run.
func (s *site) resultCSV(w http.ResponseWriter, r *http.Request) error {
	run, err := s.store.FindRun(r.Context(), r.PathValue("run"))
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(r.PathValue("table"))
	if s.o.Reader == nil || err != nil {
		return notFoundError{"this run has no such table"}
	}
	tables := s.o.Reader.Results(run)
	if n < 1 || n > len(tables) {
		return notFoundError{"this run has no such table"}
	}
	writeTable(w, "results.csv", run.ID, tables[n-1])
	return nil
}

// figure draws a picture of a run that the Reader knows.
func (s *site) figure(w http.ResponseWriter, r *http.Request) error {
	run, err := s.store.FindRun(r.Context(), r.PathValue("run"))
	if err != nil {
		return err
	}
	file := r.PathValue("figure")
	dot := strings.LastIndexByte(file, '.')
	if s.o.Reader == nil || dot < 0 || !slices.Contains(s.o.Reader.Figures(run), file[:dot]) {
		return notFoundError{"this run has no such picture"}
	}
	var c chart.Chart
	if err := s.computing.do(r, func() (err error) {
		if c, err = s.o.Reader.Figure(r.Context(), run, file[:dot]); err != nil {
			err = modelError{err}
		}
		return err
	}); err != nil {
		return err
	}
	return sendChart(w, r, c, file[dot+1:], "figure")
}
