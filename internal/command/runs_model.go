package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
)

func (a *app) runsExportModelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export-model RUN DIR",
		Short: "Write a run's model into a folder for other programs: tensors, names, a card",
		Long: `Write the trained model of RUN into the folder DIR, which is made: model.safetensors with its tensors, entities.tsv and
relations.tsv with the names of their rows, and README.md with data, config, metrics, the meaning of each tensor and how
to score a triple. docs/python.md scores the files in Python; runs import-model reads them back.

Models that count facts and those with the weights of other graphs have no tensors. Of a stack export the runs that it
combines.`,
		Example: `  spherelab runs export-model last umls-rotate`,
		Args:    arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRun(cmd.Context(), args[0], nil, func(_ context.Context, run *answer.Run) error {
				if err := results.ExportModel(run, args[1]); err != nil {
					return err
				}
				fmt.Fprintln(a.stdout, args[1])
				return nil
			})
		},
	}
	a.addDataFlag(cmd)
	return cmd
}
