package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/tracker"
)

func (a *app) tableCommand() *cobra.Command {
	var format string
	var options experiments.TableOptions
	cmd := &cobra.Command{
		Use:   "table NAME|FILE.sql",
		Short: "Build a table from logged runs, or from a SQL query in a file",
		Long: `Build a table of results from what is logged; nothing is computed anew.

NAME is one of: ` + strings.Join(experiments.TableNames, ", ") + `. FILE.sql holds one SELECT.
Of each model and variant the newest finished run is taken.`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := experiments.CheckFormat(format, nil); err != nil {
				return err
			}
			name := args[0]
			if slices.Contains(experiments.TableNames, name) {
				return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
					table, err := experiments.ResultTable(cmd.Context(), t, name, options)
					if err != nil {
						return err
					}
					return table.Grid(format).Write(a.stdout, format)
				})
			}
			query, err := os.ReadFile(name)
			if errors.Is(err, fs.ErrNotExist) {
				return usagef("no table %q: neither one of %s nor a file with a SQL query", name, strings.Join(experiments.TableNames, ", "))
			}
			if err != nil {
				return fmt.Errorf("cannot read the query: %w", err)
			}
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				return a.writeSQL(cmd.Context(), t, string(query), format)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&options.All, "all", false, "every finished run, not only the newest of each model and variant")
	f.BoolVar(&options.Full, "full", false, "every cut, also in formats for people")
	addFormatFlag(cmd, &format, experiments.Formats)
	return cmd
}
