package search

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Search looks for the config with the best validation: trials are drawn from a space around a config, and none is
// evaluated on the test triples.
type Search struct {
	Name   string // of its file; the tag TagSweep of its runs
	Config string // the name of the config
	Space  Space
	Method string
	Seed   uint64   // of the draws
	Trials int      // with the config itself, which is the first
	Hours  float64  // of training after which no trial is drawn any more; 0: no limit
	Metric string   // of validations, such as valid/mrr
	Batch  int      // trials that are drawn together, each without the results of the others
	Rungs  []int    // epochs after which only one trial in Keep continues
	Keep   int      // of successive halving
	Seeds  []uint64 // of every trial, whose score is the mean; empty: the config's own

	base    config.Checked
	method  drawer
	content []byte // of the file
}

// searchFile is the form of the key search in a sweep's file.
type searchFile struct {
	Config string                     `yaml:"config"`
	Set    []string                   `yaml:"set,omitempty"`
	Method string                     `yaml:"method,omitempty"`
	Seed   uint64                     `yaml:"seed,omitempty"`
	Trials int                        `yaml:"trials,omitempty"`
	Hours  float64                    `yaml:"hours,omitempty"`
	Metric string                     `yaml:"metric,omitempty"`
	Batch  int                        `yaml:"batch,omitempty"`
	Rungs  []int                      `yaml:"rungs,omitempty"`
	Keep   int                        `yaml:"keep,omitempty"`
	Seeds  []uint64                   `yaml:"seeds,omitempty"`
	Space  map[string]searchDimension `yaml:"space"`
}

// searchDimension is a list of values, or a range.
type searchDimension struct {
	values []string
	rangeOf
}

type rangeOf struct {
	Values []string            `yaml:"values,omitempty"`
	From   *float64            `yaml:"from,omitempty"`
	To     *float64            `yaml:"to,omitempty"`
	Scale  string              `yaml:"scale,omitempty"`
	Step   float64             `yaml:"step,omitempty"`
	When   map[string][]string `yaml:"when,omitempty"`
}

// MarshalYAML is the opposite of UnmarshalYAML.
func (d searchDimension) MarshalYAML() (any, error) {
	if d.values != nil {
		return d.values, nil
	}
	return d.rangeOf, nil
}

// UnmarshalYAML takes a list of values, or a mapping with the keys of rangeOf.
func (d *searchDimension) UnmarshalYAML(decode func(any) error) error {
	if decode(&d.values) == nil {
		return nil
	}
	return decode(&d.rangeOf)
}

// fixedKeys cannot be in a space: what they decide is not the model, or the search sets them itself.
var fixedKeys = []string{"data", "seed", "name", "tags", "threads"}

// newSearch checks the key search of a sweep's file, the config that it names, and every value of its space.
func newSearch(file string, f *searchFile, l config.Layers) (*Search, error) {
	if f.Config == "" {
		return nil, &config.Error{Origin: config.Origin{File: file}, Key: "search.config",
			Message: "search.config is missing; name the config that the search begins with"}
	}
	l.Config, l.Set = besides(file, f.Config), slices.Concat(f.Set, l.Set)
	base, err := config.Load(l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return searchOn(file, f, base)
}

// searchOn is newSearch with the config at hand.
func searchOn(file string, f *searchFile, base config.Checked) (*Search, error) {
	wrong := func(key, format string, args ...any) error {
		return &config.Error{Origin: config.Origin{File: file}, Key: "search" + key,
			Message: "search" + key + " " + fmt.Sprintf(format, args...)}
	}
	s := &Search{Name: filepath.Base(file), Config: f.Config, Method: f.Method,
		Seed: f.Seed, Trials: f.Trials, Hours: f.Hours, Metric: f.Metric, Batch: f.Batch, Rungs: f.Rungs, Keep: f.Keep,
		Seeds: f.Seeds, base: base}
	if s.base.Config().Inductive.Epochs > 0 {
		return nil, wrong(".config", "tunes public weights (inductive.epochs), which is not searched; "+
			"list the configs in a sweep instead")
	}
	if s.Method == "" {
		s.Method = "tpe"
	}
	if s.Metric == "" {
		s.Metric = "valid/mrr"
	}
	if s.Keep == 0 {
		s.Keep = 3
	}
	if s.Batch == 0 {
		s.Batch = 1
	}
	if len(s.Seeds) == 0 {
		s.Seeds = []uint64{s.base.Config().Seed}
	}
	for key, d := range f.Space {
		dimension, err := s.dimension(key, d)
		if err != nil {
			return nil, wrong(".space", "has %s: %v", key, err)
		}
		s.Space = append(s.Space, dimension)
	}
	slices.SortFunc(s.Space, func(a, b Dimension) int { return strings.Compare(a.Key, b.Key) })
	if err := s.Space.Validate(); err != nil {
		return nil, wrong(".space", "is wrong: %v", err)
	}
	for _, items := range s.Space.Ends() {
		c := s.base.Config()
		item := items[len(items)-1]
		key, _, _ := strings.Cut(item, "=")
		err := c.SetItems(items, file)
		if err == nil {
			_, err = c.Check()
		}
		var bad *config.Error
		if errors.As(err, &bad) && bad.Key == key { // another key may have another value in a trial
			return nil, wrong(".space", "has %s: %s", item, bad.Message)
		}
	}
	return s, s.check(wrong)
}

// dimension is a key of the space.
func (s *Search) dimension(key string, d searchDimension) (Dimension, error) {
	kind, known := config.Kind(key)
	switch {
	case !known:
		return Dimension{}, fmt.Errorf("there is no config key %s", key)
	case strings.HasPrefix(key, "inductive."):
		return Dimension{}, fmt.Errorf("%s is not searched: a search does not tune public weights", key)
	case slices.Contains(fixedKeys, key) || !config.InIdentity(key) || strings.HasPrefix(key, "eval.") ||
		strings.HasPrefix(key, "split.") || strings.HasPrefix(key, "early_stop."):
		return Dimension{}, fmt.Errorf("%s is not searched: it does not shape the model or its training", key)
	}
	out := Dimension{Key: key, Values: slices.Concat(d.values, d.Values), When: d.When, Step: d.Step,
		Log: d.Scale == "log", Whole: kind == reflect.Int || kind == reflect.Uint64}
	switch {
	case d.Scale != "" && d.Scale != "log" && d.Scale != "linear":
		return out, fmt.Errorf("scale is log or linear, not %s", d.Scale)
	case len(out.Values) > 0 && (d.From != nil || d.To != nil || d.Scale != "" || d.Step != 0):
		return out, fmt.Errorf("it has values and a range; leave one of them out")
	case len(out.Values) > 0:
		return out, nil
	case d.From == nil || d.To == nil:
		return out, fmt.Errorf("it has no values; list them, or give from and to")
	case kind != reflect.Float64 && !out.Whole:
		return out, fmt.Errorf("%s is not a number; list its values", key)
	}
	out.From, out.To = *d.From, *d.To
	if out.Whole && (out.From != float64(int(out.From)) || out.To != float64(int(out.To)) ||
		out.Step != float64(int(out.Step))) {
		return out, fmt.Errorf("%s is a whole number; so are from, to and step", key)
	}
	return out, nil
}

// check returns an error if parts of the search do not fit together.
func (s *Search) check(wrong func(key, format string, args ...any) error) error {
	var err error
	if s.method, err = newMethod(s.Method, s.Space, s.Seed); err != nil {
		return wrong(".method", "is wrong: %v", err)
	}
	size := s.Space.Size()
	switch {
	case s.Trials == 0 && s.Method == "grid":
		s.Trials = size + 1
	case s.Trials < 2:
		return wrong(".trials", "is %d; a search needs 2 trials or more, of which the config itself is the first", s.Trials)
	case s.Batch < 1:
		return wrong(".batch", "must be 1 or more")
	case !(s.Hours >= 0) || math.IsInf(s.Hours, 0):
		return wrong(".hours", "must be a number from 0, which means no limit")
	case s.Keep < 2:
		return wrong(".keep", "is %d; it must be 2 or more, since one trial in that many continues", s.Keep)
	}
	metrics := config.ValidationMetrics()
	if !slices.Contains(metrics, s.Metric) {
		return wrong(".metric", "is %s, which no validation logs; there are %s", s.Metric, strings.Join(metrics, ", "))
	}
	every := s.base.Config().Eval.Every
	if every == 0 && !s.base.Config().IsAuto("eval.every") {
		return wrong(".config", "names %s, which has no validations (eval.every is 0), so no trial has a score; set "+
			"eval.every", s.Config)
	}
	for i, epochs := range s.Rungs {
		switch {
		case epochs < 1 || epochs >= s.base.Config().Train.Epochs || i > 0 && epochs <= s.Rungs[i-1]:
			return wrong(".rungs", "must rise and stay below train.epochs, which is %d", s.base.Config().Train.Epochs)
		case every > 0 && epochs%every != 0:
			return wrong(".rungs", "has %d, where no validation is: eval.every is %d", epochs, every)
		}
	}
	if len(s.Rungs) > 0 && slices.ContainsFunc(s.Space, func(d Dimension) bool { return d.Key == "train.epochs" }) {
		return wrong(".rungs", "and train.epochs in the space exclude each other")
	}
	for i, seed := range s.Seeds {
		if slices.Contains(s.Seeds[:i], seed) {
			return wrong(".seeds", "has %d twice", seed)
		}
	}
	return nil
}

// checkOn refuses values of the space that the graph cannot have, before anything is trained. base is settled.
func (s *Search) checkOn(g *kg.Graph, base config.Checked) error {
	for _, items := range s.Space.Ends() {
		c := base.Config()
		if err := c.SetItems(items, s.Name); err != nil {
			return err
		}
		if _, err := c.Check(); err != nil { // together with other keys it may be right
			continue
		}
		if _, err := c.Training().On(g); err != nil {
			return &config.Error{Origin: config.Origin{File: s.Name}, Key: "search.space",
				Message: fmt.Sprintf("search.space has %s: %v", items[len(items)-1], err)}
		}
	}
	return nil
}

// Plan returns what the search will train, in one sentence for people.
func (s *Search) Plan() string {
	text := fmt.Sprintf("search %s: %d trials of %s by %s, judged by %s", s.Name, s.Trials, s.Config, s.Method, s.Metric)
	if n := len(s.Seeds); n > 1 {
		text += fmt.Sprintf(" over %d seeds", n)
	}
	if len(s.Rungs) > 0 {
		text += fmt.Sprintf("; one in %d continues after epoch %s", s.Keep, strings.Join(texts(s.Rungs), ", "))
	}
	if s.Hours > 0 {
		text += fmt.Sprintf("; none is drawn after %v hours", s.Hours)
	}
	return text + fmt.Sprintf("; at most %d epochs in all", s.epochs())
}

// epochs is how many epochs the search trains at most, if no trial has drawn a number of its own.
func (s *Search) epochs() int {
	n, before, left := 0, 0, s.Trials
	for _, rung := range append(slices.Clone(s.Rungs), s.base.Config().Train.Epochs) {
		n += left * (rung - before) * len(s.Seeds)
		before, left = rung, max(1, left/s.Keep)
	}
	return n + s.base.Config().Train.Epochs*len(s.Seeds) // the best config again, with its evaluation
}

func texts(numbers []int) []string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = strconv.Itoa(n)
	}
	return list
}
