package main

import (
	"context"
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
	names := append(slices.Clone(experiments.TableNames), experiments.DatasetTableName, experiments.AblationTableName)
	cmd := &cobra.Command{
		Use:   "table NAME|FILE.sql",
		Short: "Build a table from logged runs, or from a SQL query in a file",
		Long: `Build a table of results from what is logged; nothing is computed anew.

NAME is one of: ` + strings.Join(names, ", ") + `. FILE.sql holds one SELECT.
Of each model and variant the newest finished run is taken, on the paper's graphs the newest that is as its config
inside the program; runs of the same config with other seeds are averaged with it. Where nothing is logged on the
graph, the results inside the program are shown. On the paper's graphs its numbers stand beside ours. datasets
describes the graphs in the data folders; ablation says what the radii add.`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := experiments.CheckFormat(format, nil); err != nil {
				return err
			}
			ctx, name := cmd.Context(), args[0]
			if err := tableFlags(cmd, name); err != nil {
				return err
			}
			switch {
			case name == experiments.DatasetTableName:
				return a.datasetTable(format)
			case name == experiments.AblationTableName:
				return a.tableOf(ctx, format, func(t *tracker.Tracker) (*experiments.Grid, error) {
					rows, err := experiments.AblationTable(ctx, t, options)
					if err != nil {
						return nil, err
					}
					return experiments.AblationGrid(rows, format), nil
				})
			case slices.Contains(experiments.TableNames, name):
				return a.tableOf(ctx, format, func(t *tracker.Tracker) (*experiments.Grid, error) {
					table, err := experiments.ResultTable(ctx, t, name, options)
					if err != nil {
						return nil, err
					}
					return table.Grid(format), nil
				})
			}
			query, err := os.ReadFile(name)
			if errors.Is(err, fs.ErrNotExist) {
				return usagef("no table %q: neither one of %s nor a file with a SQL query", name, strings.Join(names, ", "))
			}
			if err != nil {
				return fmt.Errorf("cannot read the query: %w", err)
			}
			return a.withTracker(ctx, func(t *tracker.Tracker) error {
				return a.writeSQL(ctx, t, string(query), format)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&options.All, "all", false, "every finished run in rows of its own, not only the newest of each model and variant")
	f.BoolVar(&options.Full, "full", false, "every cut, also in formats for people")
	f.StringVar(&options.Variant, "variant", "", "variant that formats for people show (default: the paper's on its graphs, else that of the newest run)")
	addFormatFlag(cmd, &format, experiments.Formats)
	a.addDataFlag(cmd)
	return cmd
}

// tableFlags refuses flags that would say nothing about the named table.
func tableFlags(cmd *cobra.Command, name string) error {
	var takes []string
	switch {
	case slices.Contains(experiments.TableNames, name):
		takes = []string{"all", "full", "variant"}
	case name == experiments.AblationTableName:
		takes = []string{"variant"}
	}
	for _, flag := range []string{"all", "full", "variant"} {
		if cmd.Flags().Changed(flag) && !slices.Contains(takes, flag) {
			return usagef("--%s says nothing about the table %s; leave it out", flag, name)
		}
	}
	return nil
}

// tableOf writes a table that is built from the tracker.
func (a *app) tableOf(ctx context.Context, format string, build func(*tracker.Tracker) (*experiments.Grid, error)) error {
	return a.withTracker(ctx, func(t *tracker.Tracker) error {
		grid, err := build(t)
		if err != nil {
			return err
		}
		return a.writeGrid(grid, format)
	})
}

// datasetTable needs no tracker.
func (a *app) datasetTable(format string) error {
	dirs, err := a.dataDirs()
	if err != nil {
		return err
	}
	rows, err := experiments.DatasetTable(dirs)
	if err != nil {
		return err
	}
	return a.writeGrid(experiments.DatasetGrid(rows, format), format)
}

// writeGrid writes a grid whose notes name commands as the user has to type them.
func (a *app) writeGrid(g *experiments.Grid, format string) error {
	for i, note := range g.Notes {
		g.Notes[i] = called(note, programName())
	}
	return g.Write(a.stdout, format)
}
