package experiments

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

// chooseRuns picks the runs of a table: of each model and variant the newest finished run together with the other seeds
// of its config, in the order of the models. Each group is newest first. A run that is not as its row's config inside
// the program stands back for one that is: a trial must not take the place of a row of the paper. passed are the runs
// that stood back although they are newer.
func chooseRuns(ctx context.Context, r RunReader, graph string, o TableOptions) (groups [][]tracker.RunInfo, passed []tracker.RunInfo, err error) {
	runs, err := r.Runs(ctx, tracker.Filter{})
	if err != nil {
		return nil, nil, err
	}
	index := map[string]int{} // of a model and variant
	digest := ""
	for _, run := range runs { // newest first
		_, evaluated := run.Metrics["test/head_f1"]
		if run.Params["graph"] != graph || run.Status != string(tracker.Finished) || !evaluated {
			continue
		}
		if o.Runs != nil && !slices.Contains(o.Runs, run.ID) {
			continue
		}
		// Numbers of graphs with the same name and other triples do not belong in one table: the newest run decides.
		if len(groups) > 0 && run.Params["graph_digest"] != digest {
			continue
		}
		digest = run.Params["graph_digest"]
		key := run.Params["model"] + "\x00" + run.Params["variant"]
		i, known := index[key]
		if !known || o.All {
			index[key] = len(groups)
			groups = append(groups, []tracker.RunInfo{run})
			continue
		}
		if o.Runs == nil && unlikeConfig(groups[i][0]) != "" && unlikeConfig(run) == "" {
			passed = append(passed, groups[i]...)
			groups[i] = []tracker.RunInfo{run}
			continue
		}
		group := groups[i]
		sameSeed := func(other tracker.RunInfo) bool { return other.Params["seed"] == run.Params["seed"] }
		if configWithoutSeed(run) == configWithoutSeed(group[0]) && !slices.ContainsFunc(group, sameSeed) {
			groups[i] = append(group, run)
		}
	}
	slices.SortStableFunc(groups, func(a, b []tracker.RunInfo) int {
		return cmp.Or(cmp.Compare(modelRank(a[0].Params["model"]), modelRank(b[0].Params["model"])), cmp.Compare(a[0].Params["variant"], b[0].Params["variant"]))
	})
	return groups, passed, nil
}

// configWithoutSeed is equal for two runs that differ in nothing but the seed and what changes no number.
func configWithoutSeed(run tracker.RunInfo) string {
	p := maps.Clone(run.Params)
	for _, key := range append([]string{"seed", "config_hash"}, notIdentity...) {
		delete(p, key)
	}
	var b strings.Builder
	for _, key := range sortedKeys(p) {
		fmt.Fprintf(&b, "%q=%q\n", key, p[key])
	}
	return b.String()
}

// inside are the models in the paper's variant of which the program has a finished run and groups have none, or none
// that is as its config.
func inside(ctx context.Context, results func() ([]ArchiveFile, error), graph string, groups [][]tracker.RunInfo) ([]string, error) {
	files, err := results()
	if err != nil {
		return nil, err
	}
	theirs, _, err := chooseRuns(ctx, archivedRuns(files), graph, TableOptions{})
	if err != nil {
		return nil, err
	}
	var models []string
	for _, group := range theirs {
		has := slices.ContainsFunc(groups, func(g []tracker.RunInfo) bool {
			return g[0].Params["model"] == group[0].Params["model"] && g[0].Params["variant"] == group[0].Params["variant"] && unlikeConfig(g[0]) == ""
		})
		if !has {
			models = append(models, ModelTitle(group[0].Params["model"]))
		}
	}
	return models, nil
}

// configOf names the config inside the program that trains the row of a run on one of the paper's graphs, "" if there
// is none.
func configOf(run tracker.RunInfo) string {
	if !slices.Contains(paperGraphs, run.Params["graph"]) {
		return ""
	}
	name := run.Params["graph"] + "/" + run.Params["model"]
	if variant := run.Params["variant"]; variant != sphere.Released {
		name += "-" + variant
	}
	if !slices.Contains(EmbeddedConfigs(), name) {
		return ""
	}
	return name
}

// unlikeConfig says in what a run differs from its config inside the program, "" if in nothing or if there is none. The
// seed may differ, and what changes no number.
func unlikeConfig(run tracker.RunInfo) string {
	name := configOf(run)
	if name == "" {
		return ""
	}
	c, err := LoadConfig(Layers{Config: name})
	if err != nil {
		return ""
	}
	flat := c.Flatten()
	var parts []string
	for _, key := range Keys() {
		ours, logged := run.Params[key]
		if key == "seed" || strings.HasPrefix(key, "eval.") || slices.Contains(notIdentity, key) || !logged || ours == flat[key] {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s", key, ours))
	}
	return strings.Join(parts, ", ")
}
