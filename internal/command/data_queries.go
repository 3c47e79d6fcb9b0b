package command

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/spherE/multihop"
)

func (a *app) dataQueriesCommand() *cobra.Command {
	var set, names []string
	var sampling multihop.Sampling
	var fileFlags func() []config.FlagValue
	cmd := &cobra.Command{
		Use: "queries NAME|FOLDER|FILE", Short: "Draw questions of several steps from a graph",
		Long: `Draw questions of several steps, one a line, whose answers need a test fact: expressions, for query --file and eval
--queries. The types are those of the literature: p is a hop, i an intersection, u a union, n a negation.

A type is filled from an entity, drawn uniformly, back along facts of all splits. Kept are questions with an answer that
no join of training and validation facts finds, and with at most 100 answers.`,
		Example: `  spherelab data queries umls --number 50 > queries.txt
  spherelab eval last --queries queries.txt`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range names {
				t, err := multihop.ParseType(name)
				if err != nil {
					return usagef("--types: %w", err)
				}
				sampling.Types = append(sampling.Types, t)
			}
			dirs, err := a.dataDirs()
			if err != nil {
				return err
			}
			g, err := a.readDivided(args[0], dirs, set, fileFlags())
			if err != nil {
				return err
			}
			list, err := multihop.Sample(cmd.Context(), g, sampling)
			if err != nil {
				return err
			}
			out, count := bufio.NewWriter(a.stdout), map[multihop.Type]int{}
			for _, q := range list {
				count[q.Type]++
				fmt.Fprintln(out, q.Text)
			}
			for _, t := range sampling.All() {
				if count[t] < sampling.Number {
					fmt.Fprintf(a.stderr, "note: %d of %d questions of type %s were found\n", count[t], sampling.Number, t)
				}
			}
			return out.Flush()
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&names, "types", nil, "query `types`, with commas between them (default: all)")
	flags.Var(countValue(&sampling.Number, 100, 1), "number", "questions of each type")
	flags.Uint64Var(&sampling.Seed, "seed", 42, "seed of the draws")
	flags.StringArrayVar(&set, "set", nil,
		"set a config key of the split of a file, `key=value`, as for train; may be repeated")
	fileFlags = addFileFlags(cmd)
	a.addDataFlag(cmd)
	return cmd
}
