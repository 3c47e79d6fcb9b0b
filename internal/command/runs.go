package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

func (a *app) runsCommand() *cobra.Command {
	return group("runs", "Logged runs: list, show, compare, export, import, archive, stop, delete, purge", a.runsListCommand(),
		a.runsShowCommand(), a.runsCompareCommand(),
		a.runsRadiusCommand(), a.runsCalibrationCommand(),
		a.runsVerifyCommand(), a.runsExportCommand(), a.runsImportCommand(),
		a.runsExportModelCommand(), a.runsImportModelCommand(),
		a.runsRenameCommand(), a.runsArchiveCommand(), a.runsUnarchiveCommand(), a.runsMoveCommand(),
		a.runsStopCommand(), a.runsDeleteCommand(),
		a.runsRestoreCommand(), a.runsPurgeCommand(), a.runsSweepCommand())
}

func (a *app) runsListCommand() *cobra.Command {
	var format, experiment, search string
	var status tracker.Status
	var limit int
	var deleted, trials bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List runs, newest first", Args: arguments(0, 0),
		Example: `  spherelab runs ls --status finished --limit 10
  spherelab runs ls --filter "metrics.loss < 0.5 and params.model = 'rotate'" --format csv
  spherelab runs ls --filter "umls rotate"`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				filter := tracker.Filter{Experiment: experiment, Status: status, Deleted: deleted, Limit: limit}
				if search != "" {
					if err := searchRuns(cmd.Context(), t, search, &filter); err != nil {
						return err
					}
				}
				runs, hasTrials, err := listedRuns(cmd.Context(), t, filter, trials || format != "text")
				if err != nil {
					return err
				}
				logged := results.ReadAll(runs)
				cut, err := listCut(cmd.Context(), t, logged, filter)
				if err != nil {
					return err
				}
				g := results.RunGrid(logged, format, cut)
				switch {
				case format != "text" || len(runs) == 0 && hasTrials:
				case len(runs) == 0:
					g.Notes = append(g.Notes, noRuns(experiment, search, status, deleted))
				case cut != "":
					g.Notes = append(g.Notes, hint.Note{Text: fmt.Sprintf("head f1, tail f1: at the cut %s for all runs, as their"+
						" own cuts differ; `%s runs show RUN` has each at its own", cut, present.Program())})
				case slices.ContainsFunc(logged, results.Run.Evaluated):
					g.Notes = append(g.Notes, hint.Note{Text: fmt.Sprintf("head f1, tail f1: at the run's own cut, which"+
						" `%[1]s runs show RUN` names; `%[1]s table GRAPH` has the cut of answers", present.Program())})
				}
				if hasTrials {
					g.Notes = append(g.Notes, hint.Note{Text: "trials of searches are left out; --trials lists them"})
				}
				return a.writeGrid(g, format)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&experiment, "experiment", "", "only runs of this experiment")
	f.StringVar(&search, "filter", "", "only runs of this filter in MLflow's language, or with all of these words; needs a database")
	f.Var(statusValue(&status), "status", "only runs with this status: "+strings.Join(statusWords(), ", "))
	f.Var(countValue(&limit, 0, 0), "limit", "at most this many runs; 0 lists all")
	f.BoolVar(&deleted, "deleted", false, "list deleted runs instead")
	markExclusive(cmd, "filters search the runs that are not deleted", "filter", "deleted")
	f.BoolVar(&trials, "trials", false, "list trials of searches too; csv and json always do")
	addFormatFlag(cmd, &format, nil)
	return cmd
}

// searchRuns limits a filter to the runs that the database finds.
func searchRuns(ctx context.Context, t *tracker.Tracker, search string, f *tracker.Filter) error {
	store, err := postgres.Of(t)
	if err != nil {
		return usageError{err}
	}
	found, err := store.List(ctx, tracker.Listing{Search: search, Experiment: f.Experiment})
	if err != nil {
		if tracker.ErrorCode(err) == tracker.CodeInvalid {
			return usagef("flag --filter: %w", err)
		}
		return err
	}
	f.IDs = make([]string, 0, len(found.Runs)) // none found is none, not any
	for _, run := range found.Runs {
		f.IDs = append(f.IDs, run.ID)
	}
	return nil
}

// listedRuns returns the runs of a filter, with or without the trials of searches, of which a training may have dozens,
// and whether any were left out.
func listedRuns(ctx context.Context, t *tracker.Tracker, f tracker.Filter, trials bool) (runs []tracker.RunInfo,
	hasTrials bool, err error) {
	for limit := f.Limit; ; f.Limit *= 4 {
		runs, err = t.Runs(ctx, f)
		found := len(runs)
		if !trials {
			runs = slices.DeleteFunc(runs, answer.IsTrial)
		}
		hasTrials = len(runs) < found
		if limit > 0 && len(runs) > limit {
			runs = runs[:limit]
		}
		if err != nil || f.Limit == 0 || found < f.Limit || len(runs) == limit {
			return runs, hasTrials, err
		}
	}
}

// listCut returns the cut of a list of runs. It is chosen from all matching runs, however many are listed; "" if all
// have the same cut.
func listCut(ctx context.Context, t *tracker.Tracker, list []results.Run, f tracker.Filter) (string, error) {
	if f.Limit == 0 || len(list) < f.Limit {
		return results.OneCut(list), nil
	}
	store, err := postgres.Of(t)
	if err != nil || f.Deleted || f.IDs != nil { // a tracking server, or runs that a listing does not describe
		f.Limit = 0
		all, err := t.Runs(ctx, f)
		return results.OneCut(results.ReadAll(all)), err
	}
	l := tracker.Listing{Experiment: f.Experiment}
	if f.Status != "" {
		l.Search = "attributes.status = '" + string(f.Status) + "'"
	}
	cuts, err := store.Cuts(ctx, l, results.HeadF1Key)
	cut, _ := tracker.OneCut(cuts, results.RankingCuts())
	return cut, err
}

// noRuns returns the text of an empty list.
func noRuns(experiment, search string, status tracker.Status, deleted bool) hint.Note {
	var filters []string
	if experiment != "" {
		filters = append(filters, fmt.Sprintf("--experiment %q", experiment))
	}
	if search != "" {
		filters = append(filters, fmt.Sprintf("--filter %q", search))
	}
	if status != "" {
		filters = append(filters, "--status "+strings.ToLower(string(status)))
	}
	if deleted {
		filters = append(filters, "--deleted")
	}
	if len(filters) > 0 {
		return hint.Note{Text: "no run matches " + strings.Join(filters, " ")}
	}
	return hint.Note{Text: "no runs", List: []hint.Hint{{Action: hint.TrainConfig}}}
}

func (a *app) runsShowCommand() *cobra.Command {
	var format string
	var full bool
	cmd := &cobra.Command{
		Use: "show RUN", Short: "Show what was logged with a run", Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				info, err := a.findRun(cmd.Context(), t, args[0])
				if err != nil {
					return err
				}
				run := results.Read(info)
				switch format {
				case "json":
					return results.WriteJSON(a.stdout, results.NewRunRecord(run))
				case "csv":
					return results.RunEntries(run).Write(present.CSV(a.stdout), format)
				}
				var b strings.Builder
				hidden, err := results.WriteRun(&b, run, detail(full))
				if err == nil && hidden > 0 {
					fmt.Fprintf(&b, "\n%d more params, tags and metrics, also at other cuts; --full and JSON show all\n",
						hidden)
				}
				_, writing := io.WriteString(a.stdout, present.HangLines(b.String(), a.page().Width))
				return errors.Join(err, writing)
			})
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "every param, tag and metric; JSON and CSV always have them")
	addFormatFlag(cmd, &format, withCSV)
	return cmd
}

// detail is how much a command shows.
func detail(full bool) results.Detail {
	if full {
		return results.Everything
	}
	return results.Headlines
}

func (a *app) runsCompareCommand() *cobra.Command {
	var format string
	var full bool
	cmd := &cobra.Command{
		Use:   "compare RUN RUN...",
		Short: "Show runs side by side: params that differ, metrics, and for two runs the difference",
		Args:  arguments(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				var runs []results.Run
				for _, ref := range args {
					info, err := a.findRun(cmd.Context(), t, ref)
					if err != nil {
						return err
					}
					runs = append(runs, results.Read(info))
				}
				g := results.CompareGrid(runs, format, detail(full))
				if format == "text" && results.OneCut(runs) == "" {
					g.Notes = append(g.Notes, comparedCuts(runs)...)
				}
				return a.writeGrid(g, format)
			})
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "also params that agree and every metric; JSON and CSV always have them")
	cmd.Flags().BoolVar(&full, "all", false, "the same as --full")
	_ = cmd.Flags().MarkHidden("all") // the flag exists
	addFormatFlag(cmd, &format, nil)
	return cmd
}

// comparedCuts writes at which cut the metrics of sets are, and how to compare two runs at the same cut.
func comparedCuts(runs []results.Run) []hint.Note {
	var cuts []string
	for _, run := range runs {
		if run.Evaluated() {
			cuts = append(cuts, fmt.Sprintf("%s (%s)", run.Criterion, tracker.ShortID(run.Stored.ID)))
		}
	}
	if len(cuts) == 0 {
		return nil
	}
	text := "test/ metrics of sets are at each run's own cut: " + strings.Join(cuts, ", ")
	if len(runs) == 2 && len(cuts) == 2 {
		text += fmt.Sprintf("; `%s eval %s --against %s --cut fitted-novel --against-cut fitted-novel` compares both at one",
			present.Program(), tracker.ShortID(runs[0].Stored.ID), tracker.ShortID(runs[1].Stored.ID))
	}
	return []hint.Note{{Text: text}}
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
					fmt.Fprintf(a.stdout, "deleted %s (%s); `%s runs restore %s` undoes it\n", run.ID, visible.Line(run.Name),
						present.Program(), tracker.ShortID(run.ID))
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
					fmt.Fprintf(a.stdout, "restored %s (%s)\n", run.ID, visible.Line(run.Name))
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
				fmt.Fprintf(a.stderr, "%s marked as failed\n", quantity.Count(len(swept), "run"))
				return nil
			})
		},
	}
}
