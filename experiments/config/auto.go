package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// autoText is the value of a config key that leaves the choice to Checked.Settle, once the graph is known.
const autoText = "auto"

// autoValues are the keys that can be auto. Each has here the value that it gets unless the graph forbids it. A config
// holds this value while the key is auto, so that it can be checked before the graph is known.
var autoValues = map[string]string{
	"gamma":             "6",
	"train.batch":       "512",
	"train.negatives":   "32",
	"early_stop.metric": "valid/mrr",
	"eval.every":        "10",
	"eval.final":        "true",
	"eval.fit":          "true",
	"eval.calibrate":    "true",
	"eval.sample":       "0",
	"split.leakless":    "false",
}

// leakLimit is the greatest share of the held-out triples with a twin in training with which split.leakless=auto
// divides a file as with false.
const leakLimit = 0.3

// A model whose cost grows with the edges of the graph, one for each direction of a training triple, gets a sample of
// auto: so many distinct queries of each side that they pass sampledEdges edges, but leastSample or more.
const (
	sampledEdges = 270_000_000
	leastSample  = 250
)

// sampleOf returns the value of eval.sample for a graph if it is auto, 0 if all queries pass fewer edges.
func sampleOf(g *kg.Graph) int {
	n := max(leastSample, sampledEdges/max(1, 2*len(g.Train)))
	if n >= max(len(g.Valid), len(g.Test)) {
		return 0
	}
	return n
}

// setAuto marks a key as auto and reports whether the key can be auto.
func (c *Config) setAuto(key string, origin Origin) bool {
	value, ok := autoValues[key]
	if !ok {
		return false
	}
	if err := c.assignText(key, value, origin); err != nil {
		panic(err) // autoValues are constants that fit their keys
	}
	c.auto = maps.Clone(c.auto)
	if c.auto == nil {
		c.auto = map[string]bool{}
	}
	c.auto[key] = true
	return true
}

// recordOrigin remembers where a key was set to a value.
func (c *Config) recordOrigin(key string, origin Origin) {
	c.origin[key] = origin
	if c.auto[key] {
		c.auto = maps.Clone(c.auto)
		delete(c.auto, key)
	}
}

// IsAuto reports whether the value of a key is auto.
func (c *Config) IsAuto(key string) bool { return c.auto[key] }

// Auto lists the keys whose value is auto, sorted. Settle assigns values to them.
func (c *Config) Auto() []string { return slices.Sorted(maps.Keys(c.auto)) }

// Settle returns the config with a value in place of every auto. The values are a function of config, seed and graph:
//
//   - train.batch is a power of two, at most 512, with at least 4 steps per epoch where 16 or more positives allow it
//   - train.negatives is 32, or one less than the entities if that is fewer
//   - eval.every, early_stop.metric and eval.fit need validation triples, eval.calibrate 10 of them, eval.final and
//     eval.fit test triples
//   - eval.sample is 0, which is all queries, or so many that their edges, twice the training triples each, are 270
//     million in all, but 250 or more
//   - split.leakless is true for a file that was divided so, because more than 30 % of what is held out would have a
//     twin in training
//   - gamma is searched: each of 3, 4, 6, 9 and 12 is trained for 500 steps, and the best MRR on the validation triples
//     decides; without validation triples it is 6
//
// gamma makes that search, on the config with all other values. A config without auto is returned as it is. What Settle
// returns is not checked again: no value that it sets can be refused.
func (c Checked) Settle(g *kg.Graph, gamma func(*Config) (float64, error)) (Checked, error) {
	if len(c.config.auto) == 0 {
		return c, nil
	}
	settled := c.Config()
	auto := settled.auto
	settled.auto = nil
	if auto["split.leakless"] {
		settled.Split.Leakless = g.Leakless
	}
	if auto["train.batch"] {
		settled.Train.Batch = sphere.DefaultBatch(g)
	}
	if auto["train.negatives"] {
		settled.Train.Negatives = sphere.DefaultNegatives(g)
	}
	if auto["eval.fit"] {
		settled.Eval.Fit = len(g.Valid) > 0 && len(g.Test) > 0 && settled.Eval.Final
	}
	if auto["eval.sample"] {
		settled.Eval.Sample = sampleOf(g)
	}
	if auto["eval.calibrate"] {
		settled.Eval.Calibrate = len(g.Valid) >= LeastCalibrated
	}
	if _, err := settled.FitTo(g, func(key string) bool { return !auto[key] }); err != nil {
		return Checked{}, err
	}
	if auto["early_stop.metric"] && settled.Eval.Every == 0 {
		settled.EarlyStop.Metric = ""
	}
	if auto["gamma"] && len(g.Valid) > 0 {
		var err error
		if settled.Gamma, err = gamma(settled); err != nil {
			return Checked{}, fmt.Errorf("search for gamma: %w", err)
		}
	}
	return Checked{settled}, nil
}

// FitTo changes keys whose values the graph does not allow, except those that fixed reports, and says what it changed
// and why. Small graphs need it: they may have no validation or test triples, or fewer entities than negatives.
func (c *Config) FitTo(g *kg.Graph, fixed func(key string) bool) (notes []string, err error) {
	set := func(key, value, why string) {
		if err == nil && !fixed(key) {
			err = c.Set(key, value, "graph "+g.Name)
			notes = append(notes, fmt.Sprintf("%s = %s: %s", key, value, why))
		}
	}
	if len(g.Valid) == 0 && c.Eval.Every > 0 && (c.EarlyStop.Metric == "" || !fixed("early_stop.metric")) {
		set("eval.every", "0", "the graph has no validation facts")
	}
	if len(g.Test) == 0 && c.Eval.Final {
		set("eval.final", "false", "the graph has no test facts, so nothing is measured")
	}
	if len(g.Valid) == 0 && c.Eval.Fit && c.Eval.Final {
		set("eval.fit", "false", "thresholds are fitted on validation facts, and the graph has none")
	}
	if len(g.Valid) == 0 && c.Eval.Calibrate {
		set("eval.calibrate", "false", "probabilities are fitted on validation facts, and the graph has none")
	}
	if n := g.Entities.Len(); c.Train.Negatives >= n && n > 1 {
		set("train.negatives", strconv.Itoa(n-1), fmt.Sprintf("the graph has %d entities", n))
	}
	return notes, err
}

// SparseYAML is a config file with the keys that differ from default.yaml. Load reads it back to the same config,
// except for the tracker's address.
func (c *Config) SparseYAML() []byte {
	now, before := c.Flatten(), defaults().Flatten()
	var whole, sparse yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(c.YAML(), &whole, yaml.UseOrderedMap()); err != nil {
		panic(err) // cannot fail: YAML writes what the library can read
	}
	for _, item := range whole {
		key := fmt.Sprint(item.Key)
		section, ok := item.Value.(yaml.MapSlice)
		switch {
		case ok && key != "tags":
			section = slices.DeleteFunc(section, func(i yaml.MapItem) bool {
				key := fmt.Sprintf("%s.%v", key, i.Key)
				return key == "tracker.uri" || now[key] == before[key]
			})
			if len(section) > 0 {
				sparse = append(sparse, yaml.MapItem{Key: key, Value: section})
			}
		case key == "data", key == "model", key == "tags" && len(c.Tags) > 0, key != "tags" && now[key] != before[key]:
			sparse = append(sparse, item)
		}
	}
	raw, err := yaml.MarshalWithOptions(sparse, yaml.AutoInt())
	if err != nil {
		panic(err) // sparse is a part of what the library has just read
	}
	return raw
}
