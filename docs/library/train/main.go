// Command train trains a model on a graph and asks it.
package main

import (
	"context"
	"fmt"
	"log"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/ask"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

func main() {
	ctx := context.Background()
	g := must(kg.Bundled()) // or kg.LoadFile, kg.Load, kg.Read, kg.New, kg.FromIDs
	trained := must(sphere.Train(ctx, g, sphere.Options{Settings: sphere.Settings{Model: sphere.DistMult}}))
	asked := must(ask.New(ctx, trained.Model, g))
	answer := must(asked.Answer(ctx, must(retrieve.ParseQuery(g, "Chen-Ning Yang", "co_author", "?"))))
	fmt.Println(answer.QueryText(), answer.Names(), "new and likely:", answer.Above(.4).Names())
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
