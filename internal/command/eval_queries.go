package command

import (
	"context"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/multihop"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// evaluateQueries measures a run's answers to the questions of a file.
func (a *app) evaluateQueries(ctx context.Context, ref string, f *evalFlags) error {
	var questions []retrieve.Question
	read := func(g *kg.Graph) (err error) {
		if questions == nil { // the standard input can be read once
			questions, err = a.readQuestions(g, f.queries)
		}
		return err
	}
	return a.withMeasured(ctx, ref, read, func(ctx context.Context, run *answer.Run) error {
		if err := run.Measurable(); err != nil {
			return err
		}
		if err := read(run.Graph); err != nil {
			return err
		}
		cut := answer.Cut{Name: f.cut}
		by, err := a.retriever(ctx, run, cut, retrieve.Options{Threads: 1})
		if err != nil {
			return err
		}
		a.noteCut(run, cut)
		p, end := a.progress(false)
		report, err := multihop.Measure(ctx, by, run.Graph, questions, multihop.Settings{Threads: f.options.Threads,
			Seed: run.Config.Seed, Progress: run.LongProgress(p, "answering questions")})
		end()
		if err != nil {
			return err
		}
		return a.writeGrid(results.MultihopGrid(run, report), f.format)
	})
}
