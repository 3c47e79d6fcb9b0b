package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/tracker"
)

func (a *app) runsCommand() *cobra.Command {
	return group("runs", "Logged runs: list, show, compare, verify, export, import, delete", a.runsListCommand(), a.runsShowCommand(), a.runsCompareCommand(),
		a.runsVerifyCommand(), a.runsExportCommand(), a.runsImportCommand(), a.runsDeleteCommand(), a.runsRestoreCommand(), a.runsSweepCommand())
}

// statuses are the values of --status.
var statuses = []string{"running", "finished", "failed", "killed"}

func (a *app) runsListCommand() *cobra.Command {
	var format, experiment, status string
	var limit int
	var deleted bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List runs, newest first", Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := experiments.CheckFormat(format, nil); err != nil {
				return err
			}
			if limit < 0 {
				return usagef("--limit must not be negative")
			}
			if status != "" && !slices.Contains(statuses, strings.ToLower(status)) {
				return usagef("--status must be one of %s, not %q", strings.Join(statuses, ", "), status)
			}
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				runs, err := t.Runs(cmd.Context(), tracker.Filter{Experiment: experiment, Status: tracker.Status(strings.ToUpper(status)),
					Deleted: deleted, Limit: limit})
				if err != nil {
					return err
				}
				g := experiments.RunGrid(runs, format)
				if format == "text" && len(runs) == 0 {
					g.Notes = []string{noRuns(experiment, status, deleted)}
				}
				return g.Write(a.stdout, format)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&experiment, "experiment", "", "only runs of this experiment")
	f.StringVar(&status, "status", "", "only runs with this status: "+strings.Join(statuses, ", "))
	f.IntVar(&limit, "limit", 0, "at most so many runs; 0 lists all")
	f.BoolVar(&deleted, "deleted", false, "list deleted runs instead")
	addFormatFlag(cmd, &format, experiments.Formats)
	return cmd
}

// noRuns is what an empty list says.
func noRuns(experiment, status string, deleted bool) string {
	var filters []string
	if experiment != "" {
		filters = append(filters, fmt.Sprintf("--experiment %q", experiment))
	}
	if status != "" {
		filters = append(filters, "--status "+strings.ToLower(status))
	}
	if deleted {
		filters = append(filters, "--deleted")
	}
	if len(filters) > 0 {
		return "no run matches " + strings.Join(filters, " ")
	}
	return fmt.Sprintf("no runs; `%s train` makes some", programName())
}

func (a *app) runsShowCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "show RUN", Short: "Show everything that was logged with a run", Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := experiments.CheckFormat(format, []string{"text", "json", "csv"}); err != nil {
				return err
			}
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				run, err := a.findRun(cmd.Context(), t, args[0])
				if err != nil {
					return err
				}
				switch format {
				case "json":
					return experiments.WriteJSON(a.stdout, experiments.NewRunRecord(run))
				case "csv":
					return experiments.RunEntries(run).Write(a.stdout, format)
				}
				return experiments.WriteRun(a.stdout, run)
			})
		},
	}
	addFormatFlag(cmd, &format, []string{"text", "json", "csv"})
	return cmd
}

func (a *app) runsCompareCommand() *cobra.Command {
	var format string
	var all bool
	cmd := &cobra.Command{
		Use: "compare RUN RUN...", Short: "Show runs side by side: params that differ, and metrics", Args: arguments(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := experiments.CheckFormat(format, nil); err != nil {
				return err
			}
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				var runs []tracker.RunInfo
				for _, ref := range args {
					run, err := a.findRun(cmd.Context(), t, ref)
					if err != nil {
						return err
					}
					runs = append(runs, run)
				}
				return experiments.CompareGrid(runs, format, all).Write(a.stdout, format)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also params that agree and metrics of every cut")
	addFormatFlag(cmd, &format, experiments.Formats)
	return cmd
}

func (a *app) runsDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "delete RUN...", Short: "Mark runs as deleted; restore undoes it", Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				for _, ref := range args {
					run, err := a.findRun(cmd.Context(), t, ref)
					if err != nil {
						return err
					}
					if err := t.Delete(cmd.Context(), run.ID); err != nil {
						return err
					}
					fmt.Fprintf(a.stdout, "deleted %s (%s); `%s runs restore %s` undoes it\n", run.ID, run.Name, programName(), run.ID[:min(8, len(run.ID))])
				}
				return nil
			})
		},
	}
}

func (a *app) runsRestoreCommand() *cobra.Command {
	return &cobra.Command{
		Use: "restore RUN...", Short: "Restore deleted runs", Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				for _, ref := range args {
					run, err := a.noteSameName(t.FindDeletedRun(cmd.Context(), ref))
					if err != nil {
						return err
					}
					if err := t.Restore(cmd.Context(), run.ID); err != nil {
						return err
					}
					fmt.Fprintf(a.stdout, "restored %s (%s)\n", run.ID, run.Name)
				}
				return nil
			})
		},
	}
}

func (a *app) runsSweepCommand() *cobra.Command {
	return &cobra.Command{
		Use: "sweep-stale", Short: "Mark runs as failed whose program died", Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				swept, err := t.SweepStale(cmd.Context())
				if err != nil {
					return err
				}
				for _, id := range swept {
					fmt.Fprintln(a.stdout, id)
				}
				fmt.Fprintf(a.stderr, "%s marked as failed\n", countText(len(swept), "run"))
				return nil
			})
		},
	}
}
