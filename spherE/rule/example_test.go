package rule_test

import (
	"context"
	"fmt"
	"log"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/rule"
)

func ExampleFit() {
	g, err := kg.New("zoo", [][3]string{
		{"cat", "eats", "mouse"}, {"cat", "eats", "fish"}, {"owl", "eats", "mouse"}, {"fox", "eats", "mouse"},
	}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := rule.Fit(context.Background(), sphere.Frequency, g, rule.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	fox, err := g.FindEntity("fox")
	if err != nil {
		log.Fatal(err)
	}
	distances := make([]float32, m.Entities())
	m.Distances([]kg.Query{{Side: kg.TailSide, Known: fox, Relation: 0}}, distances)
	for e, d := range distances {
		fmt.Printf("%s %.2f\n", g.Label(int32(e)), d)
	}
	// Output:
	// cat 2.20
	// fish 1.50
	// fox 2.20
	// mouse 0.81
	// owl 2.20
}
