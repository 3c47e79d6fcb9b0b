package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/spherE/eval"
)

func (a *app) runsCalibrationCommand() *cobra.Command {
	var format, picture string
	var precision, recall, coverage []eval.Limited
	cmd := &cobra.Command{
		Use:   "calibration RUN",
		Short: "Show how far the probabilities of a run's answers can be trusted",
		Long: `Show by probability how many answers of RUN are right, on half of the validation facts, with probabilities fitted on
the other half, and on the test facts; and how well promised precisions and recalls were kept. Probabilities are those of
answers that are not known. A run without probabilities gets them now and keeps them. Nothing is logged.

--chart draws the shares on the test facts into a file.`,
		Example: `  spherelab runs calibration last
  spherelab runs calibration last --chart reliability.svg
  spherelab runs calibration last --precision .7,.95 --recall .5 --format csv
  spherelab runs calibration last --coverage .8,.9`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withMeasured(cmd.Context(), args[0], nil, func(ctx context.Context, run *answer.Run) error {
				return a.calibration(ctx, run, slices.Concat(precision, recall, coverage), picture, format)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&picture, "chart", "", "draw the reliability into this `file`: .svg, .pdf, .png or .txt")
	f.Var(promisesValue(&precision, ".5,.8,.9", eval.PromisedPrecision), "precision",
		"promised precisions to check")
	f.Var(promisesValue(&recall, "", eval.PromisedRecall), "recall", "promised recalls to check")
	f.Var(promisesValue(&coverage, "", eval.CoverageOf), "coverage", "coverages to check")
	addFormatFlag(cmd, &format, nil)
	a.addDataFlag(cmd)
	return cmd
}

// calibration measures how reliable the probabilities of a run are, and writes the result.
func (a *app) calibration(ctx context.Context, run *answer.Run, promises []eval.Limited,
	picture, format string) error {
	progress, end := a.progress(false)
	r, err := run.Reliability(ctx, promises, 0, progress)
	end()
	if err != nil {
		return err
	}
	if picture != "" {
		if err := r.Chart().WriteFile(picture); err != nil {
			return err
		}
		fmt.Fprintln(a.stderr, picture)
	} else if format == "text" {
		fmt.Fprintln(a.stdout, r.Chart().String())
	}
	for i, g := range results.ReliabilityGrids(r, format) {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := a.writeGrid(g, format); err != nil {
			return err
		}
	}
	return nil
}
