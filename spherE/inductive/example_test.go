package inductive_test

import (
	"context"
	"fmt"
	"log"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/inductive"
	"github.com/spherelab/spherelab/spherE/kg"
)

// The public checkpoints of ULTRA are not part of this module: fetch ultra_3g.pth first.
func ExampleOpen() {
	network, err := inductive.Open("ultra_3g.pth")
	if err != nil {
		log.Fatal(err)
	}
	g, err := kg.New("zoo", [][3]string{{"cat", "eats", "mouse"}, {"cat", "eats", "fish"}, {"owl", "eats", "mouse"}}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := network.On(sphere.Ultra3G, g)
	if err != nil {
		log.Fatal(err)
	}
	q := g.Train[0].Query(kg.TailSide) // (cat, eats, ?)
	scores := [][]float32{make([]float32, m.Entities())}
	if err := m.Scores(context.Background(), []kg.Query{q}, scores, 0); err != nil {
		log.Fatal(err)
	}
	for e, score := range scores[0] {
		fmt.Println(g.Label(int32(e)), score)
	}
}
