package command

import (
	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
)

func (a *app) dataSchemaCommand() *cobra.Command {
	var format string
	var set []string
	var fileFlags func() []config.FlagValue
	cmd := &cobra.Command{
		Use: "schema NAME|FOLDER|FILE", Short: "Show what the training facts say about each relation",
		Long: `Show what the training facts say about each relation: how many tails a head has and how many heads a tail, whether it is
symmetric, the inverse of another relation or a hierarchy, and what its heads and tails are.

Types of entities are read from a file types.tsv next to the graph (entity, tab, type; an entity may have several), else
from the training facts of rdf:type. Without types heads and tails are described by what they are of other relations.
JSON has all counts.`,
		Example: `  spherelab data schema umls
  spherelab data schema family.csv --format json`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs, err := a.dataDirs()
			if err != nil {
				return err
			}
			g, err := a.readDivided(args[0], dirs, set, fileFlags())
			if err != nil {
				return err
			}
			return a.writeGrid(results.SchemaGrid(g.Schema()), format)
		},
	}
	cmd.Flags().StringArrayVar(&set, "set", nil,
		"set a config key of the split of a file, `key=value`, as for train; may be repeated")
	fileFlags = addFileFlags(cmd)
	addFormatFlag(cmd, &format, nil)
	a.addDataFlag(cmd)
	return cmd
}
