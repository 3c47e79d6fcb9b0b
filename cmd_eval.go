package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// criterion reads --criterion; "" leaves the choice to the run.
func criterion(text string) (sphere.Criterion, error) {
	if c := sphere.Criterion(text); c == "" || slices.Contains(sphere.Criteria(), c) {
		return c, nil
	}
	return "", usagef("--criterion must be one of %s, not %q", criteria(), text)
}

// criteria names all criteria.
func criteria() string {
	var names []string
	for _, c := range sphere.Criteria() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

func (a *app) evalCommand() *cobra.Command {
	var options experiments.EvalOptions
	var cut, format, split, against, cutA, cutB string
	var dropItself bool
	var with []string
	cmd := &cobra.Command{
		Use:   "eval RUN",
		Short: "Evaluate a logged run's checkpoint again",
		Long: `Evaluate the checkpoint of a logged run again, by default as its config says, and print the result.
Nothing is logged. --format json prints the whole report, with every relation and category.

--against compares the run with another one: the difference of each metric with its 95 % interval, by paired bootstrap
over the distinct queries. --cut and --against-cut choose the cut of each run, for example margin or fitted-f1 (default:
the run's criterion). To compare two cuts of one model, name the same run twice. Without --against, --cut adds a cut to
those of the run's config, for example boxes or top-7.

--with adds cuts by calibrated probabilities: expected-f1, expected-novel, expected-union, precision-0.8, recall-0.5. Of
a promised precision or recall a note says what the validation and the evaluated facts give.

--drop-itself drops the asked entity from RUN's answers where no training fact of the relation leads from an entity to
itself, as eval.drop_itself does; thresholds and probabilities are fitted without it. With --against RUN itself it shows
what that changes.`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format, nil); err != nil {
				return err
			}
			var err error
			if options.Criterion, err = criterion(cut); err != nil {
				return err
			}
			switch split {
			case "test":
			case "valid":
				options.Valid = true
			default:
				return usagef("--split must be test or valid, not %q", split)
			}
			if options.Fit && options.Valid {
				return usagef("--fit fits thresholds on the validation triples; evaluate them with --split test")
			}
			if cmd.Flags().Changed("bootstrap") && options.Resamples < 0 {
				return usagef("--bootstrap must not be negative")
			}
			for i, l := range options.TopL {
				if l < 1 || slices.Contains(options.TopL[:i], l) {
					return usagef("--top-l must be different sizes from 1, not %v", options.TopL)
				}
			}
			for _, name := range with {
				parsed, _ := eval.ParseCut(name)
				limited, ok := parsed.(eval.Limited)
				if !ok {
					return usagef("--with takes cuts by probabilities, as expected-novel and precision-0.8, not %q", name)
				}
				options.With = append(options.With, limited)
			}
			if len(with) > 0 && (options.Valid || against != "") {
				return usagef("--with is for an evaluation of one run on the test split")
			}
			if options.Threads < 0 {
				return usagef("--threads must not be negative")
			}
			options.SetResamples = cmd.Flags().Changed("bootstrap")
			if against == "" && cutB != "" {
				return usagef("--against-cut belongs to --against")
			}
			for flag, name := range map[string]string{"--cut": cutA, "--against-cut": cutB} {
				if _, known := eval.ParseCut(name); name != "" && !known {
					_, err := experiments.ParseAnswerCut(name) // which offers the nearest name
					return usagef("%s: %w", flag, err)
				}
			}
			if against != "" {
				return a.compare(cmd.Context(), args[0], against, cutA, cutB, dropItself, options, format)
			}
			return a.withRun(cmd.Context(), args[0], func(ctx context.Context, run *experiments.TrainedRun) error {
				if dropItself {
					run = run.DropItself()
				}
				if options, err = options.Measuring(run, cutA); err != nil {
					return err
				}
				progress, end := a.progress(false)
				options.KeepRecords = len(options.With) > 0
				report, err := run.Evaluate(ctx, options, progress)
				end()
				if err != nil {
					return err
				}
				if err := a.notePromises(ctx, run, report, options.With); err != nil {
					return err
				}
				report.Records = nil
				if format == "json" {
					return results.WriteJSON(a.stdout, report)
				}
				return a.writeGrid(results.ReportTable(run, report).Grid(format), format)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&cut, "criterion", "",
		"criterion of the plain metrics: one of "+criteria()+" (default: the run's)")
	f.StringVar(&split, "split", "test", "split to evaluate on: test or valid")
	f.IntSliceVar(&options.TopL, "top-l", nil, "sizes of the top-l cuts (default: the run's)")
	f.BoolVar(&options.Fit, "fit", false, "add cuts fitted on the validation triples (default: the run's)")
	f.IntVar(&options.Resamples, "bootstrap", 0, "resamples behind the intervals, 0 for none (default: the run's)")
	f.IntVar(&options.Threads, "threads", 0, "worker threads, 0 for all cores; never changes a result")
	f.StringSliceVar(&with, "with", nil, "also measure these cuts: expected-novel, precision-0.8, ...")
	f.BoolVar(&dropItself, "drop-itself", false,
		"drop the asked entity from RUN's answers where no training fact of the relation is a loop")
	f.StringVar(&against, "against", "", "compare with this `RUN`, paired over distinct queries")
	f.StringVar(&cutA, "cut", "", "also measure this cut; with --against: compare RUN at it")
	f.StringVar(&cutB, "against-cut", "", "with --against: the cut of the other run")
	addFormatFlag(cmd, &format, results.Formats)
	a.addDataFlag(cmd)
	return cmd
}

// notePromises says on stderr what came of promised precisions and recalls.
func (a *app) notePromises(
	ctx context.Context, run *experiments.TrainedRun, report *eval.Report, cuts []eval.Limited,
) error {
	for _, cut := range cuts {
		promised, ok := cut.(eval.Promised)
		if !ok {
			continue
		}
		by, err := run.Calibrated(ctx, cut.Name(), 0, nil)
		if err != nil {
			return err
		}
		promised = promised.By(by).(eval.Promised)
		outcome := promised.Outcome()
		fmt.Fprint(a.stderr, "note: "+outcome.Text(promised))
		if kept, ok := report.Records.Kept(cut.Name()); ok && outcome.Reached {
			fmt.Fprintf(a.stderr, "; on the %s facts: precision %.3f, recall %.3f", report.Split, kept.Precision,
				kept.Recall)
		}
		fmt.Fprintln(a.stderr)
	}
	return nil
}

// compare evaluates two runs and writes their paired comparison.
func (a *app) compare(
	ctx context.Context, ref, against, cutA, cutB string, dropItself bool, o experiments.EvalOptions, format string,
) error {
	return a.withRun(ctx, ref, func(ctx context.Context, run *experiments.TrainedRun) error {
		if dropItself {
			run = run.DropItself()
		}
		return a.withRun(ctx, against, func(ctx context.Context, other *experiments.TrainedRun) error {
			progress, end := a.progress(false)
			comparison, err := results.ComparePaired(ctx, run, other, cutA, cutB, o, progress)
			end()
			if err != nil {
				return err
			}
			return a.writeGrid(results.ComparisonGrid(run, other, comparison, format), format)
		})
	})
}

// withRun loads a finished run for one command.
func (a *app) withRun(ctx context.Context, ref string, do func(context.Context, *experiments.TrainedRun) error) error {
	dirs, err := a.dataDirs()
	if err != nil {
		return err
	}
	if err := checkSIMD(); err != nil {
		return err
	}
	return a.withTracker(ctx, func(t *tracker.Tracker) error {
		info, err := a.findModel(ctx, t, ref)
		if err != nil {
			return err
		}
		run, err := experiments.OpenRun(ctx, t, info.ID, dirs)
		if err != nil {
			return err
		}
		a.noteUnfinished(run)
		return do(ctx, run)
	})
}

// checkSIMD refuses a SPHERELAB_SIMD that this machine or this program does not have, before anything starts.
func checkSIMD() error {
	if _, err := sphere.SIMDPath(); err != nil {
		return usageError{err}
	}
	return nil
}

func addFormatFlag(cmd *cobra.Command, format *string, formats []string) {
	cmd.Flags().StringVar(format, "format", "text", fmt.Sprintf("output format: %v", formats))
}

// checkFormat refuses an unknown format; allowed narrows the choice, nil allows all that a grid has.
func checkFormat(format string, allowed []string) error {
	if allowed == nil {
		allowed = results.Formats
	}
	if !slices.Contains(allowed, format) {
		return usagef("flag --format: must be one of %s, not %q", strings.Join(allowed, ", "), format)
	}
	return nil
}
