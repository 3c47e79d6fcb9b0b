package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/spherelab/spherelab/experiments"
)

func (a *app) trainCommand() *cobra.Command {
	var set []string
	var threads int
	var resume string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "train [CONFIG.yaml]",
		Short: "Train, evaluate and log a model; without a config, compare RotatE and SpherE-2D on the bundled graph",
		Long: `Train a model as CONFIG says, evaluate it and log everything to the tracker.

CONFIG is a file, or one of the configs inside the program:
  ` + strings.Join(experiments.EmbeddedConfigs(), "\n  ") + `

Without CONFIG the main job runs: RotatE and SpherE-2D on the bundled graph, compared in a table.
Options layer: defaults < file < environment (SPHERELAB_TRAIN_EPOCHS, ...) < --set < flags.
An interrupt (Ctrl-C) saves the run; --resume goes on with it to the same result, bit for bit.`,
		Example: `  spherelab train
  spherelab train umls/sphere-2d --data ../data --set train.epochs=50
  spherelab train --resume last`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l := experiments.Layers{Env: a.env, Set: set}
			if len(args) == 1 {
				l.Config = args[0]
			}
			if cmd.Flags().Changed("threads") {
				l.Flags = append(l.Flags, experiments.FlagValue{Flag: "threads", Key: "threads", Value: strconv.Itoa(threads)})
			}
			if a.trackerURI != "" {
				l.Flags = append(l.Flags, experiments.FlagValue{Flag: "tracker", Key: "tracker.uri", Value: a.trackerURI})
			}
			if cmd.Flags().Changed("resume") {
				return a.resume(cmd.Context(), resume, l, asJSON)
			}
			return a.train(cmd.Context(), l, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&set, "set", nil, "set a config key, `key=value`; may be repeated")
	f.IntVar(&threads, "threads", 0, "worker threads, 0 for all cores; never changes a result")
	f.StringVar(&resume, "resume", "", "go on with an interrupted `RUN` (id, unique prefix, name or last)")
	f.BoolVar(&asJSON, "json", false, "write events and results as lines of JSON on standard output")
	a.addDataFlag(cmd)
	return cmd
}

func (a *app) train(ctx context.Context, l experiments.Layers, asJSON bool) error {
	var configs []*experiments.Config
	var err error
	if l.Config == "" {
		configs, err = experiments.MainJob(l)
	} else {
		var c *experiments.Config
		c, err = experiments.LoadConfig(l)
		configs = []*experiments.Config{c}
	}
	if err != nil {
		return err
	}
	return a.work(ctx, configAddress(configs[0]), asJSON, func(r *experiments.Runner) ([]*experiments.Result, error) {
		return r.TrainAll(ctx, configs)
	})
}

func (a *app) resume(ctx context.Context, ref string, l experiments.Layers, asJSON bool) error {
	at, err := a.address()
	if err != nil {
		return err
	}
	return a.work(ctx, at, asJSON, func(r *experiments.Runner) ([]*experiments.Result, error) {
		run, err := a.findRun(ctx, r.Tracker, ref)
		if err != nil {
			return nil, err
		}
		result, err := r.Resume(ctx, run.ID, l)
		if err != nil {
			return nil, err
		}
		return []*experiments.Result{result}, nil
	})
}

// work opens the tracker, lets do train, and shows what came out, read back from the tracker.
func (a *app) work(ctx context.Context, at address, asJSON bool, do func(*experiments.Runner) ([]*experiments.Result, error)) (err error) {
	dirs, err := a.dataDirs()
	if err != nil {
		return err
	}
	if err := checkSIMD(); err != nil {
		return err
	}
	t, err := a.openTracker(ctx, at)
	if err != nil {
		return err
	}
	defer func() { err = closing(err, t) }()
	progress, end := a.progress(asJSON)
	r := &experiments.Runner{Tracker: t, DataDirs: dirs, Environment: experiments.ReadEnvironment(ctx), Progress: progress}
	done := a.interrupts.running(r.Abandon)
	results, err := do(r)
	done()
	end()
	if err != nil {
		return err
	}
	if asJSON {
		return nil
	}
	var ids []string
	evaluated := false
	for _, result := range results {
		ids = append(ids, result.RunID)
		evaluated = evaluated || result.Report != nil
	}
	last := results[len(results)-1]
	if !evaluated {
		fmt.Fprintf(a.stdout, "run %s (%s): trained for %d epochs, not evaluated (eval.final is false); checkpoint %s\n", last.RunID, last.RunName, last.Epochs, last.Digest)
		return nil
	}
	table, err := experiments.ResultTable(ctx, t, last.Graph.Name, experiments.TableOptions{Runs: ids, All: true})
	if err != nil {
		return err
	}
	if err := table.Grid("text").Write(a.stdout, "text"); err != nil {
		return err
	}
	a.showNext(results)
	return nil
}

// showNext says how to go on after a training.
func (a *app) showNext(results []*experiments.Result) {
	last := results[len(results)-1]
	program := programName()
	line := func(command, comment string) {
		fmt.Fprintf(a.stdout, "  %-*s  # %s\n", 98, program+" "+command, comment)
	}
	fmt.Fprintln(a.stdout, "\nGo on:")
	if last.Graph.Source == "" {
		line(`query last "Max Born" advised '?'`, "the answers as a set")
		line(`explain last "Max Born" advised "Pascual Jordan"`, "why")
	} else if len(last.Graph.Test) > 0 {
		t := last.Graph.Test[0]
		line(fmt.Sprintf("query last %q %q '?'", last.Graph.Label(t.Head), last.Graph.Relations.Name(t.Relation)), "the answers as a set")
	}
	line("runs show last", "everything that was logged")
	line(`tracker sql "select run_name, epoch, loss from epoch order by run_name, epoch"`, "the same in SQL")
	if last.Graph.Source == "" {
		line("data get fb15k-237", "fetch a benchmark graph")
		line("train fb15k-237/sphere-2d", "train the paper's configuration on it")
	}
}

// progress chooses how to report: JSON for machines, bars on a terminal, else plain lines. end must be called before
// anything else is written.
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
