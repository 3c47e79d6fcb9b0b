package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// enqueue puts a sweep into the tracker's queue and prints what to do next, or a Slurm script that starts workers.
func (a *app) enqueue(cmd *cobra.Command, sweep *search.Sweep, priority int, slurm bool) error {
	return a.withRunner(cmd.Context(), 0, func(r *experiments.Runner) error {
		fmt.Fprintln(a.stderr, sweep.Plan())
		done, err := sweep.Enqueue(cmd.Context(), r)
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("priority") {
			store, err := postgres.Of(r.Tracker)
			if err != nil {
				return err
			}
			if err := store.SetPriority(cmd.Context(), sweep.QueueName(), priority); err != nil {
				return err
			}
		}
		out := a.stdout
		if slurm {
			out = a.stderr // the script is the output
		}
		fmt.Fprintf(out, "%s: %s, %d new in the queue, %d finished before\n", sweep.QueueName(),
			quantity.Count(done.Jobs, "job"), done.New, done.Done)
		if slurm {
			return a.writeSlurm(sweep.QueueName(), done.Jobs-done.Done)
		}
		_, err = fmt.Fprintf(out, "next: `%s worker`, on any machine\n", present.Program())
		return err
	})
}

// queueCommands returns the commands that change what workers do with an enqueued sweep.
func (a *app) queueCommands(layers func(*cobra.Command) config.Layers) []*cobra.Command {
	command := func(use, short string, do func(*cobra.Command, *postgres.Store, string) error) *cobra.Command {
		return &cobra.Command{Use: use + " SWEEP.yaml", Short: short, Args: arguments(1, 1),
			RunE: func(cmd *cobra.Command, args []string) error {
				sweep, err := search.Load(args[0], layers(cmd))
				if err != nil {
					return err
				}
				return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
					store, err := postgres.Of(t)
					if err != nil {
						return err
					}
					return do(cmd, store, sweep.QueueName())
				})
			}}
	}
	return []*cobra.Command{
		command("pause", "Keep workers from taking further jobs of a sweep", func(cmd *cobra.Command, t *postgres.Store,
			name string) error {
			return t.PauseSweep(cmd.Context(), name, true)
		}),
		command("resume", "Let workers take the jobs of a paused sweep again", func(cmd *cobra.Command, t *postgres.Store,
			name string) error {
			return t.PauseSweep(cmd.Context(), name, false)
		}),
		command("cancel", "Take a sweep out of the queue; workers save the runs that they have", func(cmd *cobra.Command,
			t *postgres.Store, name string) error {
			n, err := search.Cancel(cmd.Context(), t.Tracker, name)
			if err == nil {
				fmt.Fprintf(a.stdout, "%s: %s canceled\n", name, quantity.Count(n, "job"))
			}
			return err
		}),
	}
}
