package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/visible"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// judgeFlags are the flags of judge.
type judgeFlags struct {
	options                answer.EvalOptions
	graph, format, against string
	negatives              string // a file or a folder
	name                   string // of the run that is logged; "": none is
	cut, againstCut        string
	set                    []string
	file                   func() []config.FlagValue
}

func (f *judgeFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.graph, "graph", "", "the `GRAPH` that the scores are about: a name, a file or a folder")
	flags.Var(sizesValue(&f.options.TopL), "top-l", "sizes of the top-l cuts")
	flags.Var(limitedValue(&f.options.With), "with", "also measure these cuts: expected-novel, precision-0.8, ...")
	flags.Var(countValue(&f.options.Resamples, 0, 0), "bootstrap", "resamples behind the intervals, 0 for none")
	flags.Var(countValue(&f.options.Threads, 0, 0), "threads", "worker threads, 0 for all cores; never changes a result")
	flags.StringVar(&f.name, "name", "", "log the scores and what they are worth as a run of this `NAME`")
	flags.StringVar(&f.negatives, "negatives", "", negativesUsage)
	flags.StringVar(&f.against, "against", "", "compare with this `RUN` on the same graph, paired over distinct queries")
	flags.Var(measuredCut(&f.cut), "cut", "also measure this cut; with --against: compare SCORES at it")
	flags.Var(measuredCut(&f.againstCut), "against-cut", "with --against: the cut of the run")
	flags.StringArrayVar(&f.set, "set", nil,
		"set a config key of the evaluation or of the split of a file, `key=value`, as for train; may be repeated")
	f.file = addFileFlags(cmd)
	addFormatFlag(cmd, &f.format, nil)
	_ = cmd.MarkFlagRequired("graph") // the flag exists
	excludeNegatives(cmd)
	markExclusive(cmd, "--with is for an evaluation without --against", "with", "against")
}

func (a *app) judgeCommand() *cobra.Command {
	var f judgeFlags
	cmd := &cobra.Command{
		Use:   "judge SCORES --graph GRAPH",
		Short: "Evaluate the scores of any program as ranks and sets",
		Long: `Evaluate the scores of any program on the test facts of a graph, as eval evaluates a run, and print the same table:
filtered MRR and Hits, F1 and retrieve rate of sets, novel and union F1, and lookup. Without --name nothing is logged,
and without --name and --against no database is needed.

SCORES is a text of tab or comma separated columns, quoted as CSV, with the header side, head, relation, tail, score; .gz
is read too, other columns are ignored. A line scores one candidate of one query. side says which end of the triple is
asked, head or tail; the name at that end is the candidate. Greater scores are better.

  side  head           relation  tail            score
  tail  Max Born       advised   Pascual Jordan  4.25
  head  Arnold Berson  advised   Max Born        -1.5

SCORES may also be a Parquet file (.parquet) with these columns, or a folder with scores.npy of numpy (or a .npy, or a .npz
whose array is scores): a row for each query, a column for each entity, NaN for a candidate without a score. Next to it,
queries.tsv has the columns side, head, relation and tail, of which the asked end is not read, and a line for each row;
entities.tsv has id and name: the entity of each column, from 0. docs/python.md writes such a folder.

A query may list its best candidates alone. Those that are not listed rank below the listed ones, tied with each other,
and are in no set. The rank of tied candidates is the mean of their places. Other true answers are left out of ranks, so
a list of the best k needs room for them: known answers are often the best candidates.

Thresholds and probabilities are fitted on the queries of the validation facts, and never on test facts. Scores without
these queries are measured as ranks and as sets of a fixed size. Settings of the evaluation are those of the graph's
config, or of a graph without a config; --set eval.drop_itself=false is as published evaluations are.

--name logs a run that keeps a copy of SCORES. It stands in tables, is evaluated and compared again, and answers the
queries that are scored. Where validation facts are scored, stack combines it with other runs.

--negatives ranks each test fact among given entities alone, as the Open Graph Benchmark does, and prints these ranks next
to the filtered ranks among all entities. See eval for the file.

--against prints the difference of each metric to a run with its 95 % interval, as eval --against does.`,
		Example: `  spherelab judge scores.tsv --graph umls
  spherelab judge scores.tsv.gz --graph umls --against last --cut fitted-f1 --against-cut fitted-f1
  spherelab judge scores.parquet --graph umls --name umls-other`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.options.SetResamples = cmd.Flags().Changed("bootstrap")
			if err := requireOther(cmd, "against-cut", "against"); err != nil {
				return err
			}
			if err := checkSIMD(); err != nil {
				return err
			}
			return a.judge(cmd.Context(), args[0], &f)
		},
	}
	f.bind(cmd)
	a.addDataFlag(cmd)
	return cmd
}

// judge reads a file of scores and writes what they are worth.
func (a *app) judge(ctx context.Context, path string, f *judgeFlags) error {
	scores, run, err := a.judgedRun(path, f)
	if err != nil {
		return err
	}
	fitted := scores.CoversValidation()
	if !fitted {
		if cut, ok := eval.ParseCut(f.cut); len(f.options.With) > 0 || ok && answer.IsFitted(cut) {
			return fmt.Errorf("%s scores no query of the validation facts, on which cuts are fitted; add them, or choose a cut"+
				" of a fixed size, such as top-10", path)
		}
	}
	var among *answer.NegativeReport
	if f.negatives != "" {
		if among, err = a.rankAmong(ctx, run, f.negatives, f.options.Threads); err != nil {
			return err
		}
	}
	if f.name != "" { // what can fail by a flag comes before
		if f.against != "" {
			exists := func(context.Context, *answer.Run) error { return nil }
			if err := a.withMeasured(ctx, f.against, nil, exists); err != nil {
				return err
			}
		}
		if run, err = a.logScores(ctx, path, scores, run, f); err != nil {
			return err
		}
	}
	if among != nil {
		return a.writeGrid(results.NegativeGrid(run, among, f.format), f.format)
	}
	p, end := a.progress(false)
	defer end()
	if fitted && f.name == "" {
		if run, err = run.ChooseCuts(ctx, f.options.Threads, p); err != nil {
			return err
		}
	}
	if f.against != "" {
		return a.withMeasured(ctx, f.against, nil, func(ctx context.Context, other *answer.Run) error {
			comparison, err := results.ComparePaired(ctx, run, other, f.cut, f.againstCut, f.options, p)
			if err != nil {
				return err
			}
			return a.writeGrid(results.ComparisonGrid(run, other, comparison, f.format), f.format)
		})
	}
	options, err := f.options.Measuring(run, f.cut)
	if err != nil {
		return err
	}
	options.KeepRecords = true
	report, err := run.Evaluate(ctx, options, p)
	if err != nil {
		return err
	}
	if fitted {
		if err := a.notePromises(ctx, run, report, options.With); err != nil {
			return err
		}
		if err := a.noteWorth(ctx, run, report); err != nil {
			return err
		}
	}
	report.Records = nil
	if f.format == "json" {
		return results.WriteJSON(a.stdout, report)
	}
	return a.writeGrid(results.ReportTable(run, report).Grid(f.format), f.format)
}

// logScores logs scores as a run and opens that.
func (a *app) logScores(ctx context.Context, path string, scores *answer.Scores, run *answer.Run, f *judgeFlags) (
	logged *answer.Run, err error,
) {
	dirs, err := a.dataDirs()
	if err != nil {
		return nil, err
	}
	cfg := run.Config.Clone()
	cfg.Name, cfg.Threads = f.name, f.options.Threads
	if len(f.options.TopL) > 0 {
		cfg.Eval.TopL = f.options.TopL
	}
	if f.options.SetResamples {
		cfg.Eval.Bootstrap = f.options.Resamples
	}
	err = a.withTracker(ctx, func(t *tracker.Tracker) error {
		progress, end := a.progress(false)
		defer end()
		r := &experiments.Runner{Tracker: t, DataDirs: dirs, Environment: a.environment(ctx), Progress: progress}
		defer a.interrupts.register(r.Abandon)()
		result, err := r.ImportScores(ctx, cfg, run.Graph, path, scores)
		if err != nil {
			return err
		}
		logged, err = answer.Open(ctx, t, result.RunID, dirs)
		return err
	})
	return logged, err
}

// judgedRun reads the graph and the scores.
func (a *app) judgedRun(path string, f *judgeFlags) (scores *answer.Scores, run *answer.Run, err error) {
	dirs, err := a.dataDirs()
	if err != nil {
		return nil, nil, err
	}
	data, _ := config.FindGraph(f.graph, dirs)
	// A model without a criterion, as scores are, that every graph has a config of.
	configs, err := config.LoadForGraph(config.Layers{Env: a.env, Set: f.set, Flags: f.file()}, data, sphere.ComplEx)
	if err != nil {
		return nil, nil, err
	}
	g, err := configs[0].Config().Graph(dirs)
	if err != nil {
		return nil, nil, err
	}
	settled, err := configs[0].Settle(g, nil)
	if err != nil {
		return nil, nil, err
	}
	c := settled.Config()
	scores, err = answer.OpenScores(path, g)
	if err != nil {
		return nil, nil, err
	}
	if err := a.noteCoverage(path, scores); err != nil {
		return nil, nil, err
	}
	if !scores.CoversValidation() {
		c.Eval.Fit, c.Eval.Calibrate = false, false
	}
	for _, w := range kg.Check(g).Warnings {
		if w.Kind == kg.Leak || w.Kind == kg.LeakyDivision {
			fmt.Fprintln(a.stderr, visible.Line("note: graph "+g.Name+": "+w.Message))
		}
	}
	return scores, answer.Judge(path, scores, g, c), nil
}

// noteCoverage says on stderr which queries have no scores. It refuses scores that leave out a side of the test facts.
func (a *app) noteCoverage(path string, scores *answer.Scores) error {
	test, valid := scores.Coverage(kg.Test), scores.Coverage(kg.Valid)
	for _, c := range test {
		if c.Scored == 0 && c.Queries > 0 {
			return fmt.Errorf("%s scores no %s query of the test facts, such as %s; write lines with side %s", path,
				c.Side, c.Lacking, c.Side)
		}
	}
	fitted := scores.CoversValidation()
	if !fitted && valid[0].Queries > 0 {
		fmt.Fprintf(a.stderr, "note: %s does not score queries of both sides of the validation facts, so nothing is fitted: "+
			"ranks and sets of a fixed size alone are measured\n", visible.Line(path))
	}
	for _, c := range test {
		if c.Listed < c.Facts && c.Scored == c.Queries {
			fmt.Fprintf(a.stderr, "note: %d of %d test facts are not listed among the answers of their %s query and rank behind"+
				" what is\n", c.Facts-c.Listed, c.Facts, c.Side)
		}
	}
	for _, c := range append(test[:], valid[:]...) {
		if c.Scored < c.Queries && (fitted || c.Split == kg.Test) {
			fmt.Fprintln(a.stderr, visible.Line(fmt.Sprintf("note: %s of %s has no scores, so all its candidates are tied, such as %s",
				quantity.Count(c.Queries-c.Scored, fmt.Sprintf("%s %s query", c.Split, c.Side)), fmt.Sprint(c.Queries), c.Lacking)))
		}
	}
	return nil
}
