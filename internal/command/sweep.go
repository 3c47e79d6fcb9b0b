package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// sweepFlags are the flags of sweep.
type sweepFlags struct {
	set            []string
	threads        int
	export, best   string
	enqueue, slurm bool
	priority       int
}

// bind adds the flags. --set is also added to the commands below cmd.
func (f *sweepFlags) bind(cmd *cobra.Command) {
	cmd.PersistentFlags().StringArrayVar(&f.set, "set", nil,
		"set a config key in every run, `key=value`; may be repeated")
	flags := cmd.Flags()
	flags.IntVar(&f.threads, "threads", 0, "worker threads, 0 for all cores; never changes a result")
	flags.StringVar(&f.export, "export", "",
		"export every run of the sweep as soon as it is finished, into this `folder` or one file that ends in "+
			results.ArchiveEnding)
	flags.StringVar(&f.best, "best", "", "write the best config of a search into this `file`, as YAML")
	flags.BoolVar(&f.enqueue, "enqueue-only", false, "train nothing; put the runs into the tracker's queue, for workers")
	flags.BoolVar(&f.slurm, "slurm", false, "as --enqueue-only, and print a job script for Slurm that starts workers")
	flags.Var(priorityValue(&f.priority), "priority",
		"with --enqueue-only: workers take the sweep of the greatest `number` first")
	for _, queued := range []string{"enqueue-only", "slurm"} {
		for _, own := range []string{"export", "best", "threads"} {
			markExclusive(cmd, "--"+own+" says what this program does with its runs; workers train those of an enqueued sweep",
				queued, own)
		}
	}
}

// layers returns the settings of the environment and the flags for every config.
func (f *sweepFlags) layers(cmd *cobra.Command, env []string) config.Layers {
	l := config.Layers{Env: env, Set: f.set}
	if cmd.Flags().Changed("threads") {
		l.Flags = append(l.Flags, config.FlagValue{Flag: "threads", Key: "threads", Value: strconv.Itoa(f.threads)})
	}
	return l
}

func (a *app) sweepCommand() *cobra.Command {
	var f sweepFlags
	layers := func(cmd *cobra.Command) config.Layers { return f.layers(cmd, a.env) }
	cmd := &cobra.Command{
		Use:   "sweep SWEEP.yaml",
		Short: "Train a list of configs and seeds, or search for the best config",
		Long: `Train every config and seed that SWEEP.yaml lists, one after the other. Finished runs in the tracker are
skipped, interrupted ones are resumed, and after a failed run the others are still trained. An interrupt (Ctrl-C) saves
the run in progress; the same command continues from there.

SWEEP.yaml has the key runs, a list of items with a config and optionally seeds, set (key=value items, as for --set) and
each (keys with lists of values, of which every combination is a run; "model: [all]" is every model):

  runs:
    - config: fb15k-237/sphere-2d
      seeds: [42, 1, 2]
    - config: umls/sphere-2d
      each: {dimension: [32, 64], gamma: [6, 9]}

With the key search instead, it looks for the config with the best validation: it draws trials from a space, stops the
worse ones early, and trains the best config with its evaluation on the test triples, which no trial has.
` + search.ExampleSearch + ` has every option. The ranking and the best config are written at the end.

` + search.DefaultSweep + ` lists the rows of the paper's tables,
` + search.PatternSweep + ` the runs on inference patterns, and
` + search.DimensionSweep + ` those in 2 to 20 dimensions. All are embedded.
sweep status shows which runs of a sweep are done. With --enqueue-only the runs wait in the tracker for workers
(worker --help), on this machine or others.`,
		Example: `  spherelab sweep ` + search.DefaultSweep + ` --data ../data --export results
  spherelab sweep ` + search.DefaultSweep + ` --data ../data --enqueue-only
  spherelab sweep ` + search.ExampleSearch + ` --best best.yaml
  spherelab sweep status ` + search.DefaultSweep,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.sweepOrEnqueue(cmd, args[0], &f) },
	}
	f.bind(cmd)
	a.dataFlag(cmd.PersistentFlags())
	cmd.AddCommand(a.sweepStatusCommand(layers))
	cmd.AddCommand(a.queueCommands(layers)...)
	return cmd
}

// sweepOrEnqueue checks a sweep's file and flags together, and trains the runs or leaves them to workers.
func (a *app) sweepOrEnqueue(cmd *cobra.Command, file string, f *sweepFlags) error {
	l := f.layers(cmd, a.env)
	sweep, err := search.Load(file, l)
	if err != nil {
		return err
	}
	if err := checkSIMD(); err != nil {
		return err
	}
	if f.enqueue || f.slurm {
		return a.enqueue(cmd, sweep, f.priority, f.slurm)
	}
	if err := requireOther(cmd, "priority", "enqueue-only", "slurm"); err != nil {
		return err
	}
	if sweep.Search == nil && f.best != "" {
		return usagef("--best is for a search; %s has the key runs", file)
	}
	if sweep.Search != nil && f.export != "" {
		return usagef("--export is for a list of runs; export the best run of a search when it has ended")
	}
	return a.withRunner(cmd.Context(), sweepPatience, func(r *experiments.Runner) error {
		return a.sweep(cmd.Context(), r, sweep, l.Flags, f)
	})
}

// sweep trains the runs of a sweep, or searches and shows what the search has found.
func (a *app) sweep(ctx context.Context, r *experiments.Runner, sweep *search.Sweep, flags []config.FlagValue,
	f *sweepFlags) error {
	shown, end := a.progress(false)
	r.Progress = shown
	done := a.interrupts.register(r.Abandon)
	o := search.Options{Flags: flags, Say: func(line string) {
		shown.Event(progress.Event{Event: progress.Note, Message: line})
	}}
	if f.export != "" {
		o.Export = results.Exporter(r.Tracker, f.export)
	}
	o.Say(sweep.Plan())
	if sweep.Search == nil {
		defer end()
		defer done()
		return sweep.Run(ctx, r, o)
	}
	report, err := sweep.Search.Run(ctx, r, o)
	done()
	end()
	if err != nil {
		return err
	}
	return a.showSearch(report, f.best)
}

// showSearch writes the ranking of a search and the best config, into a file if one is named.
func (a *app) showSearch(report *search.Report, file string) error {
	if err := a.writeGrid(results.SearchGrid(report, nil), "text"); err != nil {
		return err
	}
	config := report.Best.SparseYAML()
	if file == "" {
		fmt.Fprintf(a.stdout, "\nThe best config:\n\n%s", indented(string(config)))
		return nil
	}
	if err := atomicfile.Write(file, config, 0o644); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, "\nThe best config is in "+file)
	return nil
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

func (a *app) sweepStatusCommand(layers func(*cobra.Command) config.Layers) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "status [SWEEP.yaml]",
		Short: "List the runs of a sweep (by default the paper's): done, started or missing",
		Args:  arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := strings.Join(append(args, search.DefaultSweep)[:1], "")
			sweep, err := search.Load(file, layers(cmd))
			if err != nil {
				return err
			}
			return a.withRunner(cmd.Context(), 0, func(r *experiments.Runner) error {
				var queue []tracker.Job
				if store, err := postgres.Of(r.Tracker); err == nil { // only a database has a queue
					if queue, err = store.Jobs(cmd.Context(), sweep.QueueName()); err != nil {
						return err
					}
				}
				if sweep.Search != nil {
					report, err := sweep.Search.Status(cmd.Context(), r)
					if err != nil {
						return fmt.Errorf("%s: %w", file, err)
					}
					return a.writeGrid(results.SearchGrid(report, queue), format)
				}
				list, err := sweep.Status(cmd.Context(), r)
				if err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				return a.writeGrid(results.SweepGrid(list, queue), format)
			})
		},
	}
	addFormatFlag(cmd, &format, nil)
	return cmd
}

// sweepPatience is how long a sweep waits, between two runs, for a database that is away. It is long enough for a
// restart.
const sweepPatience = 10 * time.Minute

// withRunner opens the tracker for a command that works with configs. patience is how long it waits for a lost
// database.
func (a *app) withRunner(ctx context.Context, patience time.Duration, do func(*experiments.Runner) error) (err error) {
	dirs, err := a.dataDirs()
	if err != nil {
		return err
	}
	at, err := a.address()
	if err != nil {
		return err
	}
	t, err := a.openTracker(ctx, at, patience)
	if err != nil {
		return err
	}
	defer func() { err = closeAnd(err, t) }()
	return do(&experiments.Runner{Tracker: t, DataDirs: dirs, Environment: a.environment(ctx)})
}
