package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

func (a *app) runsRenameCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rename RUN NAME", Short: "Rename a run", Args: arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				run, err := a.findRun(cmd.Context(), t, args[0])
				if err != nil {
					return err
				}
				if err := t.Rename(cmd.Context(), run.ID, args[1]); err != nil {
					return err
				}
				fmt.Fprintf(a.stdout, "renamed %s from %s to %s\n", run.ID, visible.Line(run.Name), visible.Line(args[1]))
				return nil
			})
		},
	}
}

func (a *app) runsArchiveCommand() *cobra.Command {
	return a.runsTagCommand("archive", "Archive runs: the pages in the browser leave them out", "archived",
		tracker.TagArchived, "true")
}

func (a *app) runsUnarchiveCommand() *cobra.Command {
	return a.runsTagCommand("unarchive", "Take runs out of the archive", "no longer archived:", tracker.TagArchived, "")
}

// runsTagCommand returns a command that sets a tag of runs, or deletes it if the value is "".
func (a *app) runsTagCommand(name, short, done, key, value string) *cobra.Command {
	return &cobra.Command{
		Use: name + " RUN...", Short: short, Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				runs, err := a.findRuns(cmd.Context(), t, args)
				if err != nil {
					return err
				}
				for _, run := range runs {
					if err := t.SetTag(cmd.Context(), run.ID, key, value); err != nil {
						return err
					}
					fmt.Fprintf(a.stdout, "%s %s (%s)\n", done, run.ID, visible.Line(run.Name))
				}
				return nil
			})
		},
	}
}

// findRuns finds all of the runs before any is changed.
func (a *app) findRuns(ctx context.Context, t *tracker.Tracker, refs []string) ([]tracker.RunInfo, error) {
	var runs []tracker.RunInfo
	for _, ref := range refs {
		run, err := a.findRun(ctx, t, ref)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

func (a *app) runsMoveCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use: "move RUN... --to EXPERIMENT", Short: "Move runs to another experiment", Args: arguments(1, -1),
		Long: `Move runs to another experiment, which is created if there is none of this name. All are moved, or none. Their
artifacts stay where they are.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withDatabase(cmd.Context(), func(t *postgres.Store) error {
				runs, err := a.findRuns(cmd.Context(), t.Tracker, args)
				if err != nil {
					return err
				}
				var ids []string
				for _, run := range runs {
					ids = append(ids, run.ID)
				}
				if err := t.MoveRuns(cmd.Context(), ids, to); err != nil {
					return err
				}
				for _, run := range runs {
					fmt.Fprintf(a.stdout, "moved %s (%s) from %s to %s\n", run.ID, visible.Line(run.Name),
						visible.Line(run.Experiment), visible.Line(to))
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "name of the experiment")
	_ = cmd.MarkFlagRequired("to") // the flag exists
	return cmd
}

func (a *app) runsStopCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stop RUN...", Short: "Ask running trainings to save their state and end", Args: arguments(1, -1),
		Long: `Ask running trainings, on whatever machine, to save their state and end, as an interrupt (Ctrl-C) does. A training
sees that at its next heartbeat, within about ten seconds. The run is then interrupted and can be resumed.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				runs, err := a.findRuns(cmd.Context(), t, args)
				if err != nil {
					return err
				}
				for _, run := range runs {
					if err := t.AskToStop(cmd.Context(), run); err != nil {
						return err
					}
					fmt.Fprintf(a.stdout, "asked %s (%s) to stop; `%s train --resume %s` resumes it then\n", run.ID,
						visible.Line(run.Name), present.Program(), tracker.ShortID(run.ID))
				}
				return nil
			})
		},
	}
}
