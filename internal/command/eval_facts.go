package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/spherE/kg"
)

// hiddenFlags are the flags of eval for a file of facts.
type hiddenFlags struct {
	facts   string // a file
	sides   []kg.Side
	reading func() []config.FlagValue
}

func (f *hiddenFlags) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.facts, "facts", "",
		"measure how RUN ranks the facts of this `FILE`, which its graph does not hold")
	cmd.Flags().Var(sidesValue(&f.sides), "side", "with --facts: which queries are asked: head, tail or both")
	f.reading = addFileFlags(cmd)
	for _, other := range []string{"criterion", "split", "top-l", "fit", "with", "cut", "against-cut", "queries",
		"scores"} {
		markExclusive(cmd, "--facts ranks the facts of a file", "facts", other)
	}
}

// check refuses flags that are for a file of facts alone.
func (f *hiddenFlags) check(cmd *cobra.Command) error {
	for _, flag := range []string{"side", "columns", "relation", "quotes"} {
		if err := requireOther(cmd, flag, "facts"); err != nil {
			return err
		}
	}
	return nil
}

// read reads the file of facts. Without flags it is read as the run's own file was.
func (f *hiddenFlags) read(run *config.Config) (*kg.Graph, error) {
	var r kg.Reading
	if run != nil {
		r = run.File.Reading()
	}
	for _, v := range f.reading() {
		switch v.Key {
		case "file.columns":
			r.Columns = v.Value
		case "file.relation":
			r.Relation = v.Value
		case "file.quotes":
			r.Quotes = v.Value
		}
	}
	if field, message := r.Fault(); field != "" {
		return nil, usagef("--%s %s", strings.ToLower(field), message)
	}
	return answer.ReadHidden(f.facts, r)
}

// evaluateFacts ranks the facts of a file with a run, and with the one that it is compared with.
func (a *app) evaluateFacts(ctx context.Context, ref string, f *evalFlags) error {
	return a.withRun(ctx, ref, func(*kg.Graph) error {
		_, err := f.hidden.read(nil) // before a run is made
		return err
	}, func(ctx context.Context, run *answer.Run) error {
		file, err := f.hidden.read(run.Config)
		if err != nil {
			return err
		}
		for _, w := range file.Warnings {
			if slices.Contains([]kg.WarningKind{kg.ColumnsGuessed, kg.SuspectHeader, kg.QuotedName}, w.Kind) {
				fmt.Fprintln(a.stderr, visible.Line("note: "+w.String()))
			}
		}
		if f.dropItself {
			run = run.DropItself()
		}
		o := answer.HiddenOptions{Sides: f.hidden.sides, Resamples: f.options.Resamples,
			SetResamples: f.options.SetResamples, Threads: f.options.Threads}
		measure := func(ctx context.Context, against *answer.Run) error {
			o.Against = against
			progress, end := a.progress(false)
			report, err := run.EvaluateHidden(ctx, file, o, progress)
			end()
			if err != nil {
				return err
			}
			return a.writeGrid(results.HiddenGrid(run, against, report, f.format), f.format)
		}
		if f.against == "" {
			return measure(ctx, nil)
		}
		return a.withRun(ctx, f.against, nil, measure)
	})
}
