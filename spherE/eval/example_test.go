package eval_test

import (
	"context"
	"fmt"
	"log"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/rule"
)

func ExampleRun() {
	g, err := kg.New("zoo", [][3]string{
		{"cat", "eats", "mouse"}, {"cat", "eats", "fish"}, {"owl", "eats", "mouse"}, {"fox", "eats", "mouse"},
	}, nil, [][3]string{{"fox", "eats", "fish"}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	m, err := rule.Fit(ctx, sphere.Frequency, g, rule.Settings{}) // or a *sphere.Model
	if err != nil {
		log.Fatal(err)
	}
	report, err := eval.Run(ctx, m, g, eval.Settings{Cuts: []eval.Cut{eval.Top(2)}})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range report.Cuts {
		fmt.Printf("%s: tail F1 %.2f, head F1 %.2f\n", r.Name, r.Tail.F1, r.Head.F1)
	}
	// Output:
	// top-2: tail F1 1.00, head F1 1.00
	// lookup: tail F1 0.67, head F1 0.67
	// lookup-train: tail F1 0.67, head F1 0.67
}

func ExampleFit() {
	g, err := kg.New("zoo", [][3]string{
		{"cat", "eats", "mouse"}, {"cat", "eats", "fish"}, {"owl", "eats", "mouse"}, {"fox", "eats", "mouse"},
	}, [][3]string{{"fox", "eats", "fish"}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	m, err := rule.Fit(ctx, sphere.Frequency, g, rule.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	fitted, err := eval.Fit(ctx, m, g, eval.FitSettings{})
	if err != nil {
		log.Fatal(err)
	}
	for i := range fitted {
		fmt.Println(eval.FittedAt(&fitted[i]).Name())
	}
	// Output:
	// fitted-f1
	// fitted-novel
	// fitted-union
	// fitted-side-f1
	// fitted-side-novel
	// fitted-side-union
}

func ExampleCompare() {
	g, err := kg.New("zoo", [][3]string{
		{"cat", "eats", "mouse"}, {"cat", "eats", "fish"}, {"owl", "eats", "mouse"}, {"fox", "eats", "mouse"},
	}, nil, [][3]string{{"fox", "eats", "fish"}, {"owl", "eats", "fish"}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	m, err := rule.Fit(ctx, sphere.Frequency, g, rule.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	report, err := eval.Run(ctx, m, g, eval.Settings{Cuts: eval.Tops(1, 2), KeepRecords: true})
	if err != nil {
		log.Fatal(err)
	}
	c, err := eval.Compare(ctx, report, report, eval.CompareSettings{CutA: "top-1", CutB: "top-2"})
	if err != nil {
		log.Fatal(err)
	}
	d := c.Differences[0]
	fmt.Printf("%s: %.2f against %.2f, 95 %% of resamples from %.2f to %.2f\n", d.Key, d.A, d.B, d.Interval.Low, d.Interval.High)
	// Output:
	// head_f1: 0.50 against 0.80, 95 % of resamples from -0.30 to -0.30
}

func ExampleParseCut() {
	for _, name := range []string{"margin", "top-10", "fitted-f1", "top-many"} {
		cut, ok := eval.ParseCut(name)
		fmt.Printf("%s: %T %v\n", name, cut, ok)
	}
	// Output:
	// margin: eval.Criterion true
	// top-10: eval.Top true
	// fitted-f1: eval.Fitted true
	// top-many: <nil> false
}

func ExampleParseKey() {
	key, ok := eval.ParseKey("test/top-10/head_f1")
	fmt.Println(ok, key.Split, key.Cut, key.Metric)
	// Output:
	// true test top-10 head_f1
}
