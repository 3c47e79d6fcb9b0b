package sphere_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

func ExampleTrain() {
	g, err := kg.Bundled()
	if err != nil {
		log.Fatal(err)
	}
	o := sphere.Options{Progress: func(p sphere.Progress) {
		if p.Validated {
			fmt.Printf("epoch %d: loss %.3f, validation MRR %.3f\n", p.Epoch, p.Loss, p.Value)
		}
	}}
	o.Settings.Dimension, o.Training.Epochs = 8, 30 // what is 0 is chosen for the graph
	trained, err := sphere.Train(context.Background(), g, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(trained.Model.Settings().Model, "of epoch", trained.Best)
	// Output:
	// epoch 10: loss 0.783, validation MRR 0.018
	// epoch 20: loss 0.692, validation MRR 0.023
	// epoch 30: loss 0.612, validation MRR 0.027
	// sphere-2d of epoch 30
}

func ExampleTrainer_Epoch() {
	g, err := kg.New("rivers", [][3]string{
		{"Rhine", "flows_through", "Basel"}, {"Rhine", "flows_through", "Cologne"},
		{"Elbe", "flows_through", "Dresden"}, {"Elbe", "flows_through", "Hamburg"},
	}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := sphere.New(sphere.Settings{Model: "sphere-2d", Variant: "clean", Dimension: 4, Gamma: 4, Epsilon: 2}, g, 7)
	if err != nil {
		log.Fatal(err)
	}
	t, err := sphere.NewTrainer(m, g, sphere.Training{Epochs: 100, Batch: 4, Negatives: 2, Sampling: "uniform",
		Temperature: 1, LearningRate: 0.05, Beta1: 0.9, Beta2: 0.999, AdamEpsilon: 1e-8})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	for stats := (sphere.EpochStats{}); stats.Epoch < 100; {
		if stats, err = t.Epoch(context.Background()); err != nil {
			log.Fatal(err)
		}
		if stats.Epoch == 1 || stats.Epoch == 100 {
			fmt.Printf("epoch %d: loss %.4f\n", stats.Epoch, stats.Loss)
		}
	}
	// Output:
	// epoch 1: loss 1.2733
	// epoch 100: loss 0.0163
}

func ExampleModel_Save() {
	g, err := kg.New("rivers", [][3]string{{"Rhine", "flows_through", "Basel"}}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := sphere.New(sphere.Settings{Model: "rotate", Variant: "clean", Dimension: 4, Gamma: 4, Epsilon: 2}, g, 7)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	if err := m.Save(path, map[string]string{"note": "not trained"}); err != nil {
		log.Fatal(err)
	}
	loaded, metadata, err := sphere.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(loaded.Settings().Model, metadata["note"], loaded.Digest() == m.Digest())
	// Output:
	// rotate not trained true
}

func ExampleSettings_Validate() {
	err := sphere.Settings{Model: "sphere-2d", Variant: "clean", Gamma: 4, Epsilon: 2}.Validate()
	fmt.Println(err)
	var wrong *sphere.SettingError
	if errors.As(err, &wrong) {
		fmt.Println("to change:", wrong.Key)
	}
	// Output:
	// Settings.Dimension must be a number from 1 to 65536, not 0
	// to change: Settings.Dimension
}

func ExampleModels() {
	for _, model := range sphere.Models() {
		if s := (sphere.Settings{Model: model}); s.HasRadii() {
			fmt.Println(sphere.Title(model))
		}
	}
	// Output:
	// SpherE-2D
	// SpherE-3D
	// SpherE-5D
	// SpherE-10D
	// SpherE-20D
}
