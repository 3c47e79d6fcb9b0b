// Command scores evaluates scores of its own as sets and ranks, next to a lookup.
package main

import (
	"context"
	"fmt"
	"log"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

func main() {
	ctx := context.Background()
	g := must(kg.Bundled())
	known := g.Index(kg.Train) // the scores: how often an entity answers with the relation, on either side
	mine := sphere.NewScored("mine", g, func(q kg.Query, dst []float32) {
		for e := range dst {
			opposite := kg.Query{Side: 1 - q.Side, Known: int32(e), Relation: q.Relation}
			dst[e] = float32(len(known.Answers(opposite)))
		}
	})
	thresholds := must(eval.Fit(ctx, mine, g, eval.FitSettings{})) // on validation triples
	report := must(eval.Run(ctx, mine, g, eval.Settings{Cuts: []eval.Cut{eval.FittedAt(&thresholds[0]), eval.Top(10)}}))
	for _, cut := range report.Cuts {
		fmt.Printf("%s: F1 of heads %.3f, of tails %.3f\n", cut.Name, cut.Head.F1, cut.Tail.F1)
	}
	fmt.Printf("MRR %.3f, hits@10 %.3f\n", report.Ranking.Both.MRR, report.Ranking.Both.Hits10)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
