package experiments

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

	"github.com/spherelab/spherelab/tracker"
)

// paperRun is a run on one of the paper's graphs; its metrics are base plus a part of their own.
func paperRun(id, model, variant, seed string, base float64, cuts ...string) tracker.RunInfo {
	m := map[string]float64{"system/evaluation_seconds": 10}
	for i, cut := range append([]string{"", "lookup/"}, cuts...) {
		for j, key := range []string{"head_f1", "tail_f1", "head_rr", "tail_rr", "nn_f1", "head_novel_f1", "tail_union_f1"} {
			m["test/"+cut+key] = base + float64(i)/100 + float64(j)/1000
		}
		m["test/"+cut+"head_f1_lo"], m["test/"+cut+"head_f1_hi"] = base-.01, base+.03
	}
	return tracker.RunInfo{ID: id + strings.Repeat("0", 32-len(id)), Name: "name-" + id, Status: "FINISHED", Metrics: m,
		Params: map[string]string{"model": model, "variant": variant, "graph": "fb15k-237", "graph_digest": "d", "seed": seed, "config_hash": "h" + id, "gamma": "6"},
		Tags:   map[string]string{"criterion": "margin", "entities": "14541", "relations": "237"}}
}

func noResults() ([]ArchiveFile, error) { return nil, nil }

func gridText(t *testing.T, g *Grid, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := g.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func findRow(t *testing.T, rows []Row, model, cut, variant string) Row {
	t.Helper()
	for _, row := range rows {
		if row.Model == model && row.Cut == cut && row.Variant == variant {
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
	table, err := resultTable(context.Background(), runs, noResults, "fb15k-237", TableOptions{})
	if err != nil {
		t.Fatal(err)
	}

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
	near("mean", row.Metrics["head_f1"], .44)
	near("spread", row.Metrics["head_f1_sd"], .04)
	near("low end", row.Metrics["head_f1_lo"], .43)
	near("paper", row.Paper.Values["head_f1"], .451)
	if row.Paper.Table != "tb: fb15k237 results" || row.Paper.Printed != "RotatE, Sphere" {
		t.Errorf("paper's row %+v", row.Paper)
	}
	if fitted := findRow(t, table.Rows, "SpherE-2D", "fitted-f1", "released"); len(fitted.RunIDs) != 2 {
		t.Errorf("the fitted row is of %d runs, want the 2 that logged it", len(fitted.RunIDs))
	}
	one := findRow(t, table.Rows, "RotatE", "margin", "released")
	if _, ok := one.Metrics["head_f1_sd"]; ok || one.Paper != nil {
		t.Errorf("one seed: %+v", one)
	}
	if clean := findRow(t, table.Rows, "SpherE-2D", "margin", "clean"); clean.Paper != nil {
		t.Error("the paper's numbers stand beside variant clean")
	}

	// Every row of the paper and every row that a model of ours should have is there, and nothing is filled in.
	paper, err := ReadPaper()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paper.ofGraph("fb15k-237").Rows {
		row := findRow(t, table.Short, p.Model, p.Cut, "released")
		if row.Paper == nil {
			t.Errorf("%s lacks the paper's numbers", p.Printed)
		}
		if ran := p.Model == "SpherE-2D" || p.Model == "RotatE" && (p.Cut == "top-1" || p.Cut == "top-10"); row.Missing() == ran || row.Missing() && len(row.Metrics) > 0 {
			t.Errorf("%s: missing %v with %d metrics", p.Printed, row.Missing(), len(row.Metrics))
		}
	}
	for _, cut := range []string{"margin", "top-mean", "fitted-f1", "fitted-side-union"} {
		if !findRow(t, table.Short, "SpherE-3D", cut, "released").Missing() {
			t.Errorf("SpherE-3D %s is not missing", cut)
		}
	}
	var cuts []string
	for _, row := range table.Short {
		if row.Model == "RotatE" {
			cuts = append(cuts, row.Cut)
		}
	}
	if want := "top-1 top-3 top-5 top-10 top-20 top-100 top-mean margin fitted-f1 fitted-novel fitted-union fitted-side-f1 fitted-side-novel fitted-side-union"; strings.Join(cuts, " ") != want {
		t.Errorf("cuts %v, want %s", cuts, want)
	}

	text := gridText(t, table.Grid("text"), "text")
	for _, want := range []string{"(14541 entities, 237 relations)", ".440 ±.020 σ.040", ".451 (-.011)", "HousE-20D", "missing: no run that is shown",
		"σ is the seeds' standard deviation", "variant clean; --variant shows one", "seed 42), 3 epochs in 6.0 s, final evaluation 10 s",
		"runs: 4, together 64 s of training and final evaluation", // the clean run is not shown
		`its table "tb: fb15k237 results"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, ".900") || strings.Contains(text, "  clean  ") {
		t.Errorf("numbers of another variant are in the table:\n%s", text)
	}
	clean, err := resultTable(context.Background(), runs, noResults, "fb15k-237", TableOptions{Variant: "clean"})
	if err != nil {
		t.Fatal(err)
	}
	if text := gridText(t, clean.Grid("text"), "text"); !strings.Contains(text, ".900 ±.020") || strings.Contains(text, "released  ") {
		t.Errorf("variant clean:\n%s", text)
	}
	if _, err := resultTable(context.Background(), runs, noResults, "fb15k-237", TableOptions{Variant: "clear"}); err == nil || !strings.Contains(err.Error(), "--variant") {
		t.Errorf("unknown variant: %v", err)
	}
}

// TestShortRunsAreTold: a run beside the paper's numbers that is not the run of the config says so.
func TestShortRunsAreTold(t *testing.T) {
	whole, short := paperRun("a1", "rotate", "released", "3", .3), paperRun("b1", "sphere-2d", "released", "3", .3)
	for _, run := range []tracker.RunInfo{whole, short} {
		c, err := LoadConfig(Layers{Config: "fb15k-237/" + run.Params["model"], Set: []string{"seed=3", "eval.bootstrap=0", "threads=1"}})
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(run.Params, c.Flatten())
	}
	short.Params["train.epochs"], short.Params["dimension"] = "2", "20"
	table, err := resultTable(context.Background(), storedRuns{whole, short}, noResults, "fb15k-237", TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text := gridText(t, table.Grid("text"), "text")
	if !strings.Contains(text, "(name-a1, seed 3), 3 epochs") || !strings.Contains(text, "(name-b1, seed 3), NOT AS THE CONFIG fb15k-237/sphere-2d: dimension 20, train.epochs 2, 3 epochs") {
		t.Errorf("notes:\n%s", text)
	}
}

// TestPaperNumbersAreNested: whoever reads head_f1 of JSON or CSV gets a number of ours or nothing.
func TestPaperNumbersAreNested(t *testing.T) {
	runs := storedRuns{paperRun("b1", "rotate", "released", "1", .30, "top-1/")}
	table, err := resultTable(context.Background(), runs, noResults, "fb15k-237", TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	if err := json.Unmarshal([]byte(gridText(t, table.Grid("json"), "json")), &rows); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, row := range rows {
		paper, _ := row["paper"].(map[string]any)
		ids, ok := row["run_ids"].([]any)
		if !ok {
			t.Fatalf("run_ids of %v %v is %v", row["model"], row["cut"], row["run_ids"])
		}
		if len(ids) == 0 {
			for _, key := range rowMetrics {
				if row[key] != nil {
					t.Errorf("%v %v has no run and %s = %v", row["model"], row["cut"], key, row[key])
				}
			}
		}
		if row["model"] == "RotatE" && row["cut"] == "top-1" {
			seen++
			difference, _ := paper["difference"].(map[string]any)
			if row["head_f1"] != .32 || paper["head_f1"] != .132 || math.Abs(difference["head_f1"].(float64)-.188) > 1e-12 || paper["table"] != "tb: fb15k237 results" {
				t.Errorf("row %v", row)
			}
		}
		if row["model"] == "SpherE-3D" && row["cut"] == "margin" {
			seen++
			if difference, _ := paper["difference"].(map[string]any); paper["nn_f1"] != .462 || difference["nn_f1"] != nil {
				t.Errorf("row %v", row)
			}
		}
	}
	if seen != 2 || rows[0]["model"] != "lookup" {
		t.Errorf("%d of 2 rows found; the first is %v", seen, rows[0]["model"])
	}
	records, err := csv.NewReader(strings.NewReader(gridText(t, table.Grid("csv"), "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(records[0], name) }
	for _, record := range records[1:] {
		if record[column("run_id")] == "" && record[column("head_f1")] != "" || record[column("model")] == "HousE-5D" && record[column("paper_head_f1")] == "" {
			t.Errorf("record %v", record)
		}
	}
}

// TestBestIsAmongComparableRows: a fitted row never beats a fixed one, a single row has beaten nobody.
func TestBestIsAmongComparableRows(t *testing.T) {
	row := func(model, cut, variant string, f1 float64) Row {
		return Row{Model: model, Cut: cut, Variant: variant, Protocol: "clean", RunIDs: []string{"x"}, Metrics: map[string]float64{"head_f1": f1}}
	}
	rows := []Row{row(LookupModel, LookupCut, "", .99), row("RotatE", "margin", "released", .4), row("SpherE-2D", "margin", "released", .5),
		row("RotatE", "fitted-f1", "released", .8), row("SpherE-2D", "fitted-f1", "released", .7), row("RotatE", "top-10", "released", .9),
		row("RotatE", "margin", "clean", .3), row("SpherE-2D", "sphere", "clean", .2), row("SpherE-2D", "intersect", "released", .95),
		row("SpherE-3D", "margin", "released", .5)}
	if got, want := fmt.Sprint(bestCells(rows)), "[[2 0] [3 0] [6 0] [9 0]]"; got != want {
		t.Errorf("best cells %s, want %s", got, want)
	}
}

func TestTableOfEmbeddedResults(t *testing.T) {
	ctx := context.Background()
	archived := &Archive{Info: paperRun("b1", "rotate", "released", "1", .30, "top-1/")}
	for epoch := range 4 {
		archived.Points = append(archived.Points, tracker.MetricPoint{Key: "system/epoch_seconds", Point: tracker.Point{Step: int64(epoch + 1), Time: time.UnixMilli(1), Value: 900}})
	}
	results := func() ([]ArchiveFile, error) { return []ArchiveFile{{"r", archived}}, nil }
	umls := paperRun("u1", "rotate", "released", "1", .2)
	umls.Params = maps.Clone(umls.Params)
	umls.Params["graph"] = "umls"
	const said = "These are the results inside the program"
	table, err := resultTable(ctx, storedRuns{umls}, results, "fb15k-237", TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if text := gridText(t, table.Grid("text"), "text"); !strings.Contains(text, said) || !strings.Contains(text, ".300 ±") || !strings.Contains(text, "4 epochs in 1h0m0s") {
		t.Errorf("table of the results inside the program:\n%s", text)
	}
	own := paperRun("a1", "rotate", "released", "1", .25)
	table, err = resultTable(ctx, storedRuns{own}, results, "fb15k-237", TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if text := gridText(t, table.Grid("text"), "text"); strings.Contains(text, said) || strings.Contains(text, ".300 ±") {
		t.Errorf("a tracker with a run of its own shows the results inside the program:\n%s", text)
	}
	table, err = resultTable(ctx, storedRuns{}, noResults, "wn18rr", TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text := gridText(t, table.Grid("text"), "text")
	if strings.Contains(text, said) || !strings.Contains(text, "missing: no run that is shown") || !strings.HasPrefix(text, "Set retrieval on the graph wn18rr, test triples\n") {
		t.Errorf("no results at all:\n%s", text)
	}
	for _, row := range table.Rows {
		if !row.Missing() {
			t.Errorf("row %s %s is there without any run", row.Model, row.Cut)
		}
	}
}
