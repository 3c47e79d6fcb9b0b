package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/spelling"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
)

// maxProposals is the max number of words for the shell: there can be many thousands of entities.
const maxProposals = 200

// addCompletion adds shell completion to the commands below root: runs, configs, tables, data sets, and the entities
// and relations of a run's graph.
func (a *app) addCompletion(root *cobra.Command) {
	run := func(ctx context.Context, args []string) []string {
		if len(args) > 0 {
			return nil
		}
		return a.runNames(ctx, args)
	}
	words := map[string]func(ctx context.Context, args []string) []string{
		"train": a.configNames, "eval": run, "query": a.queryWords, "explain": a.queryWords, "predict": run,
		"reproduce": run,
		"table":     a.tableNames, "runs show": run, "runs compare": a.runNames, "runs delete": a.runNames,
		"runs export": a.runNames, "runs verify": a.runNames,
		"data get": func(context.Context, []string) []string { return dataset.FetchedNames() },
		"data check": func(context.Context, []string) []string {
			return append(dataset.Names(),
				config.BundledName)
		},
	}
	for path, list := range words {
		cmd, _, err := root.Find(strings.Fields(path))
		if err != nil || cmd == root {
			continue // this program lacks the command
		}
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string,
			cobra.ShellCompDirective) {
			found := spelling.Completions(list(cmd.Context(), args), typed, maxProposals)
			if len(found) == 0 {
				return nil, cobra.ShellCompDirectiveDefault // files
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		}
	}
}

// quietTracker calls do with the tracker. It does not create a private database and prints nothing, because the shell
// is waiting.
func (a *app) quietTracker(ctx context.Context, do func(*tracker.Tracker)) {
	if !a.hasDatabase() {
		return
	}
	at, err := a.address()
	if err != nil {
		return
	}
	home, err := a.dataHome()
	if err != nil {
		return
	}
	options, err := open.Options(home, a.lookup)
	if err != nil {
		return
	}
	options.RetryFor, options.Say = time.Millisecond, func(string) {}
	t, err := open.Tracker(ctx, at.uri, options)
	if err != nil {
		return
	}
	do(t)
	_ = t.Close() // nothing was written
}

// runNames returns "last", then the names and short ids of the logged runs, newest first.
func (a *app) runNames(ctx context.Context, _ []string) []string {
	names := []string{"last"}
	var ids []string
	a.quietTracker(ctx, func(t *tracker.Tracker) {
		infos, err := t.Runs(ctx, tracker.Filter{})
		if err != nil {
			return
		}
		for _, info := range infos {
			if !slices.Contains(names, info.Name) {
				names = append(names, info.Name)
			}
			ids = append(ids, tracker.ShortID(info.ID)+"\t"+info.Name)
		}
	})
	return append(names, ids...)
}

// configNames returns the embedded configs. The shell completes files.
func (a *app) configNames(_ context.Context, args []string) []string {
	if len(args) > 0 {
		return nil
	}
	return config.EmbeddedNames()
}

// tableNames returns the tables, and the graphs that have runs.
func (a *app) tableNames(ctx context.Context, args []string) []string {
	if len(args) > 0 {
		return nil
	}
	names := results.TableNames()
	a.quietTracker(ctx, func(t *tracker.Tracker) {
		graphs, err := results.Graphs(ctx, t)
		if err == nil {
			names = append(names, graphs...)
		}
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// queryWords returns the words of a query: a run, then an entity, a relation and an entity of its graph.
func (a *app) queryWords(ctx context.Context, args []string) []string {
	if len(args) == 0 {
		return a.runNames(ctx, args)
	}
	if len(args) > 3 {
		return nil
	}
	dirs, err := a.dataDirs()
	if err != nil {
		return nil
	}
	var words []string
	a.quietTracker(ctx, func(t *tracker.Tracker) {
		run, err := answer.Open(ctx, t, args[0], dirs)
		if err != nil {
			return
		}
		if len(args) == 2 {
			words = run.Graph.RelationWords()
			return
		}
		words = append([]string{retrieve.Unknown}, run.Graph.EntityWords()...)
	})
	return words
}
