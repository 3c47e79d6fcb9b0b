package command

import (
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/atomicfile"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/scorefile"
)

// evalFlags are the flags of eval.
type evalFlags struct {
	options         answer.EvalOptions
	format, against string
	queries         string // a file
	scores          string // a file that is written
	scoresTop       int
	negatives       string // a file or a folder
	cut, againstCut string
	dropItself      bool
	hidden          hiddenFlags
}

func (f *evalFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(criterionValue(&f.options.Criterion), "criterion",
		"criterion of the plain metrics: one of "+criteria()+" (default: the run's)")
	flags.Var(splitValue(&f.options.Valid), "split", "split to evaluate on: test or valid")
	flags.Var(sizesValue(&f.options.TopL), "top-l", "sizes of the top-l cuts (default: the run's)")
	flags.BoolVar(&f.options.Fit, "fit", false, "add cuts fitted on the validation triples (default: the run's)")
	flags.Var(countValue(&f.options.Resamples, 0, 0), "bootstrap",
		"resamples behind the intervals, 0 for none (default: the run's)")
	flags.Var(countValue(&f.options.Threads, 0, 0), "threads", "worker threads, 0 for all cores; never changes a result")
	flags.Var(limitedValue(&f.options.With), "with", "also measure these cuts: expected-novel, precision-0.8, ...")
	flags.BoolVar(&f.dropItself, "drop-itself", false,
		"drop the asked entity from RUN's answers where no training fact of the relation is a loop")
	flags.StringVar(&f.against, "against", "", "compare with this `RUN`, paired over distinct queries")
	flags.Var(measuredCut(&f.cut), "cut", "also measure this cut; with --against: compare RUN at it")
	flags.Var(measuredCut(&f.againstCut), "against-cut", "with --against: the cut of the other run")
	flags.StringVar(&f.queries, "queries", "", "measure the answers to the questions of this `FILE`; - is the standard input")
	flags.StringVar(&f.scores, "scores", "", "also write the scores of the validation and test queries to this `FILE`, for judge; .gz is compressed")
	flags.Var(countValue(&f.scoresTop, 0, 0), "scores-top", "with --scores: write the best of each query alone; 0 writes all")
	flags.StringVar(&f.negatives, "negatives", "", negativesUsage)
	addFormatFlag(cmd, &f.format, nil)
	f.hidden.bind(cmd)
	excludeNegatives(cmd)
	for _, other := range []string{"criterion", "split", "fit", "drop-itself", "queries", "scores", "facts"} {
		markExclusive(cmd, "--negatives ranks test facts among given entities", "negatives", other)
	}
	for _, other := range []string{"criterion", "split", "top-l", "fit", "bootstrap", "with", "against", "drop-itself",
		"scores"} {
		markExclusive(cmd, "--queries measures answers to the questions of a file, at --cut", "queries", other)
	}
	markExclusive(cmd, "--scores writes the scores of one run", "scores", "against")
	markExclusive(cmd, "--with is for an evaluation of one run on the test split", "with", "against")
}

// check refuses flags that contradict each other.
func (f *evalFlags) check(cmd *cobra.Command) error {
	f.options.SetResamples = cmd.Flags().Changed("bootstrap")
	switch {
	case f.options.Fit && f.options.Valid:
		return usagef("--fit fits thresholds on the validation triples; evaluate them with --split test")
	case len(f.options.With) > 0 && f.options.Valid:
		return usagef("--with is for an evaluation of one run on the test split")
	}
	return cmp.Or(f.hidden.check(cmd), requireOther(cmd, "scores-top", "scores"),
		requireOther(cmd, "against-cut", "against"))
}

func (a *app) evalCommand() *cobra.Command {
	var f evalFlags
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

Notes say what the run's answers add to a lookup of what is known: union F1 without and with them, and the 95 % interval
of the difference, paired over the queries.

--drop-itself drops the asked entity from RUN's answers where no training fact of the relation leads from an entity to
itself, as eval.drop_itself does; thresholds and probabilities are fitted without it. With --against RUN itself it shows
what that changes.

--scores writes the scores of all candidates of the validation and test queries to a file as judge reads it: a line for
each, so a file of a large graph is large; --scores-top 100 writes the best 100 of each query.

--queries measures the answers to the questions of a file, one a line, as query --file reads them; data queries draws
some. A table has a row per query type of the literature (1p, 2p, pi, 2in, ...): MRR and Hits@10 of the hard answers,
which need a test fact, and the F1 of the answer sets next to that of the join of known facts, with the 95 % interval of
the difference. --cut chooses the cut of the sets.

--negatives ranks each test fact among given entities alone, as the Open Graph Benchmark does, and prints MRR and Hits of
these ranks next to the filtered ranks among all entities. The rank of tied scores is the mean of the best and the worst
place, as in OGB's evaluator. The file is a text of tab or comma separated columns with the header side, head, relation,
tail, negatives: a line for each side of each test fact, whose fifth and further columns are the negatives. Or it is a
folder of OGB's arrays, head.npy, relation.npy, tail.npy, head_neg.npy and tail_neg.npy, with a row for each test fact, of
integers that are the names of entities and relations.

--facts ranks the facts of a file that was kept back before everything, with any run: one that was trained again on all
facts, too, and one of a model that was not trained. Entities and relations have the names of the run's graph; the file
is read as one that train takes (--columns, --relation, --quotes). A row per side has MRR with its 95 % interval and
Hits@1, 3 and 10 of filtered ranks among all entities. Facts of other names, and those that the graph has already, are
left out and counted. --against RUN, for example one of neighbours, adds the difference of the MRR, paired over the
distinct queries.`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			if f.hidden.facts != "" {
				return a.evaluateFacts(cmd.Context(), args[0], &f)
			}
			if f.negatives != "" {
				return a.withMeasured(cmd.Context(), args[0], nil, func(ctx context.Context, run *answer.Run) error {
					return a.writeNegatives(ctx, run, f.negatives, f.options.Threads, f.format)
				})
			}
			if f.queries != "" {
				return a.evaluateQueries(cmd.Context(), args[0], &f)
			}
			if f.against != "" {
				return a.compare(cmd.Context(), args[0], &f)
			}
			return a.evaluate(cmd.Context(), args[0], &f)
		},
	}
	f.bind(cmd)
	a.addDataFlag(cmd)
	return cmd
}

// evaluate evaluates one run again and writes its report.
func (a *app) evaluate(ctx context.Context, ref string, f *evalFlags) error {
	return a.withMeasured(ctx, ref, nil, func(ctx context.Context, run *answer.Run) error {
		if f.dropItself {
			run = run.DropItself()
		}
		options, err := f.options.Measuring(run, f.cut)
		if err != nil {
			return err
		}
		progress, end := a.progress(false)
		options.KeepRecords = true
		report, err := run.Evaluate(ctx, options, progress)
		end()
		if err != nil {
			return err
		}
		if err := a.notePromises(ctx, run, report, options.With); err != nil {
			return err
		}
		if err := a.noteWorth(ctx, run, report); err != nil {
			return err
		}
		if f.scores != "" {
			if err := writeScores(ctx, f.scores, run, f.scoresTop); err != nil {
				return err
			}
		}
		report.Records = nil
		if f.format == "json" {
			return results.WriteJSON(a.stdout, report)
		}
		return a.writeGrid(results.ReportTable(run, report).Grid(f.format), f.format)
	})
}

// writeScores writes the scores of a run's validation and test queries, compressed if the file's name ends in .gz.
func writeScores(ctx context.Context, file string, run *answer.Run, top int) error {
	return atomicfile.Replace(file, 0o644, func(w io.Writer) error {
		if !strings.HasSuffix(strings.ToLower(file), ".gz") {
			return scorefile.Write(ctx, w, run.Model, run.Graph, top, kg.Valid, kg.Test)
		}
		packed := gzip.NewWriter(w)
		if err := scorefile.Write(ctx, packed, run.Model, run.Graph, top, kg.Valid, kg.Test); err != nil {
			return err
		}
		return packed.Close()
	})
}

// notePromises writes to stderr how well promised precisions and recalls were kept.
func (a *app) notePromises(
	ctx context.Context, run *answer.Run, report *eval.Report, cuts []eval.Limited,
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

// noteWorth says on stderr what the answers add to lookup.
func (a *app) noteWorth(ctx context.Context, run *answer.Run, report *eval.Report) error {
	cuts := answer.ReadLogged(run.Info).DefaultCuts
	all, err := answer.Worth(ctx, report, run.UsualCut(), cuts, eval.CompareSettings{Seed: run.Config.Seed})
	if err != nil {
		return err
	}
	for _, w := range all {
		fmt.Fprintln(a.stderr, "note: "+w.String())
	}
	a.noteCut(run, answer.Cut{})
	return nil
}

// compare evaluates two runs and writes their paired comparison.
func (a *app) compare(ctx context.Context, ref string, f *evalFlags) error {
	return a.withMeasured(ctx, ref, nil, func(ctx context.Context, run *answer.Run) error {
		if f.dropItself {
			run = run.DropItself()
		}
		return a.withMeasured(ctx, f.against, nil, func(ctx context.Context, other *answer.Run) error {
			progress, end := a.progress(false)
			comparison, err := results.ComparePaired(ctx, run, other, f.cut, f.againstCut, f.options, progress)
			end()
			if err != nil {
				return err
			}
			return a.writeGrid(results.ComparisonGrid(run, other, comparison, f.format), f.format)
		})
	})
}

// checkSIMD refuses a SPHERELAB_SIMD that this machine or this program does not have, before anything starts.
func checkSIMD() error {
	if _, err := sphere.SIMDPath(); err != nil {
		return usageError{err}
	}
	return nil
}
