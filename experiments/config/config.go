// Package config reads what decides a run, in layers: strict YAML files, embedded ones, the environment and key=value
// items. It checks every key, and assigns values to auto keys once the graph is known. Errors name file, line and key.
package config

import (
	"cmp"
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
	File       File              `yaml:"file"`
	Split      Split             `yaml:"split"`
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
	Train      Train             `yaml:"train"`
	Inductive  Inductive         `yaml:"inductive"`
	EarlyStop  EarlyStop         `yaml:"early_stop"`
	Eval       Eval              `yaml:"eval"`
	Stack      Stack             `yaml:"stack"`
	Tracker    Tracker           `yaml:"tracker"`
	Name       string            `yaml:"name"`
	Tags       map[string]string `yaml:"tags"`

	// origin is where each key that is not a default was set, for error messages.
	origin map[string]Origin
	// auto has the keys whose value is auto; it is not changed but replaced.
	auto map[string]bool
}

// File is the part of a Config under the key file: how the lines of a file of triples are read.
type File struct {
	Columns  string `yaml:"columns"`
	Relation string `yaml:"relation"`
	Quotes   string `yaml:"quotes"`
}

// Reading returns the file as a kg.Reading.
func (f File) Reading() kg.Reading {
	return kg.Reading{Columns: f.Columns, Relation: f.Relation, Quotes: f.Quotes}
}

// Split is the part of a Config under the key split: how a file of triples without a split column is divided.
type Split struct {
	Valid    float64 `yaml:"valid"`
	Test     float64 `yaml:"test"`
	Seed     uint64  `yaml:"seed"`
	Leakless bool    `yaml:"leakless"`
	Whole    bool    `yaml:"whole"`
}

// Division returns how the graph is read and divided, as a kg.Division.
func (c *Config) Division() kg.Division {
	d := kg.Division{Reading: c.File.Reading(), Valid: c.Split.Valid, Test: c.Split.Test, Seed: c.Split.Seed,
		Leakless: c.Split.Leakless, Whole: c.Split.Whole}
	if c.auto["split.leakless"] {
		d.LeakLimit = leakLimit
	}
	return d
}

// Train is the part of a Config under the key train.
type Train struct {
	Epochs         int     `yaml:"epochs"`
	Steps          int     `yaml:"steps"`
	Batch          int     `yaml:"batch"`
	Negatives      int     `yaml:"negatives"`
	Loss           string  `yaml:"loss"`
	N3             float64 `yaml:"n3"`
	RelationWeight float64 `yaml:"relation_weight"`
	Sampling       string  `yaml:"sampling"`
	Temperature    float64 `yaml:"temperature"`
	LearningRate   float64 `yaml:"learning_rate"`
	WarmUp         int     `yaml:"warm_up"`
	TypedNegatives float64 `yaml:"typed_negatives"`
	Subsample      bool    `yaml:"subsample"`
	Regularizer    float64 `yaml:"regularizer"`
	Beta1          float64 `yaml:"beta1"`
	Beta2          float64 `yaml:"beta2"`
	AdamEpsilon    float64 `yaml:"adam_epsilon"`
	SaveEvery      int     `yaml:"save_every"`
}

// Inductive is the part of a Config under the key inductive: how weights of other graphs are used on this one.
type Inductive struct {
	Heads        string  `yaml:"heads"`
	Epochs       int     `yaml:"epochs"`
	Steps        int     `yaml:"steps"`
	Batch        int     `yaml:"batch"`
	Negatives    int     `yaml:"negatives"`
	LearningRate float64 `yaml:"learning_rate"`
}

// BestHeads is the value of inductive.heads that leaves the choice to the validation facts.
const BestHeads = "best"

// headsOf are the values of inductive.heads.
func headsOf() []string { return append(sphere.Heads(), BestHeads) }

// validate checks the section for a model.
func (i Inductive) validate(model string) error {
	if !sphere.IsInductive(model) && (i.Epochs > 0 || i.Heads != laterKeys["inductive.heads"]) {
		key, value := "inductive.epochs", any(i.Epochs)
		if i.Epochs == 0 {
			key, value = "inductive.heads", i.Heads
		}
		return &sphere.SettingError{Key: key, Value: value, Other: "model",
			Message: "is about the models " + strings.Join(sphere.Inductive(), ", ") + ", and the model is " + model}
	}
	return cmp.Or(
		oneOf("inductive.heads", i.Heads, headsOf()...),
		atLeast("inductive.epochs", i.Epochs, 0),
		atLeast("inductive.steps", i.Steps, 1),
		atLeast("inductive.batch", i.Batch, 1),
		atLeast("inductive.negatives", i.Negatives, 1),
		check("inductive.learning_rate", i.LearningRate, i.LearningRate > 0 && i.LearningRate <= 1,
			"must be a number above 0, at most 1"))
}

// EarlyStop is the part of a Config under the key early_stop. An empty metric switches it off.
type EarlyStop struct {
	Metric   string  `yaml:"metric"`
	Patience int     `yaml:"patience"`
	MinDelta float64 `yaml:"min_delta"`
}

// Eval is the part of a Config under the key eval.
type Eval struct {
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

// Stack is the part of a Config under the key stack.
type Stack struct {
	Classes bool `yaml:"classes"`
}

// Tracker is the part of a Config under the key tracker. The address is never logged: it may hold a password.
type Tracker struct {
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

// field returns the settable value of a key.
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

// Kind is the kind of value that a config key has; known is false where there is no such key.
func Kind(key string) (kind reflect.Kind, known bool) {
	field, known := defaults().field(key)
	if !known {
		return reflect.Invalid, false
	}
	return field.Kind(), true
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
	"split.whole":   "false",
	"train.warm_up": "0", "train.subsample": "false", "train.regularizer": "0", "train.typed_negatives": "0",
	"reciprocal": "false", "train.loss": sphere.SelfAdversarial, "train.n3": "0", "train.relation_weight": "0",
	"eval.calibrate": "false",
	"eval.sample":    "0", "eval.drop_itself": "false", "stack.classes": "false",
	"inductive.heads": "inverse", "inductive.epochs": "0", "inductive.steps": "50", "inductive.batch": "16",
	"inductive.negatives": "128", "inductive.learning_rate": "0.0005",
}

// Before is the value that runs had of a key that did not exist when the first ones were logged; later is false for any
// other key.
func Before(key string) (value string, later bool) {
	value, later = laterKeys[key]
	return value, later
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

// YAML writes the expanded config as a file that Load reads back to the same config, without the tracker's
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

// Settings returns the model's part of the config.
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
		Loss: t.Loss, N3: t.N3, RelationWeight: t.RelationWeight,
		TypedNegatives: t.TypedNegatives,
		Temperature:    t.Temperature, LearningRate: t.LearningRate, WarmUp: t.WarmUp, Subsample: t.Subsample,
		Regularizer: t.Regularizer, Beta1: t.Beta1, Beta2: t.Beta2,
		AdamEpsilon: t.AdamEpsilon, Seed: c.Seed, Threads: c.Threads,
	}
}
