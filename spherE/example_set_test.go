package sphere_test

import (
	"context"
	"fmt"
	"log"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// train returns a model of a graph after 300 epochs of one step.
func train(g *kg.Graph) (*sphere.Model, error) {
	m, err := sphere.New(sphere.Settings{Model: "sphere-2d", Variant: "clean", Dimension: 4, Gamma: 4, Epsilon: 2}, g, 7)
	if err != nil {
		return nil, err
	}
	t, err := sphere.NewTrainer(m, g, sphere.Training{Epochs: 300, Batch: 6, Negatives: 4, Sampling: "uniform",
		Temperature: 1, LearningRate: 0.05, Beta1: 0.9, Beta2: 0.999, AdamEpsilon: 1e-8})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	for t.Done() < t.Settings().Epochs {
		if _, err := t.Epoch(context.Background()); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// The set of a query is what has values up to the threshold.
func ExampleModel_Values() {
	g, err := kg.New("rivers", [][3]string{
		{"Rhine", "flows_through", "Basel"}, {"Rhine", "flows_through", "Cologne"},
		{"Elbe", "flows_through", "Dresden"}, {"Elbe", "flows_through", "Hamburg"},
		{"Seine", "flows_through", "Paris"}, {"Seine", "flows_through", "Rouen"},
	}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := train(g)
	if err != nil {
		log.Fatal(err)
	}
	q := g.Train[0].Query(kg.TailSide) // (Elbe, flows_through, ?)
	values := make([]float32, m.Entities())
	m.Distances([]kg.Query{q}, values)
	threshold := m.Values(m.DefaultCriterion(), q, values, values)
	for e, value := range values {
		if value <= threshold {
			fmt.Println(g.Entities.Name(int32(e)))
		}
	}
	// Output:
	// Dresden
	// Hamburg
}
