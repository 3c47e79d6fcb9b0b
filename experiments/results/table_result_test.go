package results

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// storedRuns is a tracker that holds these runs.
type storedRuns []tracker.RunInfo

func (s storedRuns) Runs(context.Context, tracker.Filter) ([]tracker.RunInfo, error) { return s, nil }

// History adds three epochs of two seconds to every run, and of as many CPU seconds as its metrics say, if they do.
// Run "half" lacks the CPU seconds of an epoch.
func (s storedRuns) History(_ context.Context, id, key string) ([]tracker.Point, error) {
	value := 2.
	switch i := slices.IndexFunc(s, func(r tracker.RunInfo) bool { return r.ID == id }); {
	case key == "system/epoch_seconds":
	case key == "system/cpu_seconds" && i >= 0 && s[i].Metrics[key] > 0:
		value = s[i].Metrics[key]
	default:
		return nil, nil
	}
	points := []tracker.Point{{Step: 1, Value: value}, {Step: 2, Value: value}, {Step: 3, Value: value}}
	if key == "system/cpu_seconds" && strings.HasPrefix(id, "half") {
		points = points[1:]
	}
	return points, nil
}

// storedRun makes a finished run whose metrics are derived from base, so that each can be told from the others.
func storedRun(id, model, criterion string, base float64) tracker.RunInfo {
	m := map[string]float64{"loss": 1, "valid/head_f1": .9}
	for i, cut := range []string{"", "top-1/", "top-10/", "margin/", "lookup/", "lookup-train/", "category/n-n/"} {
		if cut == "margin/" && criterion == "margin" {
			continue
		}
		for j, key := range []string{"head_f1", "tail_f1", "head_rr", "tail_rr", "nn_f1", "head_novel_f1"} {
			m["test/"+cut+key] = base + float64(i)/100 + float64(j)/1000
		}
		m["test/"+cut+"head_f1_lo"], m["test/"+cut+"head_f1_hi"] = base-.01, base+.03
		m["test/"+cut+"nn_f1_lo"], m["test/"+cut+"nn_f1_hi"] = base, base+.014
	}
	return tracker.RunInfo{ID: id, Name: "name-" + id, Status: "FINISHED", Metrics: m,
		Params: map[string]string{"model": model, "variant": "clean", "graph": "bundled", "graph_digest": "d"},
		Tags:   map[string]string{"criterion": criterion, "entities": "10", "relations": "2"}}
}

func TestResultTableTakesTheNewestFinishedRuns(t *testing.T) {
	newest, older := storedRun("aa", "sphere-2d", "sphere", .5), storedRun("bb", "sphere-2d", "sphere", .4)
	rotate := storedRun("cc", "rotate", "margin", .3)
	failed, elsewhere, unevaluated, changed := storedRun("dd", "rotate", "margin", .2), storedRun("ee", "rotate",
		"margin", .2),
		storedRun("ff", "rotate", "margin", .2), storedRun("gg", "rotate", "margin", .2)
	failed.Status, elsewhere.Params["graph"], unevaluated.Metrics, changed.Params["graph_digest"] = "FAILED", "umls",
		nil, "other"
	runs := storedRuns{failed, elsewhere, unevaluated, newest, changed, older, rotate}
	table, err := BuildResultTable(context.Background(), "bundled", Sources{Runs: runs}, Options{})
	expect.NoError(t, err)
	var got []string
	for _, row := range table.Rows {
		got = append(got, fmt.Sprintf("%s %s %s", row.Model, row.CutName(), row.RunIDs[0]))
	}
	want := []string{"lookup known cc", "RotatE margin cc", "RotatE top-1 cc", "RotatE top-10 cc",
		"SpherE-2D sphere aa",
		"SpherE-2D margin aa", "SpherE-2D top-1 aa", "SpherE-2D top-10 aa"}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	got = nil
	for _, row := range table.Short {
		got = append(got, row.Model+" "+row.CutName())
	}
	if want := []string{"lookup known", "RotatE margin", "SpherE-2D sphere"}; !slices.Equal(got, want) {
		t.Errorf("short rows %v, want %v", got, want)
	}
	all, err := BuildResultTable(context.Background(), "bundled", Sources{Runs: runs}, Options{All: true})
	if err != nil || len(all.Rows) != len(table.Rows)+4 {
		t.Errorf("--all has %d rows, %v", len(all.Rows), err)
	}
	var none *NoRunsError
	if _, err := BuildResultTable(context.Background(), "bundled", Sources{Runs: storedRuns{failed},
		Embedded: noResults}, Options{}); !errors.As(err, &none) {
		t.Errorf("no runs: %v", err)
	}
}

// A run of another program does not log how large the graph is.
func TestResultTableTitle(t *testing.T) {
	t.Parallel()
	ours, foreign := storedRun("aa", "sphere-2d", "sphere", .5), storedRun("cc", "rotate", "margin", .3)
	foreign.Tags = map[string]string{"criterion": "margin"}
	for want, runs := range map[string]storedRuns{
		"Set retrieval on the graph bundled (10 entities, 2 relations), test triples, variant clean": {ours, foreign},
		"Set retrieval on the graph bundled, test triples, variant clean":                            {foreign},
	} {
		table, err := BuildResultTable(context.Background(), "bundled", Sources{Runs: runs}, Options{})
		if err != nil || table.Grid("text").Title != want {
			t.Errorf("title %q, %v; want %q", table.Grid("text").Title, err, want)
		}
	}
}

// Every variant of ours that formats for people leave out has a hint of its own.
func TestResultTableHintsAtOtherVariants(t *testing.T) {
	t.Parallel()
	runs := storedRuns{storedRun("aa", "rotate", "margin", .5), storedRun("bb", "rotate", "margin", .4),
		storedRun("cc", "rotate", "margin", .3), storedRun("dd", "rotate", "margin", .2)}
	runs[1].Params["variant"], runs[2].Params["variant"] = "paper", "released"
	runs[3].Params["variant"] = "of another program"
	table, err := BuildResultTable(context.Background(), "bundled", Sources{Runs: runs}, Options{Variant: "clean"})
	expect.NoError(t, err)
	var shown []string
	for _, note := range table.Grid("text").Notes {
		for _, h := range note.List {
			if h.Action == hint.ShowVariant {
				shown = append(shown, h.Subject)
			}
		}
	}
	if want := []string{"paper", "released"}; !slices.Equal(shown, want) {
		t.Errorf("hints at variants %v, want %v", shown, want)
	}
}

func TestResultTableFormats(t *testing.T) {
	table, err := BuildResultTable(context.Background(), "bundled",
		Sources{Runs: storedRuns{storedRun("aa", "sphere-2d",
			"sphere", .5), storedRun("cc", "rotate", "margin", .3)}}, Options{})
	expect.NoError(t, err)
	written := func(format string) string { return gridText(t, table.Grid(format), format) }
	var rows []map[string]any
	expect.NoError(t, json.Unmarshal([]byte(written("json")), &rows))
	row := rows[4]
	for key, want := range map[string]any{"model": "SpherE-2D", "cut": "sphere", "variant": "clean",
		"protocol": "clean",
		"head_f1":  .5, "tail_f1": .501,
		"head_rr": .502, "tail_rr": .503, "nn_f1": .504, "head_f1_lo": .49, "head_f1_hi": .53, "tail_novel_f1": nil} {
		if got, ok := row[key]; !ok || got != want {
			t.Errorf("json: %s is %v, want %v", key, got, want)
		}
	}
	if ids, ok := row["run_ids"].([]any); !ok || len(ids) != 1 || ids[0] != "aa" {
		t.Errorf("json: run_ids is %v", row["run_ids"])
	}
	if _, ok := row["paper"]; ok {
		t.Error("json: a graph that is not in the paper has its numbers")
	}
	records, err := csv.NewReader(strings.NewReader(written("csv"))).ReadAll()
	if err != nil || len(records) != len(table.Rows)+1 || records[0][0] != "run_id" || records[5][0] != "aa" ||
		records[5][5] != "0.5" {
		t.Errorf("csv: %v, %v", records, err)
	}
	for format, wants := range map[string][]string{
		"text":     {"SpherE-2D  sphere  .500  .501", "lookup     known", "the cut margin or sphere"},
		"markdown": {"| SpherE-2D | sphere |", "**.5"},
		"latex": {`\begin{tabular}{lllrrrrrrrrrrr}`, `SpherE-2D & sphere & clean &`, `$\pm$.020`, `\textbf{.5`,
			`\bottomrule`},
		"html": {"<table", "SpherE-2D", "</table>", "<strong>.5", "bold: the best model"},
	} {
		got := written(format)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", format, want, got)
			}
		}
	}
}

// TestResultTableOfAllModels holds the paper's order of models, and one row of each.
func TestResultTableOfAllModels(t *testing.T) {
	runs := storedRuns{storedRun("aa", "sphere-3d", "sphere", .5), storedRun("bb", "sphere-2d", "sphere", .4),
		storedRun("cc", "rotate3d", "margin", .3), storedRun("dd", "rotate", "margin", .2)}
	table, err := BuildResultTable(context.Background(), "bundled", Sources{Runs: runs}, Options{})
	expect.NoError(t, err)
	var got []string
	for _, row := range table.Short {
		got = append(got, row.Model+" "+row.CutName())
	}
	want := []string{"lookup known", "RotatE margin", "Rotate3D margin", "SpherE-2D sphere", "SpherE-3D sphere"}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

func TestGridEscapes(t *testing.T) {
	g := &Grid{Columns: []Column{{Key: "a_b"}, {Key: "c"}}, Rows: [][]string{{"50 % & <x>", `"q", r`}, {"*1* `a|b`",
		"x (-.5) -7 top-1"}}, Bold: [][2]int{{0, 0}}}
	for format, wants := range map[string][]string{
		"latex": {`\textbf{50 \% \& \textless{}x\textgreater{}}`, `''q'', r`, `a\textbar{}b`,
			`x ($-$.5) $-$7 top-1`},
		"html":     {"<strong>50 % &amp; &lt;x&gt;</strong>"},
		"markdown": {`**50 % & \<x>**`, "\\*1\\* \\`a\\|b\\`"},
		"csv":      {`"""q"", r"`}, "json": {`"c": "\"q\", r"`},
	} {
		text := gridText(t, g, format)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", format, want, text)
			}
		}
	}
}
