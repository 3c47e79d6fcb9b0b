package results

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

func ablationOf(runs storedRuns, o Options) (ablationTable, error) {
	layout, err := buildAblation(context.Background(), "ablation", Sources{Runs: runs, Embedded: noResults}, o)
	if err != nil {
		return nil, err
	}
	return layout.(ablationTable), nil
}

func digits(x *float64) string {
	if x == nil {
		return "none"
	}
	return strconv.FormatFloat(*x, 'f', 3, 64)
}

func TestAblation(t *testing.T) {
	runs := storedRuns{paperRun("a1", "sphere-2d", "released", "1", .40, "fitted-f1/"), paperRun("b1", "rotate",
		"released", "1", .30, "fitted-f1/"),
		paperRun("c1", "sphere-3d", "released", "1", .50)}
	rows, err := ablationOf(runs, Options{})
	expect.NoError(t, err)
	var got []string
	for _, row := range rows {
		d := row.difference(HeadF1)
		got = append(got, fmt.Sprintf("%s %s-%s %s %s", row.Graph, row.Off.Model, row.On.Model, row.Off.CutName(),
			digits(d)))
	}
	want := []string{"fb15k-237 RotatE-SpherE-2D margin 0.100", "fb15k-237 RotatE-SpherE-2D fitted-f1 0.100",
		"fb15k-237 Rotate3D-SpherE-3D margin none"}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	text := tableText(t, rows, "text")
	for _, want := range []string{"off    Rotate3D   missing", "+.100", "[compare runs]",
		"runs: fb15k-237, SpherE-2D: a1000000"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	var records []struct{ Difference map[string]*float64 }
	expect.NoError(t, json.Unmarshal([]byte(tableText(t, rows, "json")), &records))
	if records[2].Difference["head_f1"] != nil || records[0].Difference["tail_rr"] == nil {
		t.Errorf("differences %v", records)
	}
	if _, err := csv.NewReader(strings.NewReader(tableText(t, rows, "csv"))).ReadAll(); err != nil {
		t.Error(err)
	}
	if _, err := ablationOf(storedRuns{}, Options{}); err == nil {
		t.Error("no runs: no error")
	}
}

// TestAblationSubtractsLike: what differs in more than radii is not subtracted, and seeds are compared with themselves.
func TestAblationSubtractsLike(t *testing.T) {
	runs := storedRuns{paperRun("a1", "sphere-2d", "released", "1", .40), paperRun("a2", "sphere-2d", "released", "2",
		.70),
		paperRun("b2", "rotate", "released", "2", .30), paperRun("c1", "rotate3d", "released", "1", .30), paperRun("d1",
			"sphere-3d", "released", "1", .50)}
	for _, run := range runs[:2] {
		maps.Copy(run.Params, map[string]string{"tau": "0.1", "alpha": "0.1", "beta": "0.1", "eval.fit": "true",
			"threads": "7"})
	}
	runs[4].Params["gamma"] = "7"
	rows, err := ablationOf(runs, Options{})
	expect.NoError(t, err)
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	if d := digits(rows[0].difference(HeadF1)); d != "0.400" || len(rows[0].On.RunIDs) != 1 {
		t.Errorf("seed 2 against seed 2: %s of runs %v", d, rows[0].On.RunIDs)
	}
	if rows[1].difference(HeadF1) != nil || rows[1].Unlike != "gamma 6 and 7" {
		t.Errorf("gamma 6 and 7 were subtracted: %q", rows[1].Unlike)
	}
	text := tableText(t, rows, "text")
	for _, want := range []string{"NOT SUBTRACTED, fb15k-237: Rotate3D and SpherE-3D differ in more than radii: gamma 6 and 7.",
		"runs: fb15k-237, SpherE-2D: a2000000, seed 2, 3 epochs in 6.0 s",
		"fb15k-237: left out 1 of the runs of RotatE and SpherE-2D in the table of results: the other model has no run with the same seed.", "SpherE-3D: d1000000, seed 1, NOT AS THE CONFIG fb15k-237/sphere-3d: gamma 7, 3 epochs"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	if _, err := ablationOf(runs, Options{Variant: "clean"}); err == nil || !strings.Contains(err.Error(),
		"variant clean") {
		t.Errorf("a variant without runs: %v", err)
	}

	// CSV and JSON say it, too, with all that a row of the table of results has.
	if text := tableText(t, rows, "csv"); !strings.Contains(text, ",gamma 6 and 7,gamma 7\n") || !strings.Contains(text,
		",gamma 6 and 7,\n") {
		t.Errorf("CSV:\n%s", text)
	}
	var records []struct {
		Unlike string
		On     map[string]any `json:"radii_on"`
	}
	expect.NoError(t, json.Unmarshal([]byte(tableText(t, rows, "json")), &records))
	if r := records[1]; r.Unlike != "gamma 6 and 7" || r.On["unlike_config"] != "gamma 7" ||
		r.On["training_seconds"] != 6. || r.On["paper"] == nil {
		t.Errorf("JSON: %+v", r)
	}

	// Different seeds are not subtracted.
	rows, err = ablationOf(storedRuns{runs[0], runs[2]}, Options{})
	expect.NoError(t, err)
	if rows[0].difference(HeadF1) != nil || rows[0].Unlike != "seed 2 and 1" {
		t.Errorf("seeds 2 and 1 were subtracted: %q", rows[0].Unlike)
	}
}
