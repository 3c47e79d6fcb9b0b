package command

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/internal/present"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// trainFlags are the flags of train.
type trainFlags struct {
	set            []string
	threads        int
	resume, finish string
	limit          time.Duration // 0: none
	budget         time.Duration // of the best; 0: by the size of the graph
	refits         bool
	onlyMeasures   bool // no refit
	asJSON         bool
	file           func() []config.FlagValue
}

func (f *trainFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.set, "set", nil, "set a config key, `key=value`; may be repeated")
	f.file = addFileFlags(cmd)
	flags.IntVar(&f.threads, "threads", 0, "worker threads, 0 for all cores; never changes a result")
	flags.StringVar(&f.resume, "resume", "", "continue an interrupted `RUN` (id, unique prefix, name or last)")
	flags.StringVar(&f.finish, "finish", "", "evaluate and end an interrupted `RUN` before its last epoch")
	flags.Var(hoursValue(&f.limit), "hours", "end the training after `H` hours; two runs share them")
	flags.Var(minutesValue(&f.budget), "budget", "train the best models for GRAPH that two cores need `TIME` for, such as 2m")
	flags.BoolVar(&f.refits, "refit", false,
		"train the best models again on all facts after they were measured (default: where GRAPH gives no test facts)")
	flags.BoolVar(&f.onlyMeasures, "measured", false, "end after the measurement, without --refit")
	flags.BoolVar(&f.asJSON, "json", false, "write events and results as lines of JSON on standard output")
	markExclusive(cmd, "--resume trains a run to its end and --finish ends it now", "resume", "finish")
	markExclusive(cmd, "--finish does not train, so --hours has no effect", "finish", "hours")
	markExclusive(cmd, "--resume trains one run, and --budget is for the best models of a GRAPH", "resume", "budget")
	markExclusive(cmd, "--finish does not train, so --budget has no effect", "finish", "budget")
	markExclusive(cmd, "--measured leaves out what --refit makes", "refit", "measured")
	for _, flag := range []string{"refit", "measured"} {
		markExclusive(cmd, "--resume trains one run, and --"+flag+" is for the best models of a GRAPH", "resume", flag)
		markExclusive(cmd, "--finish does not train, so --"+flag+" has no effect", "finish", flag)
	}
}

// ofBest returns the first flag that is about the best models for a graph, "" if none is set.
func (f *trainFlags) ofBest() string {
	switch {
	case f.budget > 0:
		return "budget"
	case f.refits:
		return "refit"
	case f.onlyMeasures:
		return "measured"
	}
	return ""
}

// layers returns the settings of the environment and the flags for the configs.
func (f *trainFlags) layers(cmd *cobra.Command, a *app) config.Layers {
	l := config.Layers{Env: a.env, Set: f.set}
	if cmd.Flags().Changed("threads") {
		l.Flags = append(l.Flags, config.FlagValue{Flag: "threads", Key: "threads", Value: strconv.Itoa(f.threads)})
	}
	l.Flags = append(l.Flags, f.file()...)
	if a.trackerURI != "" {
		l.Flags = append(l.Flags, config.FlagValue{Flag: "tracker", Key: "tracker.uri", Value: a.trackerURI})
	}
	return l
}

func (a *app) trainCommand() *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use:   "train [CONFIG.yaml | GRAPH [MODEL]]",
		Short: "Train, evaluate and log a model; without a config, compare RotatE and SpherE-2D on the bundled graph",
		Long: `Train a model as CONFIG says, or on a graph of your own, evaluate it and log everything to the tracker.

GRAPH is a file of triples (` + strings.Join(kg.FileEndings(), ", ") + `, or one of them with .gz), a folder with
a train file and perhaps valid and test files, or the name of a data set: bundled, one in a --data folder, or one of ` +
			"`data get`" + `.
MODEL is ` + strings.Join(sphere.Models(), ", ") + `.
Without MODEL the best answers are made: models of several kinds within a time that is shown first (--budget), and the
stack of them, GRAPH-best. Where GRAPH gives no test facts, or with --refit, all are then trained again on all facts:
GRAPH-best was measured, GRAPH-best-refit answers. The same command continues after an interrupt.
A graph without configs of its own gets its batch, negatives, gamma, validations and thresholds from the graph itself;
the values are shown as a config that repeats the run.

CONFIG is a file or one of the embedded configs:
  ` + strings.Join(config.EmbeddedNames(), "\n  ") + `

Without CONFIG and GRAPH it trains RotatE and SpherE-2D on the bundled graph and compares them in a table.
Options layer: defaults < file < environment (SPHERELAB_TRAIN_EPOCHS, ...) < --set < flags.
An interrupt (Ctrl-C) saves the run; --resume continues it to the same result, bit for bit. --finish ends it instead,
as early stopping does: it evaluates the best validated model, or without early_stop.metric that of the last epoch.
--hours ends a training by the clock, at the next validation with early_stop.metric, else at the next saved state. Where
a run ended is logged, and reproduce ends there, too.`,
		Example: `  spherelab train
  spherelab train family.csv
  spherelab train family.csv --budget 10m
  spherelab train family.csv --measured
  spherelab train family.csv sphere-2d --set seed=7
  spherelab train umls/sphere-2d --data ../data --set train.epochs=50
  spherelab train --resume last
  spherelab train --finish last
  spherelab train family.csv sphere-2d --hours 1.5`,
		Args: arguments(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runTrain(cmd, args, &f) },
	}
	f.bind(cmd)
	a.addDataFlag(cmd)
	return cmd
}

// runTrain resumes, finishes or trains what flags and arguments name.
func (a *app) runTrain(cmd *cobra.Command, args []string, f *trainFlags) error {
	ctx, l := cmd.Context(), f.layers(cmd, a)
	resumes, finishes := cmd.Flags().Changed("resume"), cmd.Flags().Changed("finish")
	if (resumes || finishes) && len(args) > 0 {
		l.Config = args[0]
	}
	switch {
	case resumes:
		return a.resume(ctx, f.resume, (*experiments.Runner).Resume, l, f.limit, f.asJSON)
	case finishes:
		return a.resume(ctx, f.finish, (*experiments.Runner).Finish, l, f.limit, f.asJSON)
	}
	configs, err := a.trainConfigs(l, args)
	if err != nil {
		return err
	}
	if len(args) == 1 && len(configs) > 1 { // a graph, and no layer sets a model
		return a.trainBest(ctx, configs, l, f)
	}
	if flag := f.ofBest(); flag != "" {
		return usagef("--%s is about the best models for a graph, and one is chosen: %s train GRAPH --%[1]s", flag,
			present.Program())
	}
	return a.train(ctx, configs, f.limit, f.asJSON)
}

// trainConfigs returns the configs that the arguments of train name. The arguments are nothing, a config, or a graph
// and perhaps a model.
func (a *app) trainConfigs(l config.Layers, args []string) ([]config.Checked, error) {
	dirs, err := a.dataDirs()
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		configs, err := config.LoadAll(l)
		if err == nil && configs[0].Config().Data == config.BundledName {
			err = a.checkUsedData()
		}
		return configs, err
	}
	name, model := args[0], ""
	if len(args) == 2 {
		model = args[1]
	}
	data, isGraph := config.FindGraph(name, dirs)
	isConfig := config.Exists(name)
	switch {
	case isConfig && model != "":
		return nil, usagef("%s is a config, which has its model; a model follows a graph: %s train GRAPH MODEL", name,
			present.Program())
	case isConfig:
	case isGraph:
		return config.LoadForGraph(l, data, model)
	case slices.Contains(sphere.Models(), name):
		return nil, usagef("%[2]s is a model; a model follows a graph: %[1]s train GRAPH %[2]s", present.Program(), name)
	case model != "" || filekind.IsFolder(name):
		_, err := config.OpenGraph(name, dirs)
		return nil, usageError{err}
	case !strings.Contains(name, "/") && !strings.HasSuffix(name, ".yaml"):
		_, err := config.OpenGraph(name, dirs)
		return nil, usagef("%s is not a config or a file of triples; %w", name, err)
	}
	l.Config = name
	return config.LoadAll(l)
}

// checkUsedData refuses a --data folder that is itself a graph if the bundled graph would be trained: the user meant
// the folder.
func (a *app) checkUsedData() error {
	for _, dir := range a.data {
		if kg.IsGraph(dir) {
			return usagef("--data %[2]s is itself a graph, but --data takes a folder of graphs;"+
				" `%[1]s train %[2]s` trains on it", present.Program(), dir)
		}
	}
	return nil
}

func (a *app) train(ctx context.Context, configs []config.Checked, limit time.Duration, asJSON bool) error {
	at := configAddress(configs[0].Config())
	return a.work(ctx, at, asJSON, func(r *experiments.Runner) ([]*experiments.Result, error) {
		r.TimeLimit = limit
		return r.TrainAll(ctx, configs)
	})
}

// beginning resumes or finishes a run.
type beginning func(*experiments.Runner, context.Context, string, config.Layers) (*experiments.Result, error)

func (a *app) resume(ctx context.Context, ref string, begin beginning, l config.Layers, limit time.Duration,
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

// training is the work of a command with a runner.
type training func(*experiments.Runner) ([]*experiments.Result, error)

// work opens the tracker, trains, and shows the results from the tracker.
func (a *app) work(ctx context.Context, at address, asJSON bool, do training) error {
	return a.trainThen(ctx, at, asJSON, do, func(t *tracker.Tracker, trained []*experiments.Result) error {
		if asJSON {
			return nil
		}
		return a.showTrained(ctx, t, trained)
	})
}

// trainThen opens the tracker, trains, and calls then if the training succeeded.
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
	defer func() { err = closeAnd(err, t) }()
	progress, end := a.progress(asJSON)
	r := &experiments.Runner{Tracker: t, DataDirs: dirs, Environment: a.environment(ctx),
		Progress: progress}
	done := a.interrupts.register(r.Abandon)
	trained, err := do(r)
	done()
	end()
	if err != nil {
		return err
	}
	return then(t, trained)
}
