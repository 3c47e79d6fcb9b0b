package results

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/eval"
)

// TestReliabilityGrids: every band and promise is in every format, and an unreachable promise is said to be.
func TestReliabilityGrids(t *testing.T) {
	t.Parallel()
	band := eval.Band{From: .25, To: .5, Entities: 40, Mean: .375, Share: .3, Low: .18, High: .46}
	r := &answer.Reliability{RunName: "small", Graph: "g", Model: "rotate", Variant: "clean"}
	for _, split := range []string{"valid", "test"} {
		for _, side := range []string{"head", "tail"} {
			r.Sides = append(r.Sides, answer.SideReliability{Split: split, Side: side, ECE: .075, Brier: .2,
				Bands: []eval.Band{{To: .25}, band, {From: .5, To: 1}}})
		}
	}
	kept := func(x float64) eval.Kept { return eval.Kept{Precision: x, Recall: x / 2} }
	test := kept(.7)
	r.Promises = []answer.KeptPromise{
		{Cut: "precision-0.8", Outcome: eval.Outcome{Reached: true, Probability: .625, Fitted: kept(.82),
			Measured: kept(.78)}, Test: &test},
		{Cut: "precision-0.99", Test: &eval.Kept{}}}
	r.Coverages = []answer.KeptCoverage{{Cut: "coverage-0.9", Sides: []answer.CoveredSide{
		{Side: "head", Answers: 412, Relations: 3,
			Test: &answer.CoveredTest{Covered: .906, Size: 33.25, Worst: .874, Of: "causes"}},
		{Side: "tail", Answers: 398, Relations: 2, Test: &answer.CoveredTest{Covered: .891, Size: 7.5, Worst: 1}}}}}
	text := func(format string) string {
		var b strings.Builder
		for _, g := range ReliabilityGrids(r, format) {
			expect.NoError(t, g.Write(&b, format))
		}
		return b.String()
	}
	for format, wants := range map[string][]string{
		"text": {"0.250 to 0.500", "0.3000", "0.1800 to 0.4600", "precision-0.8", "0.625", "0.820 / 0.410",
			"0.780 / 0.390", "0.700 / 0.350", "precision-0.99: no threshold reaches it",
			"coverage-0.9", "412", "0.906", "33.2", "0.874", "causes", "3 and 2 relations have enough",
			"test, tail queries: ECE 0.0750, Brier score 0.2000"},
		"csv": {"band,test,tail,0.25,0.5,40,0.375,0.3,0.18,0.46,,\n", "precision-0.8,valid,,0.625,,,,,,,0.78,0.39\n",
			"precision-0.8,test,,0.625,,,,,,,0.7,0.35\n", "precision-0.99,test,,,,,,,,,0,0\n",
			"coverage-0.9,test,head,,,33.25,,0.906,0.874,,,\n", "coverage-0.9,test,tail,,,7.5,,0.891,1,,,\n"},
		"json": {`"cut": "precision-0.8"`, `"reached": false`, `"share": 0.3`, `"of": "causes"`},
	} {
		got := text(format)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s has no %q:\n%s", format, want, got)
			}
		}
	}
	svg, err := r.Chart().SVG()
	if err != nil || !strings.Contains(string(svg), "ECE of heads 0.075") {
		t.Errorf("chart: %v\n%s", err, svg)
	}
}
