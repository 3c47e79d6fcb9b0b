package command

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/filekind"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

func (a *app) tableCommand() *cobra.Command {
	var format string
	var options results.Options
	names := results.TableNames()
	cmd := &cobra.Command{
		Use:   "table NAME|FILE.sql",
		Short: "Build a table from logged runs, or from a SQL query in a file",
		Long: `Build a table of results from what is logged; nothing is computed again.

NAME is one of ` + strings.Join(names, ", ") + `, or any other graph that has runs, also by the path of its file or folder, of which only the name counts.
FILE.sql holds one SELECT.
Of each model and variant the newest finished run is taken that is as its embedded config, or, on a graph without
embedded configs, of the config with most seeds; runs of the same config with other seeds are averaged with it. Where
nothing is logged on the graph, the embedded results are shown; otherwise a note names those that are not. On the
paper's graphs its numbers stand next to ours. datasets describes the graphs in the data folders; ablation says what the
radii add.

Formats for people have one row per model, at one cut: expected-novel or else fitted-novel where every model has it,
else the criterion of the run; in the paper's variant on its graphs the margin. --full has every cut, and 95 % intervals
in text. JSON and CSV always have everything.`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			table, known := results.FindTable(name)
			if !known && (filekind.IsFolder(name) && kg.IsGraph(name) || filekind.IsFile(name) && kg.IsFile(name)) {
				name = kg.NameOf(name)
				table, known = results.FindTable(name)
			}
			if !known && !strings.HasSuffix(name, ".sql") {
				table = results.GraphTable(name)
			}
			for _, flag := range []string{"all", "full", "variant"} {
				if cmd.Flags().Changed(flag) && !slices.Contains(table.Options, flag) {
					return usagef("--%s has no effect on the table %s; leave it out", flag, name)
				}
			}
			if known {
				return a.writeTable(cmd.Context(), table, options, format)
			}
			if strings.HasSuffix(name, ".sql") {
				return a.writeQueryFile(ctx, name, format)
			}
			return a.writeGraphTable(ctx, name, options, format)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&options.All, "all", false,
		"every finished run in rows of its own, not only the newest of each model and variant")
	f.BoolVar(&options.Full, "full", false, "every cut, also in formats for people")
	f.StringVar(&options.Variant, "variant", "",
		"variant that formats for people show (default: the paper's on its graphs, else that of the newest run)")
	addFormatFlag(cmd, &format, nil)
	a.addDataFlag(cmd)
	return cmd
}

// writeQueryFile runs the SQL query in a file.
func (a *app) writeQueryFile(ctx context.Context, name, format string) error {
	query, err := os.ReadFile(name)
	if err != nil {
		return usagef("cannot read the query: %w", err)
	}
	return a.withTracker(ctx, func(t *tracker.Tracker) error {
		store, err := postgres.Of(t)
		if err != nil {
			return err
		}
		return a.writeSQL(ctx, store, string(query), format, shownRows)
	})
}

// writeGraphTable writes the table of a graph that has runs. A file with an ending other than .sql is a query too,
// unless a graph has its name.
func (a *app) writeGraphTable(ctx context.Context, name string, o results.Options, format string) error {
	var graphs []string
	if a.hasDatabase() {
		err := a.writeTable(ctx, results.GraphTable(name), o, format)
		if _, none := errors.AsType[*results.NoRunsError](err); !none {
			return err
		}
		if graphs, err = a.graphs(ctx); err != nil {
			return err
		}
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		return a.writeQueryFile(ctx, name, format)
	}
	names := append(results.TableNames(), graphs...)
	slices.Sort(names)
	return usagef("no table %q: neither one of %s nor a file with a SQL query; every graph with an evaluated run has a table",
		name, strings.Join(slices.Compact(names), ", "))
}

// graphs returns the graphs that have evaluated runs.
func (a *app) graphs(ctx context.Context) (graphs []string, err error) {
	err = a.withTracker(ctx, func(t *tracker.Tracker) (err error) {
		graphs, err = results.Graphs(ctx, t)
		return err
	})
	return graphs, err
}

// writeTable builds a table and writes it.
func (a *app) writeTable(ctx context.Context, table results.Table, o results.Options, format string) error {
	dirs, err := a.dataDirs()
	if err != nil {
		return err
	}
	write := func(s results.Sources) error {
		layout, err := table.Build(ctx, s, o)
		if _, ok := errors.AsType[*sphere.SettingError](err); ok {
			return usagef("--%w", err) // it begins with the name of the setting, which is also the flag's
		}
		if err != nil {
			return err
		}
		return a.writeGrid(layout.Grid(format), format)
	}
	if table.NoRuns {
		return write(results.Sources{DataDirs: dirs})
	}
	return a.withTracker(ctx, func(t *tracker.Tracker) error { return write(results.Sources{Runs: t, DataDirs: dirs}) })
}
