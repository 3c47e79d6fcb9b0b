package experiments

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

// choice are the runs of a table, and those that are not shown.
type choice struct {
	groups  [][]tracker.RunInfo // of each model and variant a run with the other seeds of its config, newest first
	passed  []tracker.RunInfo   // newer than those in groups, but not as the config
	foreign []tracker.RunInfo   // on a graph of the same name with other triples
}

// chooseRuns picks the runs of a table: of each model and variant the newest finished run together with the other seeds
// of its config, in the order of the models. A run that is not as its row's config inside the program stands back for
// one that is: a trial must not take the place of a row of the paper. Numbers of graphs with the same name and other
// triples do not belong in one table: if any run is on the graph with this digest, only such runs are shown, otherwise the
// newest run decides.
func chooseRuns(ctx context.Context, r RunReader, graph, digest string, o TableOptions) (choice, error) {
	var c choice
	runs, err := r.Runs(ctx, tracker.Filter{})
	if err != nil {
		return c, err
	}
	runs = slices.DeleteFunc(slices.Clone(runs), func(run tracker.RunInfo) bool {
		_, evaluated := run.Metrics["test/head_f1"]
		return run.Params["graph"] != graph || run.Status != string(tracker.Finished) || !evaluated || o.Runs != nil && !slices.Contains(o.Runs, run.ID)
	})
	if len(runs) > 0 && !slices.ContainsFunc(runs, func(run tracker.RunInfo) bool { return run.Params["graph_digest"] == digest }) {
		digest = runs[0].Params["graph_digest"]
	}
	index := map[string]int{}                // of a model and variant
	trials := map[string][]tracker.RunInfo{} // the newest ones that are not as the config
	for _, run := range runs {               // newest first
		if run.Params["graph_digest"] != digest {
			c.foreign = append(c.foreign, run)
			continue
		}
		key := run.Params["model"] + "\x00" + run.Params["variant"]
		i, known := index[key]
		trial := o.Runs == nil && !o.All && unlikeConfig(run) != ""
		if trial && (!known || len(trials[key]) > 0) {
			trials[key] = append(trials[key], run)
		}
		if !known || o.All {
			index[key] = len(c.groups)
			c.groups = append(c.groups, []tracker.RunInfo{run})
			continue
		}
		if len(trials[key]) > 0 && !trial {
			c.passed = append(c.passed, trials[key]...)
			trials[key] = nil
			c.groups[i] = []tracker.RunInfo{run}
			continue
		}
		group := c.groups[i]
		sameSeed := func(other tracker.RunInfo) bool { return other.Params["seed"] == run.Params["seed"] }
		if configWithoutSeed(run) == configWithoutSeed(group[0]) && !slices.ContainsFunc(group, sameSeed) {
			c.groups[i] = append(group, run)
		}
	}
	slices.SortStableFunc(c.groups, func(a, b []tracker.RunInfo) int {
		return cmp.Or(cmp.Compare(modelRank(a[0].Params["model"]), modelRank(b[0].Params["model"])), cmp.Compare(a[0].Params["variant"], b[0].Params["variant"]))
	})
	return c, nil
}

// digestInside is the digest of a graph in results, "" where they have none on it.
func digestInside(files []ArchiveFile, graph string) string {
	for _, f := range files {
		if f.Info.Params["graph"] == graph {
			return f.Info.Params["graph_digest"]
		}
	}
	return ""
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

// inside are the models of which the program has a finished run in the variant and groups have none, or none that is as
// its config and on the same triples.
func inside(ctx context.Context, files []ArchiveFile, graph, variant string, groups [][]tracker.RunInfo) ([]string, error) {
	theirs, err := chooseRuns(ctx, archivedRuns(files), graph, "", TableOptions{})
	if err != nil {
		return nil, err
	}
	var models []string
	for _, group := range theirs.groups {
		run := group[0]
		has := slices.ContainsFunc(groups, func(g []tracker.RunInfo) bool {
			same := func(key string) bool { return g[0].Params[key] == run.Params[key] }
			return same("model") && same("variant") && same("graph_digest") && unlikeConfig(g[0]) == ""
		})
		if run.Params["variant"] == variant && !has {
			models = append(models, ModelTitle(run.Params["model"]))
		}
	}
	return models, nil
}

// paperConfigs are the flat configs inside the program that train rows of the paper's graphs, by name.
var paperConfigs = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, name := range EmbeddedConfigs() {
		if !slices.Contains(paperGraphs, path.Dir(name)) {
			continue
		}
		c := DefaultConfig()
		raw, err := embedded.ReadFile("configs/" + name + ".yaml")
		if err == nil {
			err = c.applyYAML(embeddedPrefix+name, raw)
		}
		if err != nil {
			panic(err) // the file is compiled in; TestEmbeddedConfigsLoad reads them all
		}
		all[name] = c.Flatten()
	}
	return all
})

// configOf names the config inside the program that trains the row of a run on one of the paper's graphs, "" if there
// is none.
func configOf(run tracker.RunInfo) string {
	name := run.Params["graph"] + "/" + run.Params["model"]
	if variant := run.Params["variant"]; variant != sphere.Released {
		name += "-" + variant
	}
	if paperConfigs()[name] == nil {
		return ""
	}
	return name
}

// unlikeConfig says in what a run differs from its config inside the program, "" if in nothing or if there is none. The
// seed may differ, what changes no number, and what is evaluated.
func unlikeConfig(run tracker.RunInfo) string {
	flat := paperConfigs()[configOf(run)]
	if flat == nil {
		return ""
	}
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

// unlike is unlikeConfig, and says where a run is on other triples than the results inside the program have under the
// name of its graph.
func (t *ResultGrid) unlike(run tracker.RunInfo) string {
	text := unlikeConfig(run)
	if t.digest != "" && run.Params["graph_digest"] != t.digest {
		if text != "" {
			text += ", "
		}
		text += "other triples"
	}
	return text
}
