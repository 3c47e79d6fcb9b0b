package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/spherE/eval"
)

func (a *app) runsCalibrationCommand() *cobra.Command {
	var format, picture string
	var precision, recall []float64
	cmd := &cobra.Command{
		Use:   "calibration RUN",
		Short: "Show how far the probabilities of a run's answers can be trusted",
		Long: `Show by probability how many answers of RUN are right, on half of the validation facts, with probabilities fitted on
the other half, and on the test facts; and what came of promised precisions and recalls. Probabilities are those of
answers that are not known. A run without probabilities gets them now and keeps them. Nothing is logged.

--chart draws the shares on the test facts into a file.`,
		Example: `  spherelab runs calibration last
  spherelab runs calibration last --chart reliability.svg
  spherelab runs calibration last --precision .7,.95 --recall .5 --format csv`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format, nil); err != nil {
				return err
			}
			var promises []eval.Promised
			for _, p := range []struct {
				flag   string
				shares []float64
				cut    func(float64) (eval.Promised, bool)
			}{{"precision", precision, eval.PromisedPrecision}, {"recall", recall, eval.PromisedRecall}} {
				for _, share := range p.shares {
					c, ok := p.cut(share)
					if !ok {
						return usagef("--%s must be above 0 and below 1, of six digits at most, not %g", p.flag, share)
					}
					promises = append(promises, c)
				}
			}
			return a.withRun(cmd.Context(), args[0], func(ctx context.Context, run *experiments.TrainedRun) error {
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
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&picture, "chart", "", "draw the reliability into this `file`: .svg, .pdf, .png or .txt")
	f.Float64SliceVar(&precision, "precision", []float64{.5, .8, .9}, "promised precisions to check")
	f.Float64SliceVar(&recall, "recall", nil, "promised recalls to check")
	addFormatFlag(cmd, &format, results.Formats)
	a.addDataFlag(cmd)
	return cmd
}
