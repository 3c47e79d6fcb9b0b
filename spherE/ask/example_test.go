package ask_test

import (
	"context"
	"fmt"
	"log"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/ask"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/spherE/rule"
)

func ExampleNew() {
	ctx := context.Background()
	g, err := kg.Bundled()
	if err != nil {
		log.Fatal(err)
	}
	m, err := rule.Fit(ctx, sphere.Neighbours, g, rule.Settings{}) // or Trained.Model of sphere.Train
	if err != nil {
		log.Fatal(err)
	}
	asked, err := ask.New(ctx, m, g)
	if err != nil {
		log.Fatal(err)
	}
	q, err := retrieve.ParseQuery(g, "Arthur Leonard Schawlow", "shared_nobel_with", "?")
	if err != nil {
		log.Fatal(err)
	}
	answer, err := asked.Answer(ctx, q)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(answer.Set), "answers, known:", answer.Known)
	fmt.Println("most likely among the new ones:", answer.Above(.02)[:2].Names())
	// Output:
	// 22 answers, known: 1
	// most likely among the new ones: [Manne Siegbahn Charles Townes]
}
