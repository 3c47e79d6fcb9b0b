// Package experiments turns configs into logged runs and logged runs into tables: it reads strict YAML configs, trains
// and evaluates a model with every number in the tracker, resumes what was interrupted, and builds result tables.
package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/spherE"
)

// Config says everything that decides a run: the graph, the model, its training and its evaluation. The meaning of each
// key is documented in configs/default.yaml, which also holds the defaults; the yaml names are the keys of config files,
// of --set and of the parameters logged with a run.
type Config struct {
	Data      string            `yaml:"data"`
	Model     string            `yaml:"model"`
	Variant   string            `yaml:"variant"`
	Dimension int               `yaml:"dimension"`
	Gamma     float64           `yaml:"gamma"`
	Epsilon   float64           `yaml:"epsilon"`
	Tau       float64           `yaml:"tau"`
	Alpha     float64           `yaml:"alpha"`
	Beta      float64           `yaml:"beta"`
	Seed      uint64            `yaml:"seed"`
	Threads   int               `yaml:"threads"`
	Train     TrainConfig       `yaml:"train"`
	EarlyStop EarlyStopConfig   `yaml:"early_stop"`
	Eval      EvalConfig        `yaml:"eval"`
	Tracker   TrackerConfig     `yaml:"tracker"`
	Name      string            `yaml:"name"`
	Tags      map[string]string `yaml:"tags"`

	// origin says where each key that is not a default was set, for error messages.
	origin map[string]Origin
}

// TrainConfig is the part of a Config under the key train.
type TrainConfig struct {
	Epochs       int     `yaml:"epochs"`
	Steps        int     `yaml:"steps"`
	Batch        int     `yaml:"batch"`
	Negatives    int     `yaml:"negatives"`
	Sampling     string  `yaml:"sampling"`
	Temperature  float64 `yaml:"temperature"`
	LearningRate float64 `yaml:"learning_rate"`
	Beta1        float64 `yaml:"beta1"`
	Beta2        float64 `yaml:"beta2"`
	AdamEpsilon  float64 `yaml:"adam_epsilon"`
	SaveEvery    int     `yaml:"save_every"`
}

// EarlyStopConfig is the part of a Config under the key early_stop. An empty metric switches it off.
type EarlyStopConfig struct {
	Metric   string  `yaml:"metric"`
	Patience int     `yaml:"patience"`
	MinDelta float64 `yaml:"min_delta"`
}

// EvalConfig is the part of a Config under the key eval.
type EvalConfig struct {
	Every     int    `yaml:"every"`
	Final     bool   `yaml:"final"`
	Criterion string `yaml:"criterion"`
	TopL      []int  `yaml:"top_l"`
	Fit       bool   `yaml:"fit"`
	Bootstrap int    `yaml:"bootstrap"`
}

// TrackerConfig is the part of a Config under the key tracker. The address is never logged: it may hold a password.
type TrackerConfig struct {
	URI        string `yaml:"uri"`
	Experiment string `yaml:"experiment"`
}

// field is one leaf of a Config: its dotted key and its value.
type field struct {
	Key   string
	Value reflect.Value
}

// fields lists the leaves of c in the order of the struct. The values are settable.
func (c *Config) fields() []field {
	return appendFields(nil, "", reflect.ValueOf(c).Elem())
}

func appendFields(list []field, prefix string, v reflect.Value) []field {
	for i := range v.NumField() {
		key, ok := v.Type().Field(i).Tag.Lookup("yaml")
		if !ok {
			continue
		}
		if f := v.Field(i); f.Kind() == reflect.Struct {
			list = appendFields(list, prefix+key+".", f)
		} else {
			list = append(list, field{Key: prefix + key, Value: f})
		}
	}
	return list
}

// Keys lists every config key in the order of the documentation, for example "train.learning_rate".
func Keys() []string {
	var c Config
	var keys []string
	for _, f := range c.fields() {
		keys = append(keys, f.Key)
	}
	return keys
}

// Flatten gives the config as text by dotted key, the form in which it is logged as parameters. Tags and the tracker's
// address are left out: tags are logged as tags, the address may hold a password.
func (c *Config) Flatten() map[string]string {
	flat := make(map[string]string)
	for _, f := range c.fields() {
		if f.Key == "tags" || f.Key == "tracker.uri" {
			continue
		}
		flat[f.Key] = formatValue(f.Value)
	}
	return flat
}

// notIdentity are the keys that cannot change a run's numbers, or that only name things.
var notIdentity = []string{"threads", "name", "tags", "tracker.uri", "tracker.experiment", "train.save_every"}

// IdentityHash is the hex SHA-256 of everything in c that decides the numbers of a run. Threads, names, tags, the
// tracker and the folder of the graph are left out (the name of the graph's folder stays in).
func (c *Config) IdentityHash() string {
	flat := c.Flatten()
	for _, key := range notIdentity {
		delete(flat, key)
	}
	flat["data"] = path.Base(filepath.ToSlash(flat["data"]))
	keys := make([]string, 0, len(flat))
	for key := range flat {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	h := sha256.New()
	for _, key := range keys {
		fmt.Fprintf(h, "%q=%q\n", key, flat[key])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// YAML writes the expanded config as a file that Load reads back to the same config, without the tracker's address.
func (c *Config) YAML() []byte {
	var b strings.Builder
	section := ""
	for _, f := range c.fields() {
		if f.Key == "tracker.uri" {
			continue
		}
		head, leaf, nested := strings.Cut(f.Key, ".")
		indent := ""
		if !nested {
			leaf, section = head, ""
		} else {
			if head != section {
				fmt.Fprintf(&b, "%s:\n", head)
				section = head
			}
			indent = "  "
		}
		switch value := f.Value.Interface().(type) {
		case string:
			fmt.Fprintf(&b, "%s%s: %s\n", indent, leaf, quoteYAML(value))
		case map[string]string:
			var items []string
			for _, key := range sortedKeys(value) {
				items = append(items, quoteYAML(key)+": "+quoteYAML(value[key]))
			}
			fmt.Fprintf(&b, "%s%s: {%s}\n", indent, leaf, strings.Join(items, ", "))
		default:
			fmt.Fprintf(&b, "%s%s: %s\n", indent, leaf, formatValue(f.Value))
		}
	}
	return []byte(b.String())
}

// quoteYAML writes s as a YAML scalar: plain where that is safe, else in double quotes.
func quoteYAML(s string) string {
	plain := s != ""
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '/' && i > 0
		digit := r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_'
		if !letter && (i == 0 || !digit) {
			plain = false
			break
		}
	}
	// Words that YAML may read as something other than text.
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null", "nan", "inf", "y", "n":
		plain = false
	}
	if plain {
		return s
	}
	return strconv.Quote(s)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// formatValue writes a leaf so that assignText reads it back to the same value.
func formatValue(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case float64:
		return formatFloat(value)
	case []int:
		items := make([]string, len(value))
		for i, n := range value {
			items[i] = strconv.Itoa(n)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]string:
		var items []string
		for _, key := range sortedKeys(value) {
			items = append(items, key+"="+value[key])
		}
		return strings.Join(items, ",")
	default:
		return fmt.Sprint(value)
	}
}

func formatFloat(x float64) string {
	switch {
	case math.IsNaN(x):
		return ".nan"
	case math.IsInf(x, 1):
		return ".inf"
	case math.IsInf(x, -1):
		return "-.inf"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// Settings is the model's part of the config.
func (c *Config) Settings() sphere.Settings {
	return sphere.Settings{
		Model: c.Model, Variant: c.Variant, Dimension: c.Dimension,
		Gamma: c.Gamma, Epsilon: c.Epsilon, Tau: c.Tau, Alpha: c.Alpha, Beta: c.Beta,
	}
}

// Training is the training part of the config. Steps is still 0 where the config leaves it to the graph.
func (c *Config) Training() sphere.Training {
	t := c.Train
	return sphere.Training{
		Epochs: t.Epochs, Steps: t.Steps, Batch: t.Batch, Negatives: t.Negatives, Sampling: t.Sampling,
		Temperature: t.Temperature, LearningRate: t.LearningRate, Beta1: t.Beta1, Beta2: t.Beta2,
		AdamEpsilon: t.AdamEpsilon, Seed: c.Seed, Threads: c.Threads,
	}
}
