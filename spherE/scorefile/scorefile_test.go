package scorefile_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/scorefile"
)

// measured is everything that an evaluation says of a model without a criterion.
func measured(t *testing.T, m eval.Model, g *kg.Graph) (*eval.Report, *eval.Calibrated) {
	t.Helper()
	thresholds, err := eval.Fit(t.Context(), m, g, eval.FitSettings{})
	expect.NoError(t, err)
	by, err := eval.Calibrate(t.Context(), m, g, eval.CalibrateSettings{})
	expect.NoError(t, err)
	cuts := append(eval.ExpectedCuts(by), eval.TopMean{}, eval.Top(7))
	for i := range thresholds {
		cuts = append(cuts, eval.FittedAt(&thresholds[i]))
	}
	report, err := eval.Run(t.Context(), m, g, eval.Settings{Cuts: cuts, Resamples: 20})
	expect.NoError(t, err)
	return report, by
}

// TestScoresOfModel compares the evaluation of a model with that of the scores that it writes, one by one.
func TestScoresOfModel(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	trained, err := sphere.Train(t.Context(), g, sphere.Options{Settings: sphere.Settings{Model: sphere.SpherE2D,
		Dimension: 9},
		Training: sphere.Training{Epochs: 3}})
	expect.NoError(t, err)
	var file bytes.Buffer
	expect.NoError(t, scorefile.Write(t.Context(), &file, trained.Model, g, 0, kg.Valid, kg.Test))
	scores, err := scorefile.Read(&file, "scores.tsv", g)
	expect.NoError(t, err)
	want, wantBy := measured(t, trained.Model, g)
	got, by := measured(t, scores.Model("mine"), g)
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(by, wantBy) {
		t.Errorf("scores have MRR %v, the model %v; reports differ", got.Ranking.Both.MRR, want.Ranking.Both.MRR)
	}
	for _, c := range scores.Coverage(kg.Valid) {
		if c.Scored != c.Queries || c.Listed != len(g.Valid) || c.Lacking != "" {
			t.Errorf("coverage %+v", c)
		}
	}
}

// TestCloseScores: scores that are different in 64 bits alone have an order, and equal ones stay tied.
func TestCloseScores(t *testing.T) {
	t.Parallel()
	g := drinks(t)
	q := kg.Query{Known: expect.Must[int32](t)(g.FindEntity("Ann")), Relation: 0, Side: kg.TailSide}
	for _, scale := range []func(x float64) float64{
		func(x float64) float64 { return x },
		func(x float64) float64 { return x * 1e-60 },
		func(x float64) float64 { return 1 + x*1e-12 },
		func(x float64) float64 { return x*1e15 - 1e30 },
	} {
		file := "side,head,relation,tail,score\n"
		for i, x := range []float64{3, 1, 2, 1} {
			file += fmt.Sprintf("tail,Ann,drinks,%s,%v\n", g.Entities.Name(int32(i)), scale(x))
		}
		scores, err := scorefile.Read(strings.NewReader(file), "close.csv", g)
		expect.NoError(t, err)
		d := make([]float32, g.Entities.Len())
		scores.Model("close").Distances([]kg.Query{q}, d)
		if !(d[0] < d[2] && d[2] < d[1] && d[1] == d[3]) ||
			math.Abs(float64(d[0])+scale(3)) > 1e-6*math.Max(1, math.Abs(scale(3))) {
			t.Errorf("scores %v, %v, %v are distances %v", scale(3), scale(2), scale(1), d)
		}
	}
}

// drinks is a graph of five entities.
func drinks(t *testing.T) *kg.Graph {
	t.Helper()
	g, err := kg.New("tea", [][3]string{{"Ann", "drinks", "tea"}, {"Bob", "drinks", "milk"}},
		[][3]string{{"Bob", "drinks", "tea"}}, [][3]string{{"Ann", "drinks", "milk"}, {"Cid", "drinks", "milk"}})
	expect.NoError(t, err)
	return g
}

// TestShortList reads a list that misses candidates, in another order of columns and with one that is ignored.
func TestShortList(t *testing.T) {
	t.Parallel()
	g := drinks(t)
	scores, err := scorefile.Read(strings.NewReader("\uFEFFscore,note,tail,relation,head,side\n"+
		"2,x,milk,drinks,Ann,head\n-1e30,y,milk,drinks,Cid,head\n7,\"a, b\",tea,drinks,Ann,tail\n"), "s", g)
	expect.NoError(t, err)
	m := scores.Model("mine")
	dist := make([]float32, g.Entities.Len())
	milk, _ := g.Entities.ID("milk")
	m.Distances([]kg.Query{{Side: kg.HeadSide, Known: milk}}, dist)
	for e, want := range map[string]float32{"Ann": -2, "Cid": 1e30, "Bob": float32(math.NaN()), "tea": float32(math.NaN())} {
		id, _ := g.Entities.ID(e)
		if fmt.Sprint(dist[id]) != fmt.Sprint(want) {
			t.Errorf("%s has distance %v, want %v", e, dist[id], want)
		}
	}
	got, want := scores.Coverage(kg.Test), [2]scorefile.Coverage{
		{Split: kg.Test, Side: kg.HeadSide, Scored: 1, Queries: 1, Listed: 2, Facts: 2},
		{Split: kg.Test, Side: kg.TailSide, Scored: 1, Queries: 2, Facts: 2, Lacking: "(Cid, drinks, ?)"}}
	if got != want || scores.Lines() != 3 {
		t.Errorf("coverage %+v, want %+v", got, want)
	}
	report, err := eval.Run(t.Context(), m, g, eval.Settings{Cuts: []eval.Cut{eval.Top(4)}})
	expect.NoError(t, err)
	// Tails: tea and Bob's milk are known, and milk is tied with three others that no line lists, or with all four.
	if r := report.Ranking; r.Head.MRR != 1 || r.Tail.MR != (2.5+3)/2 || report.Cuts[0].Head.Size != 2 {
		t.Errorf("ranks %+v, sets %+v", r, report.Cuts[0].Head)
	}
}

// TestRefused reads files that say what is wrong with them.
func TestRefused(t *testing.T) {
	t.Parallel()
	g := drinks(t)
	const header = "side\thead\trelation\ttail\tscore\n"
	for text, want := range map[string]string{
		"":                                      "s:1: the header has no column side, head, relation, tail, score; the first line must",
		"tail\tAnn\tdrinks\tmilk\t1\n":          "s:1: the header has no column side, head, relation, score;",
		"side\thead\ttail\tscore\n":             "s:1: the header has no column relation;",
		header:                                  "s has no line below its header",
		header + "both\tAnn\tdrinks\ttea\t":     `s:2: column side: "both" is neither head nor tail`,
		header + "\ntail\tAn\tdrinks\ttea\t1":   `s:3: column head: graph tea has no entity "An"; nearest: "Ann"`,
		header + "tail\tAnn\tdrink\ttea\t1":     `s:2: column relation: graph tea has no relation "drink"`,
		header + "tail\tAnn\tdrinks\tsoda\t1":   `s:2: column tail: graph tea has no entity "soda"`,
		header + "tail\tAnn\tdrinks\ttea\tNaN":  `s:2: column score: "NaN" is not a finite 32 bit number`,
		header + "tail\tAnn\tdrinks\ttea\t1e39": `s:2: column score: "1e39" is not`,
		header + "tail\tAnn\tdrinks\ttea":       "s:2: the line has not as many columns as the header",
		header + "tail\tA\"n\tdrinks\ttea\t1":   "s:2: column 7 of the text",
		header + "tail\tAnn\tdrinks\ttea\t1\ntail\tAnn\tdrinks\ttea\t2": "s:3: the candidate has a score for this query at s:2 already",
		"PAR1\x00\x00": "s is a Parquet file; scores of one are read where its name ends in .parquet",
		"\x1f\x8b\x08": "s is compressed by gzip, but its name does not end in .gz",
		"side\x00":     "s is not text",
	} {
		_, err := scorefile.Read(strings.NewReader(text), "s", g)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
