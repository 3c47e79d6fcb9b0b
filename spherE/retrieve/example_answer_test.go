package retrieve_test

import (
	"context"
	"log"
	"os"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// train returns a model of a graph after 40 epochs of one step.
func train(g *kg.Graph) (*sphere.Model, error) {
	m, err := sphere.New(sphere.Settings{Model: "sphere-2d", Variant: "clean", Dimension: 4, Gamma: 4, Epsilon: 2}, g, 7)
	if err != nil {
		return nil, err
	}
	t, err := sphere.NewTrainer(m, g, sphere.Training{Epochs: 40, Batch: 6, Negatives: 4, Sampling: "uniform",
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

// A trained model answers with a set, which the margin ends, and says what it knows already.
func ExampleRetriever_Answer() {
	g, err := kg.New("rivers", [][3]string{
		{"Basel", "on", "Rhine"}, {"Cologne", "on", "Rhine"}, {"Mainz", "on", "Rhine"},
		{"Rhine", "passes", "Basel"}, {"Rhine", "passes", "Cologne"},
		{"Dresden", "on", "Elbe"}, {"Hamburg", "on", "Elbe"}, {"Elbe", "passes", "Dresden"}, {"Elbe", "passes", "Hamburg"},
	}, nil, [][3]string{{"Rhine", "passes", "Mainz"}})
	if err != nil {
		log.Fatal(err)
	}
	m, err := train(g)
	if err != nil {
		log.Fatal(err)
	}
	r, err := retrieve.New(m, g, retrieve.Options{NearMisses: 1})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := r.Answer(context.Background(), g.Test[0].Query(kg.TailSide)) // (Rhine, passes, ?)
	if err != nil {
		log.Fatal(err)
	}
	if err := answer.WriteText(os.Stdout, retrieve.Text{Model: "SpherE-2D", Width: 80}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Rhine passes ?
	// 1 new answer: 1 held out, 0 inferred; 2 known answers, 2 of them in the set of the cut
	//
	// new answers
	//   Mainz    held out (test)           slack +0.344
	//
	// known answers
	//   Cologne  known (train)             slack +2.417
	//   Basel    known (train)             slack +2.020
	//
	// near misses
	//   Rhine    not in the graph, itself  slack -1.983
	//
	// SpherE-2D; cut sphere: a new answer if value <= 4.000; slack is the threshold less the value
}
