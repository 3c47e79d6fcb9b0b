package stack_test

import (
	"context"
	"fmt"
	"log"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/rule"
	"github.com/spherelab/spherelab/spherE/stack"
)

func ExampleFit() {
	g, err := kg.New("zoo", [][3]string{
		{"cat", "eats", "mouse"}, {"cat", "eats", "fish"}, {"owl", "eats", "mouse"}, {"fox", "eats", "mouse"},
		{"cow", "eats", "grass"}, {"hare", "eats", "grass"},
	}, [][3]string{{"fox", "eats", "fish"}, {"owl", "eats", "fish"}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	var models []stack.Model // or trained ones, of type *sphere.Model
	for _, name := range []string{sphere.Frequency, sphere.Neighbours} {
		m, err := rule.Fit(ctx, name, g, rule.Settings{})
		if err != nil {
			log.Fatal(err)
		}
		models = append(models, m)
	}
	s, err := stack.Fit(ctx, models, g, stack.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	for i, feature := range stack.FeatureNames([]string{"frequency", "neighbours"}) {
		fmt.Printf("%s: %.2f\n", feature, s.Fitted().All.Tail[i])
	}
	// Output:
	// 1: 1.37
	// score of frequency: -0.02
	// crowd of frequency: -0.04
	// ln rank of frequency: 0.02
	// 1/rank of frequency: 1.00
	// score of neighbours: 0.86
	// crowd of neighbours: -0.23
	// ln rank of neighbours: -0.05
	// 1/rank of neighbours: 1.05
	// ln(1 + answers of the query): 0.01
	// ln(1 + facts of the relation): 0.03
	// ln(1 + facts of the relation with the entity): 0.02
	// ln(1 + facts of the entity): -0.01
}
