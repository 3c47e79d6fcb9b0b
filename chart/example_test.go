package chart_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spherelab/spherelab/chart"
)

func ExampleBar() {
	c := chart.Bar(chart.Options{Title: "F1 per relation"}, []string{"capital of", "located in"},
		chart.Series{Name: "head F1", Y: []float64{0.5, 0.25}},
		chart.Series{Name: "tail F1", Y: []float64{1, 0.75}})
	fmt.Print(c)
	// Output:
	// F1 per relation
	// capital of head F1 │████████████████████ 0.5
	//            tail F1 │████████████████████████████████████████ 1
	// located in head F1 │██████████ 0.25
	//            tail F1 │██████████████████████████████ 0.75
}

func ExampleLine() {
	c := chart.Line(chart.Options{Title: "Loss", XLabel: "epoch"}, chart.Series{Y: []float64{8, 4, 2, 1, 0.5, 0.25}})
	text, err := c.Text(40, 9)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Print(text)
	// Output:
	// Loss
	//   │⠒⢄⡀
	//   │  ⠈⠑⠤⣀
	// 5 ┤      ⠑⠢⠤⣀
	//   │          ⠉⠉⠒⠢⠤⢄⣀⣀⣀
	// 0 ┤                   ⠉⠉⠉⠑⠒⠒⠒⠒⠒⠢⠤⠤⠤⠤⠤⠤⠤⠤
	//   └───────┬──────────────┬─────────────┬
	//           2              4             6
	//                    epoch
}

func ExampleChart_WriteFile() {
	dir, err := os.MkdirTemp("", "chart")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	c := chart.Circles(chart.Options{Title: "(France, capital, ?)"}, []chart.Circle{
		{Name: "France", X: 1, Y: 0, R: 0.3, Mark: chart.Head},
		{Name: "France, rotated", X: 0, Y: 1, R: 0.3, Mark: chart.Rotated},
		{Name: "Paris", X: 0.3, Y: 1.2, R: 0.2, Mark: chart.Known},
		{Name: "Berlin", X: -1, Y: 0.2, R: 0.2},
	}, chart.Arrow{Name: "capital", FromX: 1, FromY: 0, ToX: 0, ToY: 1})
	for _, name := range []string{"query.svg", "query.png", "query.jpg"} {
		if err := c.WriteFile(filepath.Join(dir, name)); err != nil {
			fmt.Println(strings.ReplaceAll(err.Error(), dir, ""))
		}
	}
	// Output:
	// chart: cannot write /query.jpg: the name must end in .svg, .pdf, .png or .txt, not ".jpg"
}

func ExamplePrecisionRecall() {
	c := chart.PrecisionRecall(chart.Options{Title: "Tail queries"}, chart.Curve{
		Threshold: []float64{1, 2, 3},
		Precision: []float64{0.9, 0.6, 0.2},
		Recall:    []float64{0.2, 0.6, 0.9},
		Marked:    []int{1},
	})
	svg, err := c.SVG()
	fmt.Println(err, strings.Contains(string(svg), "threshold 2: precision 0.6, recall 0.6, F1 0.6"))
	// Output:
	// <nil> true
}

func ExampleScatter() {
	c := chart.Scatter(chart.Options{Title: "Radius against occurrence", XLabel: "triples", YLabel: "radius",
		LogX:    true,
		Caption: "Spearman .5"},
		chart.Series{X: []float64{1, 10, 100}, Y: []float64{0.1, 0.3, 0.2}, Names: []string{"Lyon", "Paris", "France"}})
	fmt.Println(c.Size())
	// Output:
	// 640 380
}

func ExampleStack() {
	epochs := []float64{10, 20, 30}
	c := chart.Stack(chart.Options{Title: "One run"},
		chart.Line(chart.Options{YLabel: "loss", LogY: true}, chart.Series{X: epochs, Y: []float64{0.6, 0.4, 0.3}}),
		chart.Line(chart.Options{YLabel: "F1", XLabel: "epoch"},
			chart.Series{Name: "head", X: epochs, Y: []float64{0.1, 0.3, 0.4}},
			chart.Series{Name: "tail", X: epochs, Y: []float64{0.1, 0.2, 0.3}}))
	fmt.Println(c.Size())
	// Output:
	// 640 595
}
