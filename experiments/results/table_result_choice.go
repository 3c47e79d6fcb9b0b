package results

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	sphere "github.com/spherelab/spherelab/spherE"
)

// choice are the runs of a table, and those that are not shown.
type choice struct {
	groups  [][]Run // for each model and variant, a run with the other seeds of its config, newest first
	passed  []Run   // newer than those in groups, but with settings other than the config's
	foreign []Run   // on a graph of the same name with other triples
	own     rowOwners
}

// chooseRuns picks the runs of a table from all runs, newest first: of each model and variant the newest finished run
// together with the other seeds of its config, in the order of the models. A run that differs from its row's own
// config is replaced by an older one that does not: a trial must not take the place of a row. The row's own config is
// the embedded one, on other graphs that with most seeds, among several the one that was trained first. Numbers of
// graphs with the same name and other triples do not belong in one table: if any run is on the graph with this
// digest, only such runs are shown, otherwise the newest run decides.
func chooseRuns(runs []Run, graph, digest string, o Options) choice {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r Run) bool {
		return r.Graph != graph || !r.Finished() || !r.Evaluated() ||
			o.Runs != nil && !slices.Contains(o.Runs, r.Stored.ID)
	})
	if len(runs) > 0 && !slices.ContainsFunc(runs, func(r Run) bool { return r.GraphDigest == digest }) {
		digest = runs[0].GraphDigest
	}
	own := ownConfigs(runs, digest)
	c := choice{own: own}
	index := map[modelVariant]int{}
	trials := map[modelVariant][]Run{} // the newest runs that differ from the config
	for _, run := range runs {
		if run.GraphDigest != digest {
			c.foreign = append(c.foreign, run)
			continue
		}
		key := run.modelVariant()
		i, known := index[key]
		isTrial := o.Runs == nil && !o.All && own.unlike(run) != ""
		if isTrial && (!known || len(trials[key]) > 0) {
			trials[key] = append(trials[key], run)
		}
		switch {
		case !known || o.All:
			index[key] = len(c.groups)
			c.groups = append(c.groups, []Run{run})
		case len(trials[key]) > 0 && !isTrial:
			c.passed = append(c.passed, trials[key]...)
			trials[key] = nil
			c.groups[i] = []Run{run}
		case alikeButSeed(run, c.groups[i][0]) && !hasSeed(c.groups[i], run.Seed):
			c.groups[i] = append(c.groups[i], run)
		}
	}
	slices.SortStableFunc(c.groups, func(a, b []Run) int {
		return cmp.Or(cmp.Compare(modelRank(a[0].Model), modelRank(b[0].Model)),
			cmp.Compare(a[0].Variant, b[0].Variant))
	})
	return c
}

// rowOwners has the runs whose configs define rows without an embedded config.
type rowOwners map[modelVariant]Run

// ownConfigs returns the configs that define the rows of a graph. runs are newest first.
func ownConfigs(runs []Run, digest string) rowOwners {
	families := map[modelVariant][][]Run{} // runs that differ only in the seed
	for _, run := range runs {
		if run.GraphDigest != digest || configOf(run).name != "" {
			continue
		}
		key := run.modelVariant()
		i := slices.IndexFunc(families[key], func(f []Run) bool { return alikeButSeed(f[0], run) })
		if i < 0 {
			families[key] = append(families[key], []Run{run})
		} else if !hasSeed(families[key][i], run.Seed) {
			families[key][i] = append(families[key][i], run)
		}
	}
	owners := rowOwners{}
	for key, list := range families {
		maximum := 0
		for _, family := range list {
			if len(family) >= maximum { // the last family is the oldest
				maximum, owners[key] = len(family), family[0]
			}
		}
	}
	return owners
}

// unlike returns how a run differs from the config that defines its row, "" if it does not.
func (o rowOwners) unlike(run Run) string {
	if configOf(run).name != "" {
		return unlikeConfig(run)
	}
	owner, known := o[run.modelVariant()]
	if !known {
		return ""
	}
	var parts []string
	for _, d := range differences(run, owner) {
		if d.key != "seed" {
			parts = append(parts, fmt.Sprintf("%s %s", d.key, cmp.Or(d.a, "unset")))
		}
	}
	return strings.Join(parts, ", ")
}

func hasSeed(runs []Run, seed string) bool {
	return slices.ContainsFunc(runs, func(r Run) bool { return r.Seed == seed })
}

// modelVariant identifies a group of rows.
type modelVariant struct{ model, variant string }

func (r Run) modelVariant() modelVariant {
	model := r.Model
	if r.IsTuned() {
		model += "-tuned"
	}
	switch {
	case r.Model == sphere.Scores:
		model = "scores of " + r.From + " " + r.settings[answer.ParamScores] // each file is a model of its own
	case r.From != "":
		model += "-imported"
	}
	return modelVariant{model, r.Variant}
}

// modelRank orders models as the paper does, unknown ones last.
func modelRank(model string) int {
	if i := slices.Index(sphere.Models(), model); i >= 0 {
		return i
	}
	return len(sphere.Models())
}

// graphDigest returns the digest of a graph in results, "" if they have no run on it.
func graphDigest(runs []Run, graph string) string {
	for _, run := range runs {
		if run.Graph == graph {
			return run.GraphDigest
		}
	}
	return ""
}

// notShown returns the models with a finished embedded run in the variant for which groups have no run with the same
// config and triples.
func notShown(embedded []Run, graph, variant string, groups [][]Run) []string {
	var models []string
	for _, group := range chooseRuns(embedded, graph, "", Options{}).groups {
		run := group[0]
		shown := slices.ContainsFunc(groups, func(g []Run) bool {
			return g[0].modelVariant() == run.modelVariant() && g[0].GraphDigest == run.GraphDigest &&
				unlikeConfig(g[0]) == ""
		})
		if run.Variant == variant && !shown {
			models = append(models, run.Title())
		}
	}
	return models
}

// rowConfig returns the embedded config that trains a row.
type rowConfig struct {
	name string
	flat map[string]string
}

type rowConfigKey struct {
	graph string
	modelVariant
}

// rowConfigs returns all embedded configs.
var rowConfigs = sync.OnceValue(func() map[rowConfigKey]rowConfig {
	all := map[rowConfigKey]rowConfig{}
	for _, name := range config.EmbeddedNames() {
		c, err := config.Embedded(name)
		if err != nil {
			panic(err) // the file is compiled in; a test loads them all
		}
		all[rowConfigKey{path.Dir(name), modelVariant{c.Model, c.Variant}}] = rowConfig{name, c.Flatten()}
	}
	return all
})

// configOf returns the embedded config that trains the row of a run. Its name is "" if there is none.
func configOf(run Run) rowConfig {
	return rowConfigs()[rowConfigKey{run.Graph, run.modelVariant()}]
}

// unlikeConfig returns how a run differs from its embedded config, "" if it does not or if there is none. The seed,
// settings that change no number, and what is evaluated may differ.
func unlikeConfig(run Run) string {
	c := configOf(run)
	if c.name == "" {
		return ""
	}
	var parts []string
	for _, key := range config.Keys() {
		ours, logged := run.settings[key]
		// by the run, which logs its choice
		chosen := c.flat[key] == "auto" || key == "train.steps" && c.flat[key] == "0"
		if logged && ours != c.flat[key] && !chosen && key != "seed" && !strings.HasPrefix(key, "eval.") {
			parts = append(parts, fmt.Sprintf("%s %s", key, ours))
		}
	}
	return strings.Join(parts, ", ")
}

// unlike is unlikeConfig, and also reports if the run's graph has other triples than the graph of the same name in the
// embedded results.
func (t *ResultTable) unlike(run Run) string {
	text := unlikeConfig(run)
	if t.digest != "" && run.GraphDigest != t.digest {
		if text != "" {
			text += ", "
		}
		text += "other triples"
	}
	return text
}
