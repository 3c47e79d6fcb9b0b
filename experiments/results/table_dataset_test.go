package results

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestDatasetRowByCounting counts a graph again, with maps of names.
func TestDatasetRowByCounting(t *testing.T) {
	g, err := kg.Bundled()
	expect.NoError(t, err)
	var row datasetRow
	row.describe(g)
	type query struct {
		side            kg.Side
		relation, known int32
	}
	answers := map[query]map[int32]bool{}
	entities := map[int32]bool{}
	for _, split := range [][]kg.Triple{g.Train, g.Valid, g.Test} {
		for _, x := range split {
			entities[x.Head], entities[x.Tail] = true, true
			for q, a := range map[query]int32{{kg.HeadSide, x.Relation, x.Tail}: x.Head, {kg.TailSide, x.Relation,
				x.Head}: x.Tail} {
				if answers[q] == nil {
					answers[q] = map[int32]bool{}
				}
				answers[q][a] = true
			}
		}
	}
	if row.Entities != len(entities) || row.Relations != g.Relations.Len() || row.Triples != [3]int{len(g.Train),
		len(g.Valid), len(g.Test)} {
		t.Errorf("row %+v", row)
	}
	for i, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		sum, n := 0, 0
		for q, set := range answers {
			if q.side == side {
				sum, n = sum+len(set), n+1
			}
		}
		var asked []int
		total := 0
		for _, x := range g.Test {
			q := query{side, x.Relation, x.Tail}
			if side == kg.TailSide {
				q.known = x.Head
			}
			asked = append(asked, len(answers[q]))
			total += len(answers[q])
		}
		slices.Sort(asked)
		got := row.Answers[i]
		for what, pair := range map[string][2]float64{
			"distinct": {got.Distinct, float64(sum) / float64(n)},
			"mean":     {got.Mean, float64(total) / float64(len(asked))},
			"median":   {got.Median, float64(asked[len(asked)/2]+asked[(len(asked)-1)/2]) / 2},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("%v queries: %s is %v, want %v", side, what, pair[0], pair[1])
			}
		}
	}
}

// TestDatasetsOfThePaper holds the audited numbers of the paper's graphs.
func TestDatasetsOfThePaper(t *testing.T) {
	folder := filepath.Dir(graphtest.Folder(t, "fb15k-237"))
	graphtest.Folder(t, "wn18rr")
	layout, err := buildDatasets(context.Background(), "datasets", Sources{DataDirs: []string{folder}}, Options{})
	expect.NoError(t, err)
	rows := layout.(datasetTable)
	for i, want := range []string{"fb15k-237 [14541 237 272115 17535 20466] 5.2 3.0 435 37.6 29 7",
		"wn18rr [40943 11 86835 3034 3134] 2.2 1.4 25 6.6 3 1"} {
		r := rows[i]
		h, a := r.Answers[0], r.Answers[1]
		if got := fmt.Sprintf("%s %v %.1f %.1f %.0f %.1f %g %g", r.Graph, r.counts(), h.Distinct, a.Distinct, h.Mean,
			a.Mean, h.Median, a.Median); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if text := tableText(t, layout, "text"); !strings.Contains(text, "20,446 (+20)") || !strings.Contains(text,
		"17,535 (-14501)") {
		t.Errorf("the paper's numbers:\n%s", text)
	}
}

func TestDatasetsThatAreNotHere(t *testing.T) {
	layout, err := buildDatasets(context.Background(), "datasets", Sources{DataDirs: []string{t.TempDir()}}, Options{})
	expect.NoError(t, err)
	rows := layout.(datasetTable)
	if len(rows) != 3 || rows[0].Here || rows[0].Paper.Test != 20446 || !rows[2].Here {
		t.Fatalf("rows %+v", rows)
	}
	text := tableText(t, layout, "text")
	for _, want := range []string{"missing", "20,446", "[fetch graph fb15k-237] [name data folder]", "643"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	var records []map[string]any
	expect.NoError(t, json.Unmarshal([]byte(tableText(t, layout, "json")), &records))
	paper, _ := records[0]["paper"].(map[string]any)
	if records[0]["entities"] != nil || paper["entities"] != 14541. || records[2]["entities"] != 643. {
		t.Errorf("records %v", records)
	}
	lines, err := csv.NewReader(strings.NewReader(tableText(t, layout, "csv"))).ReadAll()
	if err != nil || lines[1][1] != "" || lines[3][1] != "643" || lines[1][len(lines[1])-1] != "20446" {
		t.Errorf("csv %v, %v", lines, err)
	}
}
