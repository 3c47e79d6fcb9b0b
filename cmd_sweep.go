package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/tracker"
)

func (a *app) sweepCommand() *cobra.Command {
	var set []string
	var threads int
	var export, best string
	var enqueue, slurm bool
	var priority int
	layers := func(cmd *cobra.Command) experiments.Layers {
		l := experiments.Layers{Env: a.env, Set: set}
		if cmd.Flags().Changed("threads") {
			l.Flags = append(l.Flags, experiments.FlagValue{Flag: "threads", Key: "threads",
				Value: strconv.Itoa(threads)})
		}
		return l
	}
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
` + experiments.ExampleSearch + ` has every option. The ranking and the best config are written at the end.

` + experiments.DefaultSweep + ` lists the rows of the paper's tables,
` + experiments.PatternSweep + ` the runs on inference patterns, and
` + experiments.DimensionSweep + ` those in 2 to 20 dimensions. All are embedded.
sweep status shows which runs of a sweep are done. With --enqueue-only the runs wait in the tracker for workers
(worker --help), on this machine or others.`,
		Example: `  spherelab sweep ` + experiments.DefaultSweep + ` --data ../data --export results
  spherelab sweep ` + experiments.DefaultSweep + ` --data ../data --enqueue-only
  spherelab sweep ` + experiments.ExampleSearch + ` --best best.yaml
  spherelab sweep status ` + experiments.DefaultSweep,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l := layers(cmd)
			sweep, err := experiments.LoadSweep(args[0], l)
			if err != nil {
				return err
			}
			if err := checkSIMD(); err != nil {
				return err
			}
			if priority != int(int32(priority)) {
				return usagef("--priority must be a number from %d to %d, not %d", math.MinInt32, math.MaxInt32, priority)
			}
			if enqueue || slurm {
				for _, flag := range []string{"export", "best", "threads"} {
					if cmd.Flags().Changed(flag) {
						return usagef("--%s says what this program does with its runs; workers train those of an enqueued sweep", flag)
					}
				}
				return a.enqueue(cmd, sweep, priority, slurm)
			}
			if cmd.Flags().Changed("priority") {
				return usagef("--priority is for --enqueue-only and --slurm")
			}
			if sweep.Search == nil && best != "" {
				return usagef("--best is for a search; %s has the key runs", args[0])
			}
			if sweep.Search != nil && export != "" {
				return usagef("--export is for a list of runs; export the best run of a search when it has ended")
			}
			return a.withRunner(cmd.Context(), sweepPatience, func(r *experiments.Runner) error {
				progress, end := a.progress(false)
				r.Progress = progress
				done := a.interrupts.running(r.Abandon)
				o := experiments.SweepOptions{Flags: l.Flags, Say: func(line string) {
					progress.Event(experiments.Event{Event: experiments.Note, Message: line})
				}}
				if export != "" {
					o.Export = results.Exporter(r.Tracker, export)
				}
				o.Say(sweep.Plan())
				if sweep.Search == nil {
					defer end()
					defer done()
					return sweep.Run(cmd.Context(), r, o)
				}
				report, err := sweep.Search.Run(cmd.Context(), r, o)
				done()
				end()
				if err != nil {
					return err
				}
				return a.showSearch(report, best)
			})
		},
	}
	f := cmd.PersistentFlags()
	f.StringArrayVar(&set, "set", nil, "set a config key in every run, `key=value`; may be repeated")
	a.dataFlag(f)
	cmd.Flags().IntVar(&threads, "threads", 0, "worker threads, 0 for all cores; never changes a result")
	cmd.Flags().StringVar(&export, "export", "",
		"export every run of the sweep as soon as it is finished, into this `folder` or one file that ends in "+
			results.ArchiveEnding)
	cmd.Flags().StringVar(&best, "best", "", "write the best config of a search into this `file`, as YAML")
	cmd.Flags().BoolVar(&enqueue, "enqueue-only", false, "train nothing; put the runs into the tracker's queue, for workers")
	cmd.Flags().BoolVar(&slurm, "slurm", false, "as --enqueue-only, and print a job script for Slurm that starts workers")
	cmd.Flags().IntVar(&priority, "priority", 0, "with --enqueue-only: workers take the sweep of the greatest `number` first")
	cmd.AddCommand(a.sweepStatusCommand(layers))
	cmd.AddCommand(a.queueCommands(layers)...)
	return cmd
}

// showSearch writes the ranking of a search and the best config, into a file if one is named.
func (a *app) showSearch(report *experiments.SearchReport, file string) error {
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

func (a *app) sweepStatusCommand(layers func(*cobra.Command) experiments.Layers) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "status [SWEEP.yaml]",
		Short: "List the runs of a sweep (by default the paper's): done, started or missing",
		Args:  arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format, nil); err != nil {
				return err
			}
			file := strings.Join(append(args, experiments.DefaultSweep)[:1], "")
			sweep, err := experiments.LoadSweep(file, layers(cmd))
			if err != nil {
				return err
			}
			return a.withRunner(cmd.Context(), 0, func(r *experiments.Runner) error {
				var queue []tracker.Job
				if !r.Tracker.Remote() { // a queue is in a database
					if queue, err = r.Tracker.Jobs(cmd.Context(), sweep.QueueName()); err != nil {
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
	addFormatFlag(cmd, &format, results.Formats)
	return cmd
}

// sweepPatience is how long a sweep waits for a database that is away between two runs: a restart, not a holiday.
const sweepPatience = 10 * time.Minute

// withRunner opens the tracker for a command that works with configs, and waits so long for a lost database.
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
	defer func() { err = closing(err, t) }()
	return do(&experiments.Runner{Tracker: t, DataDirs: dirs, Environment: a.environment(ctx)})
}
