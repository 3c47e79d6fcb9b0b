package boost

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// sklearnCase is a case of testdata/sklearn.json, which testdata/draw_trees.py has written with scikit-learn.
type sklearnCase struct {
	Trees    int       `json:"trees"`
	Depth    int       `json:"depth"`
	Rate     float64   `json:"rate"`
	Ridge    float64   `json:"ridge"`
	Features int       `json:"features"`
	X        []float64 `json:"x"`
	Right    []bool    `json:"right"`
	Base     float64   `json:"base"`
	First    []float64 `json:"first"` // logarithms of odds with one tree
	Last     []float64 `json:"last"`  // with all
}

// TestFitIsThatOfScikitLearn: the logarithms of odds are those of scikit-learn's HistGradientBoostingClassifier, whose
// derivatives are in float32.
func TestFitIsThatOfScikitLearn(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/sklearn.json")
	expect.NoError(t, err)
	var file struct {
		Cases []sklearnCase `json:"cases"`
	}
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Cases) < 3 {
		t.Fatalf("%d cases, %v", len(file.Cases), err)
	}
	for n, c := range file.Cases {
		d := Data{Features: c.Features, Right: c.Right}
		for _, x := range c.X {
			d.X = append(d.X, float32(x))
		}
		for range c.Right {
			d.Base = append(d.Base, c.Base)
		}
		f := mustFit(t, d, Settings{Trees: c.Trees, Depth: c.Depth, Rate: c.Rate, Ridge: c.Ridge, Least: .001,
			Bins: 255, Threads: 1})
		far, moved := 0.0, 0.0
		one := Forest{Trees: f.Trees[:1]}
		for i := range c.Right {
			x := d.X[i*c.Features : (i+1)*c.Features]
			far = max(far, math.Abs(c.Base+one.Sum(x)-c.First[i]), math.Abs(c.Base+f.Sum(x)-c.Last[i]))
			moved = max(moved, math.Abs(c.Last[i]-c.Base))
		}
		if far > 1e-7*moved || moved < .5 {
			t.Errorf("case %d: logarithms of odds differ by up to %g of %g", n+1, far, moved)
		}
	}
}
