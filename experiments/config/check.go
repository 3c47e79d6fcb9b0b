package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE"
)

// validate is Check without a copy. Here are only the keys that sphere does not know.
func (c *Config) validate() error {
	settings, criterion := c.Settings().Validate(), error(nil)
	if settings == nil {
		criterion = c.validateCriterion()
	}
	errs := []error{
		settings,
		cmp.Or(c.Training().Validate(), c.Training().FitsModel(c.Settings())),
		check("data", c.Data, c.Data != "", `must name a graph, for example "bundled" or "fb15k-237"`),
		c.File.validate(),
		share("split.valid", c.Split.Valid),
		share("split.test", c.Split.Test),
		check("name", c.Name, !strings.ContainsAny(c.Name, "\n\r\x00") && len(c.Name) <= 250,
			"must be one line of at most 250 bytes"),
		atLeast("train.save_every", c.Train.SaveEvery, 0),
		atLeast("eval.every", c.Eval.Every, 0),
		oneOf("eval.criterion", c.Eval.Criterion, criteria()...),
		criterion,
		check("eval.top_l", c.Eval.TopL, areSizes(c.Eval.TopL), "must be different numbers from 1"),
		atLeast("eval.sample", c.Eval.Sample, 0),
		atLeast("eval.bootstrap", c.Eval.Bootstrap, 0),
		atLeast("early_stop.patience", c.EarlyStop.Patience, 1),
		check("early_stop.min_delta", c.EarlyStop.MinDelta, c.EarlyStop.MinDelta >= 0 && c.EarlyStop.MinDelta <= 1e6,
			"must be a number from 0 to 1e+06"),
		c.validateEarlyStop(),
		c.Inductive.validate(c.Model),
		c.Split.validate(),
		check("stack.classes", c.Stack.Classes, !c.Stack.Classes || sphere.HasTrees(c.Model),
			"is for stacks with trees, which `spherelab stack` makes"),
	}
	// A value that is wrong by itself comes before one that does not fit another: the other may still be set.
	slices.SortStableFunc(errs, func(a, b error) int { return cmp.Compare(otherKey(a), otherKey(b)) })
	return c.Locate(cmp.Or(errs...))
}

// otherKey is the key of the setting that the value of the error does not fit, "" if it is wrong by itself.
func otherKey(err error) string {
	if setting, ok := errors.AsType[*sphere.SettingError](err); ok {
		return keyOf(setting.Other)
	}
	return ""
}

// keyOf returns the config key of a field that a *sphere.SettingError names, such as Training.Batch. Errors of this
// package name keys, which stay as they are.
func keyOf(name string) string {
	part, field, _ := strings.Cut(name, ".")
	switch part {
	case "Settings":
		return fieldKey(reflect.TypeFor[Config](), "", field)
	case "Training":
		return cmp.Or(fieldKey(reflect.TypeFor[Train](), "train.", field), fieldKey(reflect.TypeFor[Config](), "", field))
	}
	return name
}

// fieldKey returns the key of a field of a section, "" if it has no such field.
func fieldKey(section reflect.Type, prefix, name string) string {
	field, ok := section.FieldByName(name)
	if !ok {
		return ""
	}
	return prefix + field.Tag.Get("yaml")
}

// DefaultCriterion is the value of eval.criterion that leaves the choice to the model's variant.
const DefaultCriterion = "default"

// criteria are the values of eval.criterion.
func criteria() []string {
	names := []string{DefaultCriterion}
	for _, c := range sphere.Criteria() {
		names = append(names, string(c))
	}
	return names
}

// validateCriterion refuses a criterion that is about radii of blocks or about boxes for another model, and any other
// about radii for a model whose blocks have them, and every criterion for a model whose scores are dot products.
func (c *Config) validateCriterion() error {
	s, criterion := c.Settings(), sphere.Criterion(c.Eval.Criterion)
	switch {
	case c.Eval.Criterion == DefaultCriterion:
		return nil
	case strings.Contains(c.Model, sphere.StackedBy):
		if criterion == sphere.CriterionMargin {
			return nil
		}
		return &sphere.SettingError{Key: "eval.criterion", Value: c.Eval.Criterion, Other: "model",
			Message: "must be one of default, margin for a stack"}
	case len(s.Criteria()) == 0:
		return &sphere.SettingError{Key: "eval.criterion", Value: c.Eval.Criterion, Other: "model",
			Message: fmt.Sprintf("must be %s for %s: its scores are dot products, and no dot product marks the end of a set; "+
				"its sets have a size (top-10, top-mean) or fitted thresholds", DefaultCriterion, s.Model)}
	case c.Eval.Criterion == string(sphere.CriterionMargin):
		return nil
	}
	special := criterion == sphere.CriterionBlocks || criterion == sphere.CriterionBoxes
	if slices.Contains(s.Criteria(), criterion) || !special && s.Criteria()[0] != sphere.CriterionBlocks {
		return nil
	}
	return &sphere.SettingError{Key: "eval.criterion", Value: c.Eval.Criterion, Other: "model",
		Message: fmt.Sprintf("must be one of default, %s for %s in variant %s", joined(s.Criteria()), s.Model,
			s.Variant)}
}

func joined(criteria []sphere.Criterion) string {
	var names []string
	for _, c := range criteria {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// validateEarlyStop checks the metric.
func (c *Config) validateEarlyStop() error {
	metric := c.EarlyStop.Metric
	if metric == "" || c.auto["early_stop.metric"] {
		return nil
	}
	if err := oneOf("early_stop.metric", metric, ValidationMetrics()...); err != nil || c.Eval.Every > 0 {
		return err
	}
	return &sphere.SettingError{Key: "early_stop.metric", Value: metric, Other: "eval.every",
		Message: "needs validations: eval.every must be a number of epochs from 1"}
}

// ValidationMetrics are those that every validation logs.
func ValidationMetrics() []string {
	return []string{"valid/mrr", "valid/mr", "valid/hits_1", "valid/hits_3", "valid/hits_10", "valid/head_f1",
		"valid/tail_f1", "valid/nn_f1", "valid/head_rr", "valid/tail_rr", "valid/head_mrr", "valid/tail_mrr"}
}

// validate checks the settings for reading a file.
func (f File) validate() error {
	field, message := f.Reading().Fault()
	switch field {
	case "Columns":
		return check("file.columns", f.Columns, false, message)
	case "Relation":
		return check("file.relation", f.Relation, false, message)
	case "Quotes":
		return check("file.quotes", f.Quotes, false, message)
	}
	return nil
}

// share checks a share of the triples.
func share(key string, value float64) error {
	return check(key, value, value >= 0 && value <= .9, "must be a number from 0 to 0.9")
}

// validate checks that a training split is left.
func (s Split) validate() error {
	if s.Valid+s.Test <= .9 {
		return nil
	}
	return &sphere.SettingError{Key: "split.valid", Value: s.Valid, Other: "split.test",
		Message: "and split.test together must be at most 0.9"}
}

func check(key string, value any, ok bool, message string) error {
	if ok {
		return nil
	}
	return &sphere.SettingError{Key: key, Value: value, Message: message}
}

func atLeast(key string, value, least int) error {
	return check(key, value, value >= least, fmt.Sprintf("must be a number from %d", least))
}

func oneOf(key, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return &sphere.SettingError{Key: key, Value: value, Message: "must be one of " + strings.Join(allowed, ", "),
		Allowed: allowed}
}

// areSizes reports whether a list has no number twice and none below 1.
func areSizes(list []int) bool {
	sorted := slices.Sorted(slices.Values(list))
	return len(sorted) == 0 || sorted[0] >= 1 && len(slices.Compact(sorted)) == len(list)
}

// Locate adds to a *sphere.SettingError where the value was set, and the nearest value that is allowed. Other errors
// stay as they are.
func (c *Config) Locate(err error) error {
	var setting *sphere.SettingError
	if !errors.As(err, &setting) {
		return err
	}
	value, nearestValue := fmt.Sprint(setting.Value), ""
	if text, ok := setting.Value.(string); ok {
		value, nearestValue = quoted(text), nearest(text, setting.Allowed)
	}
	key := keyOf(setting.Key)
	message := fmt.Sprintf("%s %s, not %s", key, setting.Message, value)
	if setting.Other != "" {
		message = fmt.Sprintf("%s %s", key, setting.Message)
	}
	return &Error{Origin: c.origin[key], Key: key, Other: keyOf(setting.Other), Nearest: nearestValue,
		Message: message}
}
