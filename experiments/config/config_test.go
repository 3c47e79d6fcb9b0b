package config

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spherelab/spherelab/experiments/configs"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
)

// writeConfig puts a config into a temporary folder and returns its path.
func writeConfig(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	expect.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// badFile is a config, the line of its fault, and what the error says.
type badFile struct {
	name, text string
	line       int
	want       []string
}

// badForms have keys and values that are not of the form of a config.
var badForms = []badFile{
	{"unknown key", "model: rotate\nlearning_rate: 1e-3\n", 2, []string{"unknown key learning_rate",
		"did you mean train.learning_rate?"}},
	{"misspelt key", "model: rotate\ntrain:\n  epoch: 3\n", 3, []string{"unknown key train.epoch",
		"did you mean train.epochs?"}},
	{"wrong section", "eval:\n  patience: 3\n", 2, []string{"unknown key eval.patience",
		"did you mean early_stop.patience?"}},
	{"exact name in the wrong section", "train:\n  seed: 3\n", 2, []string{"unknown key train.seed",
		"did you mean seed?"}},
	{"nothing near", "\n\nzzzzzzzzzzzzzzzzzzz: 3\n", 3, []string{"unknown key zzzzzzzzzzzzzzzzzzz"}},
	{"text for number", "train:\n  epochs: many\n", 2, []string{"train.epochs must be a whole number", `"many"`}},
	{"fraction for whole", "train:\n  epochs: 1.5\n", 2, []string{"train.epochs must be a whole number, not 1.5"}},
	{"quoted number", "train:\n  epochs: \"3\"\n", 2, []string{"train.epochs must be a whole number"}},
	{"number for text", "name: 42\n", 1, []string{"name must be text, not 42", "quotes"}},
	{"yes for true", "eval:\n  final: yes\n", 2, []string{"eval.final must be true or false", `"yes"`}},
	{"list for number", "dimension: [1, 2]\n", 1, []string{"dimension must be a whole number, not [1, 2]"}},
	{"number for list", "eval:\n  top_l: 10\n", 2, []string{"eval.top_l must be a list of whole numbers, not 10"}},
	{"empty value", "dimension:\n", 1, []string{"dimension must be a whole number, not empty"}},
	{"empty section", "model: rotate\ntrain:\n", 2, []string{"train must be keys with values, not empty"}},
	{"scalar section", "train: 3\n", 1, []string{"train must be keys with values, not 3"}},
	{"list as config", "- model\n", 1, []string{"a config must be keys with values"}},
	{"broken YAML", "model: rotate\neval: [1\n", 2, []string{"not valid YAML"}},
	{"key twice", "seed: 1\nseed: 2\n", 2, []string{"already defined"}},
	{"two documents", "seed: 1\n---\nseed: 2\n", 3, []string{"second YAML document"}},
}

// badValues are out of the ranges of their keys.
var badValues = []badFile{
	{"zero dimensions", "\ndimension: 0\n", 2, []string{"dimension must be a number from 1 to 65536, not 0"}},
	{"huge dimension", "dimension: 1000000\n", 1,
		[]string{"dimension must be a number from 1 to 65536, not 1000000"}},
	{"NaN learning rate", "train:\n  learning_rate: .nan\n", 2,
		[]string{"train.learning_rate must be a finite number, not .nan"}},
	{"NaN in letters", "train:\n  learning_rate: NaN\n", 2,
		[]string{`train.learning_rate must be a finite number, not "NaN"`}},
	{"zero learning rate", "train:\n  learning_rate: 0\n", 2,
		[]string{"train.learning_rate must be a number from 1e-12 to 1000, not 0"}},
	{"negative epochs", "train:\n  epochs: -3\n", 2, []string{"train.epochs must be a number from 1", "not -3"}},
	{"unknown model", "seed: 1\nmodel: spere-2d\n", 2,
		[]string{"model must be one of rotate, rotate3d, sphere-2d, sphere-3d", "did you mean sphere-2d?"}},
	{"unknown variant", "variant: original\n", 1, []string{"variant must be one of released, paper, clean"}},
	{"unknown sampling", "train:\n  sampling: bernouli\n", 2, []string{"did you mean bernoulli?"}},
	{"unknown criterion", "eval:\n  criterion: touch\n", 2, []string{"eval.criterion must be one of"}},
	{"negative seed", "seed: -1\n", 1, []string{"seed must be a whole number from 0"}},
	{"decay of one", "train:\n  beta2: 1\n", 2,
		[]string{"train.beta2 must be a number from 1e-09 to 0.9999999, not 1"}},
	{"stop without validation", "early_stop:\n  metric: valid/head_f1\n", 2,
		[]string{"early_stop.metric needs validations: eval.every must be a number of epochs from 1"}},
	{"unknown stop metric", "eval:\n  every: 1\nearly_stop:\n  metric: valid/f1\n", 4,
		[]string{"early_stop.metric must be one of", "did you mean valid/"}},
	{"top-l of zero", "eval:\n  top_l: [1, 0]\n", 2,
		[]string{"eval.top_l must be different numbers from 1, not [1 0]"}},
	{"top-l of words", "eval:\n  top_l: [1, two]\n", 2,
		[]string{"eval.top_l must be a list of whole numbers, not [1, two]"}},
	{"top-l twice", "eval:\n  top_l: [5, 1, 5]\n", 2,
		[]string{"eval.top_l must be different numbers from 1, not [5 1 5]"}},
	{"negative patience", "early_stop: {patience: -1}\n", 1,
		[]string{"early_stop.patience must be a number from 1, not -1"}},
	{"negative gain", "early_stop: {min_delta: -1}\n", 1,
		[]string{"early_stop.min_delta must be a number from 0 to 1e+06, not -1"}},
}

// oddValues are long, secret, or of YAML's finer points.
func oddValues() []badFile {
	return []badFile{
		{"no data", "data: \"\"\n", 1, []string{"data must name a graph"}},
		{"long name", "name: " + strings.Repeat("n", 251) + "\n", 1, []string{"name must be one line"}},
		{"control bytes", "model: \x1b[31mred\x07\n", 1, nil},
		{"control bytes in a key", "seed: 1\n\"a\\eb\": 2\n", 2, []string{`unknown key a\x1bb`}},
		{"endless key", strings.Repeat("k", 1<<16) + ": 1\n", 1, []string{"unknown key kkk", "..."}},
		{"secret in a wrong place", "model: postgres://bob:s3cret@h/db\n", 1, []string{"model must be one of",
			"not an address"}},
		{"secret for a number", "seed: postgres://bob:s3cret@h/db\n", 1, []string{"not an address"}},
		{"aliases", "seed: 3\ndimension: *s\n", 2, []string{"dimension must be a whole number, not *s"}},
		{"null in a list", "eval:\n  top_l: [1, ~]\n", 2, []string{"eval.top_l must be"}},
		{"quoted fraction", "gamma: \"2e-5\"\n", 1, []string{`gamma must be a finite number, not "2e-5"`}},
		{"infinite", "gamma: .inf\n", 1, []string{"gamma must be a finite number, not .inf"}},
		{"fraction for a whole number", "train:\n  epochs: 10.0\n", 2,
			[]string{"train.epochs must be a whole number, not 10.0"}},
		{"fraction in a list", "eval:\n  top_l: [1, 3.0]\n", 2,
			[]string{"eval.top_l must be a list of whole numbers, not [1, 3.0]"}},
		{"anchor as tag", "tags: {a: &x foo}\n", 1, []string{"tags.a must be text, not &x foo"}},
		{"YAML tag as tag", "tags: {a: !!str 1.10}\n", 1, []string{"tags.a must be text, not !!str 1.10"}},
		{"list as tag", "tags: {a: [1]}\n", 1, []string{"tags.a must be text, not [1]"}},
	}
}

func TestBadConfigFiles(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(badForms, badValues, oddValues()) {
		t.Run(c.name, func(t *testing.T) {
			file := writeConfig(t, c.text)
			_, err := load(Layers{Config: file})
			var bad *Error
			if !errors.As(err, &bad) {
				t.Fatalf("error %v is not a *ConfigError", err)
			}
			if bad.Origin.File != file || bad.Origin.Line != c.line {
				t.Errorf("error names %s, want line %d of %s", bad.Origin, c.line, file)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q lacks %q", err, want)
				}
			}
			if text := err.Error(); strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) ||
				len(text) > 1100 ||
				strings.Contains(text, "s3cret") {
				t.Errorf("error spans lines, is endless, repeats control bytes or a password: %q", err)
			}
		})
	}
}

func TestBadEnvironmentSetAndFlags(t *testing.T) {
	t.Parallel()
	cases := []struct {
		layers Layers
		want   []string
	}{
		{Layers{Env: []string{"SPHERELAB_TRAIN_EPOCH=3"}}, []string{"environment variable SPHERELAB_TRAIN_EPOCH",
			"did you mean SPHERELAB_TRAIN_EPOCHS?"}},
		{Layers{Env: []string{"SPHERELAB_SEED=x"}},
			[]string{"environment variable SPHERELAB_SEED: seed must be a whole number from 0"}},
		{Layers{Env: []string{"SPHERELAB_DIMENSION=0"}},
			[]string{"environment variable SPHERELAB_DIMENSION: dimension must be a number from 1"}},
		{Layers{Set: []string{"train.epoch=3"}},
			[]string{"--set train.epoch=3: unknown key train.epoch; did you mean train.epochs?"}},
		{Layers{Set: []string{"train.seed=3"}}, []string{"unknown key train.seed; did you mean seed?"}},
		{Layers{Set: []string{"Seed=3"}}, []string{"unknown key Seed; did you mean seed?"}},
		{Layers{Set: []string{"train=3"}}, []string{"--set train=3: train is a section"}},
		{Layers{Set: []string{"seed"}}, []string{"--set seed: is not of the form key=value"}},
		{Layers{Set: []string{"=3"}}, []string{"--set =3: is not of the form key=value"}},
		{Layers{Set: []string{"seed=9007199254740993.0"}},
			[]string{"--set seed=9007199254740993.0: seed must be a whole number from 0, not 9007199254740993.0"}},
		{Layers{Set: []string{"tags=a=b,c"}}, []string{"--set tags=a=b,c: tags must be names and texts (a=b,c=d)"}},
		{Layers{Set: []string{"eval.top_l=[5,5]"}},
			[]string{"--set eval.top_l=[5,5]: eval.top_l must be different numbers"}},
		{Layers{Config: "bundled/rotate", Set: []string{"train.negatives=x"}},
			[]string{"--set train.negatives=x: train.negatives must be"}},
		{Layers{Set: []string{"train.learning_rate=NaN"}},
			[]string{"--set train.learning_rate=NaN: train.learning_rate must be a finite number"}},
		{Layers{Flags: []FlagValue{{"threads", "threads", "-1"}}},
			[]string{"flag --threads: threads must be a number from 0 to 4096, not -1"}},
		{Layers{Config: "fb15k-237/spere-2d"}, []string{"no config fb15k-237/spere-2d",
			"did you mean fb15k-237/sphere-2d?"}},
		{Layers{Config: t.TempDir()}, []string{"cannot read config"}},
	}
	for _, c := range cases {
		_, err := Load(c.layers)
		if err == nil {
			t.Errorf("%+v was accepted", c.layers)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q lacks %q", err, want)
			}
		}
	}
}

func TestSecretsOfTheCommandLineAreNotRepeated(t *testing.T) {
	t.Parallel()
	for item, want := range map[string]string{
		"tracker.url=postgres://bob:s3cret@h/db":    "--set tracker.url: unknown key tracker.url; did you mean tracker.uri?",
		"tracker.url=host=h password=s3cret":        "--set tracker.url: unknown key tracker.url",
		"seed=postgres://bob:s3cret@h/db":           "--set seed: seed must be a whole number from 0, not an address",
		"model=postgres://bob:s3cret@h/db":          "--set model: model must be one of " + strings.Join(sphere.Models(), ", ") + ", not an address",
		"postgres://bob:s3cret@h/db?sslmode=a":      "--set: unknown key",
		"postgres://bob:s3cret@h/db":                "--set: is not of the form key=value",
		"seed=PASSWORD=s3cret":                      "--set seed: seed must be",
		"eval.top_l=[postgres://bob:s3cret@h/db,1]": "--set eval.top_l: eval.top_l must be a list of whole numbers, not an address",
	} {
		if _, err := load(Layers{Set: []string{item}}); err == nil || strings.Contains(err.Error(), "s3cret") ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("--set %s: error %v, want %s", item, err, want)
		}
	}
	if _, err := load(Layers{Config: "postgres://bob:s3cret@h/db"}); err == nil || strings.Contains(err.Error(),
		"s3cret") {
		t.Errorf("config: %v", err)
	}
}

func TestEmbeddedConfigsAreNotNamedAsFiles(t *testing.T) {
	t.Parallel()
	_, err := load(Layers{Config: "bundled/rotate", Set: []string{"eval.every=0", "early_stop.metric=valid/mrr"}})
	if err == nil || !strings.HasPrefix(err.Error(), "--set early_stop.metric") {
		t.Errorf("error %v", err)
	}
	c, err := load(Layers{Config: "bundled/rotate"})
	expect.NoError(t, err)
	origin := c.Origin("model")
	if want := fmt.Sprintf("embedded config bundled/rotate, line %d", origin.Line); origin.Line == 0 ||
		origin.String() != want {
		t.Errorf("the model is from %q, want %q", origin, want)
	}
}

func TestLayersOverrideOneAnother(t *testing.T) {
	t.Parallel()
	file := writeConfig(t, "seed: 1\ndimension: 11\ntrain:\n  epochs: 12\n  learning_rate: 2e-5\n  batch: 13\ntags: {a: 1.10, b: two}\n")
	c, err := load(Layers{
		Config: file,
		Env: []string{"SPHERELAB_DIMENSION=21", "SPHERELAB_TRAIN_EPOCHS=22", "SPHERELAB_SEED=2", "SPHERELAB_HOME=/x",
			"SPHERELAB_SIMD=go", "OTHER=1", "DATABASE_URL=postgres://a", "SPHERELAB_TRACKER_URI=postgres://b"},
		Set:   []string{"train.epochs=32", "seed=3", "eval.top_l=1,2", "tags.c=x=y", "eval.final=false"},
		Flags: []FlagValue{{"seed", "seed", "4"}},
	})
	expect.NoError(t, err)
	want := Default()
	want.Seed, want.Dimension, want.Train.Epochs, want.Train.LearningRate, want.Train.Batch = 4, 21, 32, 2e-5, 13
	want.Eval.TopL, want.Eval.Final, want.Tracker.URI = []int{1, 2}, false, "postgres://b"
	want.Tags = map[string]string{"a": "1.10", "b": "two", "c": "x=y"}
	c.origin, want.origin = nil, nil
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	c, err = load(Layers{Env: []string{"DATABASE_URL=postgres://a"}})
	if err != nil || c.Tracker.URI != "postgres://a" {
		t.Errorf("DATABASE_URL gave %q, %v", c.Tracker.URI, err)
	}
	for text, want := range map[string]map[string]string{"d = e,f=g=h": {"d": " e", "f": "g=h"}, "": {}} {
		c, err := load(Layers{Config: file, Set: []string{"tags=" + text}})
		if err != nil || !reflect.DeepEqual(c.Tags, want) {
			t.Errorf("tags=%s over those of a file: %v, %v", text, c.Tags, err)
		}
	}
}

// The page of options and the struct must agree: every key of the struct stands on the page, with a comment above it.
func TestDefaultPageDocumentsEveryKey(t *testing.T) {
	t.Parallel()
	c := &Config{origin: map[string]Origin{}}
	page, err := configs.Files.ReadFile(defaultFile)
	if err == nil {
		err = c.applyYAML(defaultFile, page)
	}
	expect.NoError(t, err)
	lines := strings.Split(string(page), "\n")
	for _, key := range Keys() {
		origin, ok := c.origin[key]
		if !ok {
			t.Errorf("configs/default.yaml lacks %s", key)
			continue
		}
		// Keys that stand together (alpha and beta) share the comment above the first.
		i := origin.Line - 2
		for i >= 0 && strings.TrimSpace(lines[i]) != "" && !strings.Contains(lines[i], "#") {
			i--
		}
		if i < 0 || !strings.Contains(lines[i], "#") {
			t.Errorf("configs/default.yaml:%d: %s has no comment above it", origin.Line, key)
		}
	}
	if _, err := c.Check(); err != nil {
		t.Errorf("the defaults are not valid: %v", err)
	}
}

func TestEmbeddedConfigsLoad(t *testing.T) {
	t.Parallel()
	names := EmbeddedNames()
	for _, want := range []string{"bundled/rotate", "bundled/sphere-2d", "umls/rotate", "umls/sphere-2d",
		"fb15k-237/rotate",
		"fb15k-237/sphere-2d", "fb15k-237/sphere-2d-paper", "fb15k-237/sphere-2d-own", "fb15k-237/rotate-own",
		"fb15k-237/complex", "wn18rr/rotate", "wn18rr/sphere-2d", "wn18rr/rotate-own", "wn18rr/sphere-2d-own",
		"wn18rr/complex",
		"bundled/rotate3d", "bundled/sphere-3d", "umls/rotate3d", "umls/sphere-3d", "fb15k-237/rotate3d",
		"fb15k-237/sphere-3d",
		"wn18rr/rotate3d", "wn18rr/sphere-3d"} {
		found := false
		for _, name := range names {
			found = found || name == want
		}
		if !found {
			t.Errorf("no embedded config %s", want)
		}
	}
	for _, name := range names {
		for _, form := range []string{name, name + ".yaml", "experiments/configs/" + name + ".yaml"} {
			c, err := load(Layers{Config: form})
			if err != nil {
				t.Errorf("%s: %v", form, err)
				continue
			}
			folder, file, _ := strings.Cut(name, "/")
			switch folder { // the graph is named when it is trained
			case autoFolder:
				folder = BundledName
			case "patterns":
				folder, file = "pattern-symmetry", c.Model
			case "dimension":
				folder, file = "umls", c.Model
			case "link":
				folder = "fb15k-237"
			}
			if c.Data != folder || !strings.HasPrefix(file, c.Model) {
				t.Errorf("%s trains %s on %s", form, c.Model, c.Data)
			}
		}
	}
}

// The values of the published rows, from the authors' released code.
func TestReleasedConfigsHoldThePublishedValues(t *testing.T) {
	t.Parallel()
	const sampled = sphere.SelfAdversarial
	for name, want := range map[string]Train{
		"fb15k-237/sphere-2d": {300, 100, 2721, 25, sampled, 0, 0, "bernoulli", 2, 2e-5, 0, 0, false, 0, .9, .999, 1e-8, 10},
		"fb15k-237/rotate":    {300, 100, 2721, 25, sampled, 0, 0, "bernoulli", 2, 2e-5, 0, 0, false, 0, .9, .999, 1e-8, 10},
		"wn18rr/sphere-2d":    {300, 43, 2000, 64, sampled, 0, 0, "uniform", 2, 2e-5, 0, 0, false, 0, .9, .999, 1e-8, 10},
		"wn18rr/rotate":       {300, 43, 2000, 64, sampled, 0, 0, "uniform", 2, 2e-5, 0, 0, false, 0, .9, .999, 1e-8, 10},
		"fb15k-237/sphere-3d": {300, 100, 2721, 25, sampled, 0, 0, "bernoulli", 2, 2e-5, 0, 0, false, 0, .9, .999, 1e-8, 10},
		"fb15k-237/rotate3d":  {300, 100, 2721, 25, sampled, 0, 0, "bernoulli", 2, 2e-5, 0, 0, false, 0, .9, .999, 1e-8, 10},
		"wn18rr/sphere-3d":    {300, 173, 500, 64, sampled, 0, 0, "uniform", 2, 2e-5, 0, 0, false, 0, .9, .999, 1e-8, 10},
		"wn18rr/rotate3d":     {300, 173, 500, 64, sampled, 0, 0, "uniform", 2, 2e-5, 0, 0, false, 0, .9, .999, 1e-8, 10},
	} {
		c, err := load(Layers{Config: name})
		expect.NoError(t, err)
		if dimension := map[bool]int{true: 200, false: 1024}[c.Data == "fb15k-237"]; c.Dimension != dimension {
			t.Errorf("%s: dimension %d, want %d", name, c.Dimension, dimension)
		}
		if !c.Eval.Fit {
			t.Errorf("%s: the rows of fitted thresholds are missing", name)
		}
		if c.Train != want || c.Gamma != 6 || c.Epsilon != 2 || c.Tau != .1 || c.Variant != "released" ||
			c.EarlyStop.Metric != "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// The values of HousE-kD and SpherE-kD, from the authors' released code.
func TestHouseConfigsHoldThePublishedValues(t *testing.T) {
	t.Parallel()
	want := Train{40, 500, 500, 500, sphere.SelfAdversarial, 0, 0, "alternate", 2, 8e-4, 10000, 0, true, .003367, .9, .999,
		1e-8, 1}
	for k, blocks := range map[int]int{5: 120, 10: 60, 20: 30} { // of 600 numbers
		for _, name := range []string{"house", "sphere"} {
			name = fmt.Sprintf("fb15k-237/%s-%dd", name, k)
			c, err := load(Layers{Config: name})
			expect.NoError(t, err)
			if c.Train != want || c.Dimension != blocks || c.Gamma != 5 || c.Epsilon != 2 || c.Tau != .1 ||
				c.Variant != "released" || !c.Eval.Fit || c.EarlyStop.Metric != "" {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}

func TestExpandedConfigReadsBack(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Name, c.Data, c.Seed = "odd: \"name\" # 1", "../some dir/é", math.MaxUint64
	c.Train.LearningRate, c.Eval.TopL, c.Tracker.Experiment = 1.0/3, nil, "no"
	c.Tags = map[string]string{"k: 1": "true", "x": "", "n": "1.10", "lines": "a\nb"}
	c.Tracker.URI = "postgres://user:secret@host/db"
	text := c.YAML()
	if strings.Contains(string(text), "secret") {
		t.Error("the expanded config has the tracker's password")
	}
	back, err := load(Layers{Config: writeConfig(t, string(text))})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if !reflect.DeepEqual(back.Flatten(), c.Flatten()) || !reflect.DeepEqual(back.Tags, c.Tags) {
		t.Errorf("got  %v %v\nwant %v %v", back.Flatten(), back.Tags, c.Flatten(), c.Tags)
	}
}

func TestIdentityHash(t *testing.T) {
	t.Parallel()
	base := Default().IdentityHash()
	same := map[string]func(*Config){
		"threads": func(c *Config) { c.Threads = 7 }, "name": func(c *Config) { c.Name = "x" },
		"tags":       func(c *Config) { c.Tags = map[string]string{"a": "b"} },
		"uri":        func(c *Config) { c.Tracker.URI = "x" },
		"experiment": func(c *Config) { c.Tracker.Experiment = "x" }, "save": func(c *Config) { c.Train.SaveEvery = 1 },
		"folder": func(c *Config) { c.Data = "/some/where/bundled" },
	}
	for name, change := range same {
		c := Default()
		change(c)
		if c.IdentityHash() != base {
			t.Errorf("%s changes the identity", name)
		}
	}
	skip := map[string]bool{"threads": true, "name": true, "tags": true, "tracker.uri": true,
		"tracker.experiment": true,
		"train.save_every":   true}
	for _, key := range Keys() {
		if skip[key] {
			continue
		}
		c := Default()
		alter(t, c, key)
		if c.IdentityHash() == base {
			t.Errorf("%s does not change the identity", key)
		}
	}
}

// TestIdentityHashOfCommittedResults holds the hashes that runs in experiments/results were logged with.
func TestIdentityHashOfCommittedResults(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"fb15k-237/sphere-2d": "ca4692b71d2ee66b706a2c36b1ed0f56763ebe4d33b11ba8e8ce24313ab23969",
		"wn18rr/sphere-2d":    "46732f1fea9226a6669c059ce601cecb1b89751a26dab37f315472826ca73bc7",
	} {
		c, err := load(Layers{Config: name})
		if err != nil || c.IdentityHash() != want {
			t.Errorf("%s: hash %s, error %v", name, c.IdentityHash(), err)
		}
	}
}

// TestIdentityHashOfLaterKeys: keys that came after the first logged runs count only where they differ from what those
// runs had.
func TestIdentityHashOfLaterKeys(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{Default().IdentityHash(): true}
	for _, set := range []string{"split.valid=0.2", "split.test=0.2", "split.seed=1", "split.leakless=true"} {
		c, err := load(Layers{Set: []string{set}})
		expect.NoError(t, err)
		if seen[c.IdentityHash()] {
			t.Errorf("%s is not in the identity", set)
		}
		seen[c.IdentityHash()] = true
	}
	flat := Default().Flatten()
	for key, value := range laterKeys {
		if flat[key] != value {
			t.Errorf("the default of %s is %s; the first runs had %s", key, flat[key], value)
		}
	}
	for _, set := range []string{"split.valid=-1", "split.test=1", "split.valid=auto"} {
		if _, err := load(Layers{Set: []string{set}}); err == nil || !strings.Contains(err.Error(), set) {
			t.Errorf("%s: %v", set, err)
		}
	}
	if _, err := load(Layers{Set: []string{"split.valid=0.5", "split.test=0.5"}}); err == nil {
		t.Error("a config may leave nothing for training")
	}
}
