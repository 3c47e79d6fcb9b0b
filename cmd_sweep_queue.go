package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/tracker"
)

// enqueue puts a sweep into the tracker's queue and says what comes next, or prints a script for Slurm that does it.
func (a *app) enqueue(cmd *cobra.Command, sweep *experiments.Sweep, priority int, slurm bool) error {
	return a.withRunner(cmd.Context(), 0, func(r *experiments.Runner) error {
		fmt.Fprintln(a.stderr, sweep.Plan())
		done, err := sweep.Enqueue(cmd.Context(), r)
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("priority") {
			if err := r.Tracker.SetPriority(cmd.Context(), sweep.QueueName(), priority); err != nil {
				return err
			}
		}
		out := a.stdout
		if slurm {
			out = a.stderr // the script is the output
		}
		fmt.Fprintf(out, "%s: %s, %d new in the queue, %d finished before\n", sweep.QueueName(),
			countText(done.Jobs, "job"), done.New, done.Done)
		if slurm {
			return a.writeSlurm(sweep.QueueName(), done.Jobs-done.Done)
		}
		_, err = fmt.Fprintf(out, "next: `%s worker`, on any machine\n", programName())
		return err
	})
}

// queueCommands change what workers do with an enqueued sweep.
func (a *app) queueCommands(layers func(*cobra.Command) experiments.Layers) []*cobra.Command {
	command := func(use, short string, do func(*cobra.Command, *tracker.Tracker, string) error) *cobra.Command {
		return &cobra.Command{Use: use + " SWEEP.yaml", Short: short, Args: arguments(1, 1),
			RunE: func(cmd *cobra.Command, args []string) error {
				sweep, err := experiments.LoadSweep(args[0], layers(cmd))
				if err != nil {
					return err
				}
				return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
					return do(cmd, t, sweep.QueueName())
				})
			}}
	}
	return []*cobra.Command{
		command("pause", "Keep workers from taking further jobs of a sweep", func(cmd *cobra.Command, t *tracker.Tracker,
			name string) error {
			return t.PauseSweep(cmd.Context(), name, true)
		}),
		command("resume", "Let workers take the jobs of a paused sweep again", func(cmd *cobra.Command, t *tracker.Tracker,
			name string) error {
			return t.PauseSweep(cmd.Context(), name, false)
		}),
		command("cancel", "Take a sweep out of the queue; workers save the runs that they have", func(cmd *cobra.Command,
			t *tracker.Tracker, name string) error {
			n, err := experiments.CancelSweep(cmd.Context(), t, name)
			if err == nil {
				fmt.Fprintf(a.stdout, "%s: %s canceled\n", name, countText(n, "job"))
			}
			return err
		}),
	}
}
