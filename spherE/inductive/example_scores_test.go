package inductive_test

import (
	"context"
	"fmt"
	"log"

	"github.com/spherelab/spherelab/spherE/inductive"
	"github.com/spherelab/spherelab/spherE/kg"
)

// untrained returns a network of one layer for relations, one for entities, and width 16, with made-up weights.
func untrained() (*inductive.Network, error) {
	const w = 16
	tensors := map[string]inductive.Tensor{}
	for name, shape := range map[string][]int{
		"relation_model.layers.0.linear.weight": {w, 2 * w}, "relation_model.layers.0.linear.bias": {w},
		"relation_model.layers.0.layer_norm.weight": {w}, "relation_model.layers.0.layer_norm.bias": {w},
		"relation_model.layers.0.relation.weight": {4, w},
		"entity_model.layers.0.linear.weight":     {w, 2 * w}, "entity_model.layers.0.linear.bias": {w},
		"entity_model.layers.0.layer_norm.weight": {w}, "entity_model.layers.0.layer_norm.bias": {w},
		"entity_model.layers.0.relation_projection.0.weight": {w, w}, "entity_model.layers.0.relation_projection.0.bias": {w},
		"entity_model.layers.0.relation_projection.2.weight": {w, w}, "entity_model.layers.0.relation_projection.2.bias": {w},
		"entity_model.mlp.0.weight": {2 * w, 2 * w}, "entity_model.mlp.0.bias": {2 * w},
		"entity_model.mlp.2.weight": {1, 2 * w}, "entity_model.mlp.2.bias": {1},
	} {
		size := 1
		for _, n := range shape {
			size *= n
		}
		data := make([]float32, size)
		for i := range data {
			data[i] = float32(i*7%11-4) / 8
		}
		tensors[name] = inductive.Tensor{Shape: shape, Data: data}
	}
	return inductive.New(tensors)
}

// A network knows entities by their facts alone: mouse and fish have the same, so their scores are equal.
func ExampleModel_Scores() {
	network, err := untrained()
	if err != nil {
		log.Fatal(err)
	}
	g, err := kg.New("zoo", [][3]string{
		{"cat", "eats", "mouse"}, {"cat", "eats", "fish"}, {"owl", "eats", "vole"}, {"hawk", "eats", "vole"},
	}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := network.On("untrained", g)
	if err != nil {
		log.Fatal(err)
	}
	q := g.Train[0].Query(kg.TailSide) // (cat, eats, ?)
	scores := [][]float32{make([]float32, m.Entities())}
	if err := m.Scores(context.Background(), []kg.Query{q}, scores, 0); err != nil {
		log.Fatal(err)
	}
	for e, score := range scores[0] {
		fmt.Printf("%s %.2f\n", g.Label(int32(e)), score)
	}
	// Output:
	// cat 4.56
	// fish 4.95
	// hawk -5.34
	// mouse 4.95
	// owl -5.34
	// vole -5.34
}
