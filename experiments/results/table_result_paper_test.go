package results

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// paperRun is a run on one of the paper's graphs; its metrics are base plus a part of their own.
func paperRun(id, model, variant, seed string, base float64, cuts ...string) tracker.RunInfo {
	m := map[string]float64{"system/evaluation_seconds": 10}
	for i, cut := range append([]string{"", "lookup/"}, cuts...) {
		for j, key := range []string{"head_f1", "tail_f1", "head_rr", "tail_rr", "nn_f1", "head_novel_f1",
			"tail_union_f1"} {
			m["test/"+cut+key] = base + float64(i)/100 + float64(j)/1000
		}
		m["test/"+cut+"head_f1_lo"], m["test/"+cut+"head_f1_hi"] = base-.01, base+.03
	}
	params := map[string]string{"graph": "fb15k-237", "graph_digest": "d", "config_hash": "h" + id}
	maps.Copy(params, paperConfig(model, variant).Flatten())
	params["seed"] = seed
	return tracker.RunInfo{ID: id + strings.Repeat("0", 32-len(id)), Name: "name-" + id, Status: "FINISHED", Metrics: m,
		Params: params,
		Tags:   map[string]string{"criterion": "margin", "entities": "14541", "relations": "237"}}
}

// paperConfig is the config of a row on FB15k-237, in whatever variant.
func paperConfig(model, variant string) *config.Config {
	c, err := config.Embedded("fb15k-237/" + model)
	if err != nil {
		panic(err)
	}
	c.Variant = variant
	return c
}

func noResults() ([]ArchiveFile, error) { return nil, nil }

func gridText(t *testing.T, g *Grid, format string) string {
	t.Helper()
	g.Word(func(hints []hint.Hint) string {
		var words []string
		for _, h := range hints {
			words = append(words, "["+strings.TrimSpace(string(h.Action)+" "+h.Subject)+"]")
		}
		return strings.Join(words, " ")
	})
	var b bytes.Buffer
	expect.NoError(t, g.Write(&b, format))
	return b.String()
}

// resultTable builds a table from these runs and these embedded results.
func resultTable(ctx context.Context, runs storedRuns, embedded func() ([]ArchiveFile, error), graph string,
	o Options) (*ResultTable, error) {
	return BuildResultTable(ctx, graph, Sources{Runs: runs, Embedded: embedded}, o)
}

// paperTable is the table of FB15k-237.
func paperTable(t *testing.T, runs storedRuns, embedded func() ([]ArchiveFile, error), o Options) *ResultTable {
	t.Helper()
	table, err := resultTable(context.Background(), runs, embedded, "fb15k-237", o)
	expect.NoError(t, err)
	return table
}

func tableText(t *testing.T, layout Layout, format string) string {
	t.Helper()
	return gridText(t, layout.Grid(format), format)
}

func findRow(t *testing.T, rows []Row, model, cut, variant string) Row {
	t.Helper()
	for _, row := range rows {
		if row.Model == model && row.CutName() == cut && row.Variant == variant {
			return row
		}
	}
	t.Fatalf("no row %s %s %s", model, cut, variant)
	return Row{}
}

func TestPaperTable(t *testing.T) {
	runs := storedRuns{
		paperRun("a1", "sphere-2d", "released", "1", .40, "top-1/", "fitted-f1/", "intersect/"),
		paperRun("a2", "sphere-2d", "released", "2", .44, "top-1/", "fitted-f1/", "intersect/"),
		paperRun("a3", "sphere-2d", "released", "2", .99, "top-1/"),  // an older run of the same seed
		paperRun("a4", "sphere-2d", "released", "42", .48, "top-1/"), // without fitted rows
		paperRun("a5", "sphere-2d", "released", "7", .99, "top-1/"),  // of another config
		paperRun("b1", "rotate", "released", "1", .30, "top-1/", "top-10/", "fitted-f1/"),
		paperRun("c1", "sphere-2d", "clean", "1", .90, "top-1/"),
	}
	runs[4].Params["gamma"] = "7"
	table := paperTable(t, runs, noResults, Options{})

	// Means and spreads over the three seeds, by hand.
	row := findRow(t, table.Rows, "SpherE-2D", "margin", "released")
	var ids []string
	for _, id := range row.RunIDs {
		ids = append(ids, id[:2])
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	if !slices.Equal(ids, []string{"a1", "a2", "a4"}) {
		t.Errorf("runs %v behind the row", ids)
	}
	near("mean", row.Numbers[HeadF1].Value, .44)
	near("spread", *row.Numbers[HeadF1].Spread, .04)
	near("low end", row.Numbers[HeadF1].Interval.Low, .43)
	near("paper", row.Paper.Values[HeadF1], .451)
	if row.Paper.Table != "tb: fb15k237 results" || row.Paper.Printed != "RotatE, Sphere" {
		t.Errorf("paper's row %+v", row.Paper)
	}
	if fitted := findRow(t, table.Rows, "SpherE-2D", "fitted-f1", "released"); len(fitted.RunIDs) != 2 {
		t.Errorf("the fitted row is of %d runs, want the 2 that logged it", len(fitted.RunIDs))
	}
	one := findRow(t, table.Rows, "RotatE", "margin", "released")
	if one.Numbers[HeadF1].Spread != nil || one.Paper != nil {
		t.Errorf("one seed: %+v", one)
	}
	if clean := findRow(t, table.Rows, "SpherE-2D", "margin", "clean"); clean.Paper != nil {
		t.Error("the paper's numbers stand next to variant clean")
	}

	// Every row of the paper and every row that a model of ours should have is there, and nothing is filled in.
	paper, err := readPaper()
	expect.NoError(t, err)
	for _, p := range paper.ofGraph("fb15k-237").Rows {
		row := findRow(t, table.Rows, p.Model, p.CutName, "released")
		if row.Paper == nil {
			t.Errorf("%s lacks the paper's numbers", p.Printed)
		}
		if ran := p.Model == "SpherE-2D" || p.Model == "RotatE" && (p.CutName == "top-1" ||
			p.CutName == "top-10"); row.Missing() == ran || row.Missing() && len(row.Numbers) > 0 {
			t.Errorf("%s: missing %v with %d metrics", p.Printed, row.Missing(), len(row.Numbers))
		}
	}
	for _, cut := range []string{"margin", "top-mean", "fitted-f1", "fitted-side-union"} {
		if !findRow(t, table.Rows, "SpherE-3D", cut, "released").Missing() {
			t.Errorf("SpherE-3D %s is not missing", cut)
		}
	}
	var cuts []string
	for _, row := range table.Rows {
		if row.Model == "RotatE" {
			cuts = append(cuts, row.CutName())
		}
	}
	if want := "top-1 top-3 top-5 top-10 top-20 top-100 top-mean margin fitted-f1 fitted-novel fitted-union fitted-side-f1 fitted-side-novel fitted-side-union"; strings.Join(cuts, " ") != want {
		t.Errorf("cuts %v, want %s", cuts, want)
	}

	checkPaperTexts(t, runs)
}

// checkPaperTexts: the whole table says what stands where, and another variant is shown when it is asked for.
func checkPaperTexts(t *testing.T, runs storedRuns) {
	t.Helper()
	table := paperTable(t, runs, noResults, Options{Full: true})
	text := tableText(t, table, "text")
	for _, want := range []string{"(14541 entities, 237 relations)", ".440 ±.020 σ.040", ".451 (-.011)", "HousE-20D",
		"missing: no run that is shown",
		"σ is the seeds' standard deviation", "variant clean; [show variant clean].",
		"seed 42), 3 epochs in 6.0 s, final evaluation 10 s",
		"runs: 4, together 64 s of training and final evaluation", // the clean run is not shown
		`its table "tb: fb15k237 results"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, ".900") || strings.Contains(text, "  clean  ") {
		t.Errorf("numbers of another variant are in the table:\n%s", text)
	}
	clean := paperTable(t, runs, noResults, Options{Variant: "clean", Full: true})
	if text := tableText(t, clean, "text"); !strings.Contains(text, ".900 ±.020") ||
		strings.Contains(text, "released  ") {
		t.Errorf("variant clean:\n%s", text)
	}
	if _, err := resultTable(context.Background(), runs, noResults, "fb15k-237",
		Options{Variant: "clear"}); err == nil ||
		!strings.Contains(err.Error(), "variant must be one of") {
		t.Errorf("unknown variant: %v", err)
	}
}

// TestShortRunsAreMarked: a run next to the paper's numbers that is not the run of the config says so.
// TestHeadlineBesideThePaper: the criterion of the run where the paper has a row of it, else the margin.
func TestHeadlineBesideThePaper(t *testing.T) {
	t.Parallel()
	own := func(id, model, criterion string) tracker.RunInfo {
		run := paperRun(id, model, "released", "1", .5, "margin/", "top-1/")
		run.Tags["criterion"] = criterion
		return run
	}
	table := paperTable(t, storedRuns{own("a1", "sphere-10d", "blocks"), own("b1", "sphere-2d", "sphere"),
		own("c1", "rotate", "margin")}, noResults, Options{})
	cuts := map[string]string{}
	for _, row := range table.Short {
		if !row.Missing() {
			cuts[row.Model] = row.CutName()
		}
	}
	want := map[string]string{"lookup": "known", "SpherE-10D": "blocks", "SpherE-2D": "margin", "RotatE": "margin"}
	if !maps.Equal(cuts, want) {
		t.Errorf("cuts %v, want %v", cuts, want)
	}
}

func TestShortRunsAreMarked(t *testing.T) {
	whole, short := paperRun("a1", "rotate", "released", "3", .3), paperRun("b1", "sphere-2d", "released", "3", .3)
	short.Params["train.epochs"], short.Params["dimension"] = "2", "20"
	table := paperTable(t, storedRuns{whole, short}, noResults, Options{})
	text := tableText(t, table, "text")
	if !strings.Contains(text, "(name-a1, seed 3), 3 epochs") || !strings.Contains(text,
		"(name-b1, seed 3), NOT AS THE CONFIG fb15k-237/sphere-2d: dimension 20, train.epochs 2, 3 epochs") {
		t.Errorf("notes:\n%s", text)
	}
}

// TestPaperNumbersAreNested: head_f1 in JSON and CSV is a number of ours or nothing.
func TestPaperNumbersAreNested(t *testing.T) {
	runs := storedRuns{paperRun("b1", "rotate", "released", "1", .30, "top-1/")}
	table := paperTable(t, runs, noResults, Options{})
	var rows []map[string]any
	expect.NoError(t, json.Unmarshal([]byte(tableText(t, table, "json")), &rows))
	seen := 0
	for _, row := range rows {
		paper, _ := row["paper"].(map[string]any)
		ids, ok := row["run_ids"].([]any)
		if !ok {
			t.Fatalf("run_ids of %v %v is %v", row["model"], row["cut"], row["run_ids"])
		}
		if len(ids) == 0 {
			for _, m := range cutMetrics() {
				if row[m.String()] != nil {
					t.Errorf("%v %v has no run and %s = %v", row["model"], row["cut"], m, row[m.String()])
				}
			}
		}
		if row["model"] == "RotatE" && row["cut"] == "top-1" {
			seen++
			difference, _ := paper["difference"].(map[string]any)
			if row["head_f1"] != .32 || paper["head_f1"] != .132 ||
				math.Abs(difference["head_f1"].(float64)-.188) > 1e-12 ||
				paper["table"] != "tb: fb15k237 results" {
				t.Errorf("row %v", row)
			}
		}
		if row["model"] == "SpherE-3D" && row["cut"] == "margin" {
			seen++
			if difference, _ := paper["difference"].(map[string]any); paper["nn_f1"] != .462 ||
				difference["nn_f1"] != nil {
				t.Errorf("row %v", row)
			}
		}
	}
	if seen != 2 || rows[0]["model"] != "lookup" {
		t.Errorf("%d of 2 rows found; the first is %v", seen, rows[0]["model"])
	}
	records, err := csv.NewReader(strings.NewReader(tableText(t, table, "csv"))).ReadAll()
	expect.NoError(t, err)
	column := func(name string) int { return slices.Index(records[0], name) }
	for _, record := range records[1:] {
		if record[column("run_id")] == "" && record[column("head_f1")] != "" || record[column("model")] == "HousE-5D" &&
			record[column("cut")] == "top-10" && record[column("paper_head_f1")] == "" {
			t.Errorf("record %v", record)
		}
	}
}

// TestBestIsAmongComparableRows: a fitted row never beats a fixed one, and a single row is not the best.
func TestBestIsAmongComparableRows(t *testing.T) {
	row := func(model, cut, variant string, f1 float64) Row {
		c, ok := eval.ParseCut(cut)
		if !ok {
			t.Fatalf("no cut %s", cut)
		}
		return Row{Model: model, Cut: c, Variant: variant, Protocol: "clean", RunIDs: []string{"x"},
			Numbers: Numbers{HeadF1: {Value: f1}}}
	}
	rows := []Row{row(lookupModel, "lookup", "", .99), row("RotatE", "margin", "released", .4), row("SpherE-2D",
		"margin", "released", .5),
		row("RotatE", "fitted-f1", "released", .8), row("SpherE-2D", "fitted-f1", "released", .7),
		row("RotatE", "top-10",
			"released", .9),
		row("RotatE", "margin", "clean", .3), row("SpherE-2D", "sphere", "clean", .2), row("SpherE-2D", "intersect",
			"released", .95),
		row("SpherE-3D", "margin", "released", .5)}
	if got, want := fmt.Sprint(bestCells(rows, resultColumns)), "[[2 0] [3 0] [6 0] [9 0]]"; got != want {
		t.Errorf("best cells %s, want %s", got, want)
	}
}

func TestTableOfEmbeddedResults(t *testing.T) {
	ctx := context.Background()
	archived := &Archive{Info: paperRun("b1", "rotate", "released", "1", .30, "top-1/")}
	for epoch := range 4 {
		archived.Points = append(archived.Points, tracker.MetricPoint{Key: "system/epoch_seconds",
			Point: tracker.Point{Step: int64(epoch + 1), Time: time.UnixMilli(1), Value: 900}})
	}
	results := func() ([]ArchiveFile, error) { return []ArchiveFile{{"r", archived}}, nil }
	umls := paperRun("u1", "rotate", "released", "1", .2)
	umls.Params = maps.Clone(umls.Params)
	umls.Params["graph"] = "umls"
	const said = "These are the embedded results"
	table := paperTable(t, storedRuns{umls}, results, Options{})
	if text := tableText(t, table, "text"); !strings.Contains(text, said) ||
		!strings.Contains(text, "margin     .300  .301") ||
		!strings.Contains(text, "4 epochs in 1h0m0s") {
		t.Errorf("table of the embedded results:\n%s", text)
	}
	own := paperRun("a1", "rotate", "released", "1", .25)
	table = paperTable(t, storedRuns{own}, results, Options{})
	if text := tableText(t, table, "text"); strings.Contains(text, said) || strings.Contains(text, ".300  .301") {
		t.Errorf("a tracker with a run of its own shows the embedded results:\n%s", text)
	}
	table, err := resultTable(ctx, storedRuns{}, noResults, "wn18rr", Options{})
	expect.NoError(t, err)
	text := tableText(t, table, "text")
	if strings.Contains(text, said) || !strings.Contains(text, "missing: no run that is shown") ||
		!strings.HasPrefix(text, "Set retrieval on the graph wn18rr, test triples, variant released\n") {
		t.Errorf("no results at all:\n%s", text)
	}
	for _, row := range table.Rows {
		if !row.Missing() {
			t.Errorf("row %s %s is there without any run", row.Model, row.CutName())
		}
	}
}
