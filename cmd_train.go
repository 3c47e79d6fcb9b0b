package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

func (a *app) trainCommand() *cobra.Command {
	var set []string
	var threads int
	var resume, finish string
	var hours float64
	var asJSON bool
	var fileFlags func() []experiments.FlagValue
	cmd := &cobra.Command{
		Use:   "train [CONFIG.yaml | GRAPH [MODEL]]",
		Short: "Train, evaluate and log a model; without a config, compare RotatE and SpherE-2D on the bundled graph",
		Long: `Train a model as CONFIG says, or on a graph of your own, evaluate it and log everything to the tracker.

GRAPH is a file of triples (` + strings.Join(kg.FileEndings(), ", ") + `, or one of them with .gz), a folder with
a train file and perhaps valid and test files, or the name of a data set: bundled, one in a --data folder, or one of ` +
			"`data get`" + `.
MODEL is ` + strings.Join(sphere.Models(), ", ") + `; without it RotatE and SpherE-2D are trained and compared.
A graph without configs of its own gets its batch, negatives, gamma, validations and thresholds from the graph itself;
the values are shown as a config that repeats the run.

CONFIG is a file or one of the embedded configs:
  ` + strings.Join(experiments.EmbeddedConfigs(), "\n  ") + `

Without CONFIG and GRAPH it trains RotatE and SpherE-2D on the bundled graph and compares them in a table.
Options layer: defaults < file < environment (SPHERELAB_TRAIN_EPOCHS, ...) < --set < flags.
An interrupt (Ctrl-C) saves the run; --resume continues it to the same result, bit for bit. --finish ends it instead,
as early stopping does: it evaluates the best validated model, or without early_stop.metric that of the last epoch.
--hours ends a training by the clock, at the next validation with early_stop.metric, else at the next saved state. Where
a run ended is logged, and reproduce ends there, too.`,
		Example: `  spherelab train
  spherelab train family.csv
  spherelab train family.csv sphere-2d --set seed=7
  spherelab train umls/sphere-2d --data ../data --set train.epochs=50
  spherelab train --resume last
  spherelab train --finish last
  spherelab train family.csv --hours 1.5`,
		Args: arguments(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l := experiments.Layers{Env: a.env, Set: set}
			if cmd.Flags().Changed("threads") {
				l.Flags = append(l.Flags, experiments.FlagValue{Flag: "threads", Key: "threads",
					Value: strconv.Itoa(threads)})
			}
			l.Flags = append(l.Flags, fileFlags()...)
			if a.trackerURI != "" {
				l.Flags = append(l.Flags, experiments.FlagValue{Flag: "tracker", Key: "tracker.uri",
					Value: a.trackerURI})
			}
			limit := time.Duration(hours * float64(time.Hour))
			switch {
			case cmd.Flags().Changed("hours") && limit <= 0:
				return usagef("--hours must be above 0 and at most 2,500,000, not %g", hours) // NaN and overflow, too
			case limit > 0 && cmd.Flags().Changed("finish"):
				return usagef("--finish trains nothing more, so it takes no --hours")
			case cmd.Flags().Changed("resume") && cmd.Flags().Changed("finish"):
				return usagef("--resume trains a run to its end and --finish ends it now; give one of them")
			}
			if cmd.Flags().Changed("resume") || cmd.Flags().Changed("finish") {
				if len(args) > 0 {
					l.Config = args[0]
				}
				ref, begin := resume, (*experiments.Runner).Resume
				if cmd.Flags().Changed("finish") {
					ref, begin = finish, (*experiments.Runner).Finish
				}
				return a.resume(cmd.Context(), ref, begin, l, limit, asJSON)
			}
			configs, err := a.trainConfigs(l, args)
			if err != nil {
				return err
			}
			return a.train(cmd.Context(), configs, limit, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&set, "set", nil, "set a config key, `key=value`; may be repeated")
	fileFlags = addFileFlags(cmd)
	f.IntVar(&threads, "threads", 0, "worker threads, 0 for all cores; never changes a result")
	f.StringVar(&resume, "resume", "", "continue an interrupted `RUN` (id, unique prefix, name or last)")
	f.StringVar(&finish, "finish", "", "evaluate and end an interrupted `RUN` before its last epoch")
	f.Float64Var(&hours, "hours", 0, "end the training after `H` hours; two runs share them")
	f.BoolVar(&asJSON, "json", false, "write events and results as lines of JSON on standard output")
	a.addDataFlag(cmd)
	return cmd
}

// trainConfigs are the configs that the arguments of train name: nothing, a config, or a graph and perhaps a model.
func (a *app) trainConfigs(l experiments.Layers, args []string) ([]*experiments.Config, error) {
	dirs, err := a.dataDirs()
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		configs, err := experiments.LoadConfigs(l)
		if err == nil && configs[0].Data == experiments.BundledName {
			err = a.checkUsedData()
		}
		return configs, err
	}
	name, model := args[0], ""
	if len(args) == 2 {
		model = args[1]
	}
	data, isGraph := experiments.FindGraph(name, dirs)
	isConfig := experiments.IsConfig(name)
	switch {
	case isConfig && model != "":
		return nil, usagef("%s is a config, which has its model; a model follows a graph: %s train GRAPH MODEL", name,
			programName())
	case isConfig:
	case isGraph:
		return experiments.LoadGraphConfigs(l, data, model)
	case slices.Contains(sphere.Models(), name):
		return nil, usagef("%[2]s is a model; a model follows a graph: %[1]s train GRAPH %[2]s", programName(), name)
	case model != "" || isDirectory(name):
		_, err := experiments.OpenGraph(name, dirs)
		return nil, usageError{err}
	case !strings.Contains(name, "/") && !strings.HasSuffix(name, ".yaml"):
		_, err := experiments.OpenGraph(name, dirs)
		return nil, usagef("%s is not a config or a file of triples; %w", name, err)
	}
	l.Config = name
	return experiments.LoadConfigs(l)
}

// checkUsedData refuses a --data folder that is itself a graph where the bundled graph is trained: the folder was
// meant.
func (a *app) checkUsedData() error {
	for _, dir := range a.data {
		if kg.IsGraph(dir) {
			return usagef("--data %[2]s is a graph itself, and --data names a folder of graphs;"+
				" `%[1]s train %[2]s` trains on it", programName(), dir)
		}
	}
	return nil
}

func (a *app) train(ctx context.Context, configs []*experiments.Config, limit time.Duration, asJSON bool) error {
	return a.work(ctx, configAddress(configs[0]), asJSON, func(r *experiments.Runner) ([]*experiments.Result, error) {
		r.TimeLimit = limit
		return r.TrainAll(ctx, configs)
	})
}

// beginning resumes a run, or ends it.
type beginning func(*experiments.Runner, context.Context, string, experiments.Layers) (*experiments.Result, error)

func (a *app) resume(ctx context.Context, ref string, begin beginning, l experiments.Layers, limit time.Duration,
	asJSON bool) error {
	at, err := a.address()
	if err != nil {
		return err
	}
	return a.work(ctx, at, asJSON, func(r *experiments.Runner) ([]*experiments.Result, error) {
		run, err := a.findResumable(ctx, r.Tracker, ref)
		if err != nil {
			return nil, err
		}
		r.TimeLimit = limit
		result, err := begin(r, ctx, run.ID, l)
		if err != nil {
			return nil, err
		}
		return []*experiments.Result{result}, nil
	})
}

// training is what a command does with a runner.
type training func(*experiments.Runner) ([]*experiments.Result, error)

// work opens the tracker, trains, and shows the results as the tracker has them.
func (a *app) work(ctx context.Context, at address, asJSON bool, do training) error {
	return a.trainThen(ctx, at, asJSON, do, func(t *tracker.Tracker, trained []*experiments.Result) error {
		if asJSON {
			return nil
		}
		return a.showTrained(ctx, t, trained)
	})
}

// trainThen opens the tracker, trains, and then does what follows a training that has ended well.
func (a *app) trainThen(ctx context.Context, at address, asJSON bool, do training,
	then func(*tracker.Tracker, []*experiments.Result) error) (err error) {
	dirs, err := a.dataDirs()
	if err != nil {
		return err
	}
	if err := checkSIMD(); err != nil {
		return err
	}
	t, err := a.openTracker(ctx, at, 0)
	if err != nil {
		return err
	}
	defer func() { err = closing(err, t) }()
	progress, end := a.progress(asJSON)
	r := &experiments.Runner{Tracker: t, DataDirs: dirs, Environment: a.environment(ctx),
		Progress: progress}
	done := a.interrupts.running(r.Abandon)
	trained, err := do(r)
	done()
	end()
	if err != nil {
		return err
	}
	return then(t, trained)
}

// showTrained writes a table of the runs and what may come next.
func (a *app) showTrained(ctx context.Context, t *tracker.Tracker, trained []*experiments.Result) error {
	var ids []string
	evaluated := false
	for _, result := range trained {
		ids = append(ids, result.RunID)
		evaluated = evaluated || result.Report != nil
	}
	last := trained[len(trained)-1]
	if !evaluated {
		fmt.Fprintf(a.stdout, "run %s (%s): trained for %d epochs, not evaluated (eval.final is false); checkpoint %s\n",
			last.RunID, last.RunName, last.Epochs, last.Digest)
		return nil
	}
	_, err := t.ReplaySpools(ctx) // of runs that ended while the database was away
	var table *results.ResultTable
	if err == nil {
		table, err = results.BuildResultTable(ctx, last.Graph.Name, results.Sources{Runs: t},
			results.Options{Runs: ids, All: true})
	}
	if tracker.ErrorCode(err) == tracker.CodeUnavailable { // the runs have not failed
		fmt.Fprintln(a.stderr, visible.Lines("note: there is no table now: "+withHints(err, programName())))
		return nil
	}
	if err != nil {
		return err
	}
	if err := a.writeGrid(table.Grid("text"), "text"); err != nil {
		return err
	}
	a.showNext(trained, t)
	return nil
}

// showNext suggests commands after a training.
func (a *app) showNext(trained []*experiments.Result, t *tracker.Tracker) {
	last := trained[len(trained)-1]
	var lines [][2]string // command and comment
	line := func(command, comment string) {
		lines = append(lines, [2]string{programName() + " " + command, comment})
	}
	bundled := last.Graph.Name == experiments.BundledName && last.Graph.Source == ""
	if bundled {
		line(`query last "Max Born" advised '?'`, "the answers as a set")
		line(`explain last "Max Born" advised "Pascual Jordan"`, "why")
	} else if len(last.Graph.Test) > 0 {
		t := last.Graph.Test[0]
		head, relation := last.Graph.EntityWords()[t.Head], last.Graph.RelationWords()[t.Relation]
		line(fmt.Sprintf("query last %q %q '?'", head, relation), "the answers as a set")
		line(fmt.Sprintf("predict last --relation %q", relation), "its best new facts")
	}
	line("runs show last", "everything that was logged")
	if !t.Remote() {
		line(`tracker sql "select run_name, epoch, loss from epoch order by run_name, epoch"`, "the same in SQL")
	}
	if bundled {
		line("data get fb15k-237", "fetch a benchmark graph")
		line("train fb15k-237/sphere-2d", "train the paper's configuration on it")
	}
	writeNext(a.stdout, lines, a.page().Width)
}

// writeNext writes commands with a comment each: beside the command where all fit into the width (0: any), else above.
func writeNext(w io.Writer, lines [][2]string, width int) {
	longest, widest := 0, 0
	for _, l := range lines {
		longest, widest = max(longest, utf8.RuneCountInString(l[0])), max(widest, utf8.RuneCountInString(l[1]))
	}
	fmt.Fprintln(w, "\nNext:")
	for _, l := range lines {
		if width > 0 && len("    # ")+longest+widest > width {
			fmt.Fprintf(w, "  # %s\n  %s\n", l[1], l[0])
		} else {
			fmt.Fprintf(w, "  %-*s  # %s\n", longest, l[0], l[1])
		}
	}
}

// progress reports in JSON for machines, as bars on a terminal, else in plain lines. end must be called before anything
// else is written.
func (a *app) progress(asJSON bool) (p experiments.Progress, end func()) {
	if asJSON {
		return experiments.NewJSONProgress(a.stdout), func() {}
	}
	if width := terminalWidth(a.stderr); width > 0 {
		bars := experiments.NewBarProgress(a.stderr, width)
		return bars, bars.Close
	}
	return experiments.NewLineProgress(a.stderr), func() {}
}

// terminalWidth is the width of the terminal behind w, 0 if there is none.
func terminalWidth(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) || os.Getenv("TERM") == "dumb" {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 80
	}
	return width
}

// programName is how the user calls this program: a binary that `go run` built lies in its build folder.
func programName() string {
	path, err := os.Executable()
	if err == nil && strings.Contains(filepath.ToSlash(path), "/go-build") {
		return "go run ."
	}
	return "spherelab"
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
