// Package experiments turns configs into logged runs: it reads strict YAML configs, trains and evaluates a model with
// every number in the tracker, resumes interrupted runs and trains sweeps. Package results reads finished runs.
package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Config decides a run: the graph, the model, its training and its evaluation. configs/default.yaml documents each key
// and is the only place of the defaults. The yaml names are the keys of config files, of --set and of logged params.
type Config struct {
	Data       string            `yaml:"data"`
	File       FileConfig        `yaml:"file"`
	Split      SplitConfig       `yaml:"split"`
	Model      string            `yaml:"model"`
	Variant    string            `yaml:"variant"`
	Dimension  int               `yaml:"dimension"`
	Gamma      float64           `yaml:"gamma"`
	Epsilon    float64           `yaml:"epsilon"`
	Tau        float64           `yaml:"tau"`
	Alpha      float64           `yaml:"alpha"`
	Beta       float64           `yaml:"beta"`
	Reciprocal bool              `yaml:"reciprocal"`
	Seed       uint64            `yaml:"seed"`
	Threads    int               `yaml:"threads"`
	Train      TrainConfig       `yaml:"train"`
	EarlyStop  EarlyStopConfig   `yaml:"early_stop"`
	Eval       EvalConfig        `yaml:"eval"`
	Tracker    TrackerConfig     `yaml:"tracker"`
	Name       string            `yaml:"name"`
	Tags       map[string]string `yaml:"tags"`

	// origin is where each key that is not a default was set, for error messages.
	origin map[string]Origin
	// auto has the keys whose value is auto; it is not changed but replaced.
	auto map[string]bool
}

// FileConfig is the part of a Config under the key file: how the lines of a file of triples are read.
type FileConfig struct {
	Columns  string `yaml:"columns"`
	Relation string `yaml:"relation"`
	Quotes   string `yaml:"quotes"`
}

// Reading is the file in the words of package kg.
func (f FileConfig) Reading() kg.Reading {
	return kg.Reading{Columns: f.Columns, Relation: f.Relation, Quotes: f.Quotes}
}

// SplitConfig is the part of a Config under the key split: how a file of triples without a split column is divided.
type SplitConfig struct {
	Valid    float64 `yaml:"valid"`
	Test     float64 `yaml:"test"`
	Seed     uint64  `yaml:"seed"`
	Leakless bool    `yaml:"leakless"`
}

// Division is how the graph is read and divided, in the words of package kg.
func (c *Config) Division() kg.Division {
	d := kg.Division{Reading: c.File.Reading(), Valid: c.Split.Valid, Test: c.Split.Test, Seed: c.Split.Seed,
		Leakless: c.Split.Leakless}
	if c.auto["split.leakless"] {
		d.LeakLimit = leakLimit
	}
	return d
}

// TrainConfig is the part of a Config under the key train.
type TrainConfig struct {
	Epochs       int     `yaml:"epochs"`
	Steps        int     `yaml:"steps"`
	Batch        int     `yaml:"batch"`
	Negatives    int     `yaml:"negatives"`
	Loss         string  `yaml:"loss"`
	N3           float64 `yaml:"n3"`
	Sampling     string  `yaml:"sampling"`
	Temperature  float64 `yaml:"temperature"`
	LearningRate float64 `yaml:"learning_rate"`
	WarmUp       int     `yaml:"warm_up"`
	Subsample    bool    `yaml:"subsample"`
	Regularizer  float64 `yaml:"regularizer"`
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
	Every      int    `yaml:"every"`
	Final      bool   `yaml:"final"`
	Criterion  string `yaml:"criterion"`
	Sample     int    `yaml:"sample"`
	TopL       []int  `yaml:"top_l"`
	Fit        bool   `yaml:"fit"`
	Calibrate  bool   `yaml:"calibrate"`
	DropItself bool   `yaml:"drop_itself"`
	Bootstrap  int    `yaml:"bootstrap"`
}

// TrackerConfig is the part of a Config under the key tracker. The address is never logged: it may hold a password.
type TrackerConfig struct {
	URI        string `yaml:"uri"`
	Experiment string `yaml:"experiment"`
}

// keyFields are the struct fields of the config keys, in the order of the struct.
var keyFields = sync.OnceValue(func() []keyField { return appendKeys(nil, keyField{}, reflect.TypeFor[Config]()) })

// keyField is a config key, dotted, and where its value is in a Config.
type keyField struct {
	Key   string
	Index []int
}

func appendKeys(list []keyField, section keyField, t reflect.Type) []keyField {
	for i := range t.NumField() {
		key, ok := t.Field(i).Tag.Lookup("yaml")
		f := keyField{Key: section.Key + key, Index: append(slices.Clone(section.Index), i)}
		switch {
		case ok && t.Field(i).Type.Kind() == reflect.Struct:
			f.Key += "."
			list = appendKeys(list, f, t.Field(i).Type)
		case ok:
			list = append(list, f)
		}
	}
	return list
}

// field is the settable value of a key.
func (c *Config) field(key string) (value reflect.Value, ok bool) {
	for _, f := range keyFields() {
		if f.Key == key {
			return reflect.ValueOf(c).Elem().FieldByIndex(f.Index), true
		}
	}
	return reflect.Value{}, false
}

// Keys lists every config key in the order of the documentation, for example "train.learning_rate".
func Keys() []string {
	var keys []string
	for _, f := range keyFields() {
		keys = append(keys, f.Key)
	}
	return keys
}

// Flatten is the config as text by dotted key, as it is logged as params. Tags and the tracker's address are left out:
// tags are logged as tags, and the address may hold a password.
func (c *Config) Flatten() map[string]string {
	flat := make(map[string]string)
	for _, f := range keyFields() {
		switch {
		case c.auto[f.Key]:
			flat[f.Key] = autoText
		case f.Key != "tags" && f.Key != "tracker.uri":
			flat[f.Key] = formatValue(reflect.ValueOf(c).Elem().FieldByIndex(f.Index))
		}
	}
	return flat
}

// notIdentity are the keys that change no number of a run.
var notIdentity = []string{"threads", "name", "tags", "tracker.uri", "tracker.experiment", "train.save_every"}

// laterKeys are keys that did not exist when the first runs were logged, with the value that those runs had. With this
// value a key is left out of the identity, so that it stays what it was.
var laterKeys = map[string]string{
	"file.columns": "", "file.relation": "", "file.quotes": "",
	"split.valid": "0.1", "split.test": "0.1", "split.seed": "0", "split.leakless": "false",
	"train.warm_up": "0", "train.subsample": "false", "train.regularizer": "0",
	"reciprocal": "false", "train.loss": sphere.SelfAdversarial, "train.n3": "0", "eval.calibrate": "false",
	"eval.sample": "0", "eval.drop_itself": "false",
}

// InIdentity reports whether a config key is part of a run's identity: whether its value can change a number.
func InIdentity(key string) bool { return !slices.Contains(notIdentity, key) }

// IdentityHash is the hex SHA-256 of everything in c that decides the numbers of a run. Threads, names, tags, the
// tracker and the folder of the graph are left out (the name of the graph's folder stays in).
func (c *Config) IdentityHash() string {
	flat := c.Flatten()
	for _, key := range notIdentity {
		delete(flat, key)
	}
	maps.DeleteFunc(flat, func(key, value string) bool {
		before, later := laterKeys[key]
		return later && value == before
	})
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

// YAML writes the expanded config as a file that LoadConfig reads back to the same config, without the tracker's
// address.
func (c *Config) YAML() []byte {
	expanded := *c
	expanded.Tracker.URI = ""
	raw, err := yaml.MarshalWithOptions(expanded, yaml.AutoInt())
	if err != nil {
		panic(err) // a config has only scalars, a list and a map of strings
	}
	return raw
}

// formatValue writes a field so that assignText reads it back to the same value.
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
		Reciprocal: c.Reciprocal,
	}
}

// Training is the training part of the config. Steps is still 0 where the config leaves it to the graph.
func (c *Config) Training() sphere.Training {
	t := c.Train
	return sphere.Training{
		Epochs: t.Epochs, Steps: t.Steps, Batch: t.Batch, Negatives: t.Negatives, Sampling: t.Sampling,
		Loss: t.Loss, N3: t.N3,
		Temperature: t.Temperature, LearningRate: t.LearningRate, WarmUp: t.WarmUp, Subsample: t.Subsample,
		Regularizer: t.Regularizer, Beta1: t.Beta1, Beta2: t.Beta2,
		AdamEpsilon: t.AdamEpsilon, Seed: c.Seed, Threads: c.Threads,
	}
}
