package config

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// alter changes the value of a config key.
func alter(t *testing.T, c *Config, key string) {
	t.Helper()
	v, _ := c.field(key)
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64:
		v.SetFloat(math.Nextafter(v.Float(), 10))
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Slice:
		v.Set(reflect.ValueOf([]int{9}))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"a": "b"}))
	default:
		t.Fatalf("%s: kind %s not handled", key, v.Kind())
	}
}

// The settings that a config becomes, by name.
func settingsByName(c *Config) map[string]reflect.Value {
	return map[string]reflect.Value{
		"Settings": reflect.ValueOf(c.Settings()), "Training": reflect.ValueOf(c.Training()),
		"final": reflect.ValueOf(c.FinalSettings()), "validation": reflect.ValueOf(c.ValidationSettings()),
		"Division": reflect.ValueOf(c.Division()),
	}
}

// TestEveryKeyBecomesASetting holds that no config key and no setting is forgotten between the two.
func TestEveryKeyBecomesASetting(t *testing.T) {
	t.Parallel()
	elsewhere := []string{ // keys that are not settings of the model, its training or its evaluation
		"data", "name", "tags", "tracker.uri", "tracker.experiment", // which graph and which run
		"train.save_every", "early_stop.metric", "early_stop.patience", "early_stop.min_delta", "eval.every",
		"eval.final", "eval.fit", "eval.calibrate", "eval.drop_itself", "stack.classes", // the session
		"inductive.heads", "inductive.epochs", "inductive.steps", "inductive.batch", "inductive.negatives",
		"inductive.learning_rate",
	}
	fixed := []string{ // settings that no key changes
		"Training.SIMD",                            // SPHERELAB_SIMD
		"Division.LeakLimit", "Division.TestFirst", // the key auto; runs of before
		"final.Split", "final.Truth", "final.SkipRanking", "final.Block", "final.KeepRecords", "final.Progress",
		"validation.Split", "validation.Truth", "validation.SkipRanking", "validation.Block", "validation.KeepRecords",
		"validation.Progress",
		"validation.Resamples",
	}
	before := settingsByName(Default())
	set := map[string]bool{}
	for _, key := range Keys() {
		c := Default()
		alter(t, c, key)
		used := false
		for name, after := range settingsByName(c) {
			for j := range after.NumField() {
				if !reflect.DeepEqual(after.Field(j).Interface(), before[name].Field(j).Interface()) {
					used, set[name+"."+after.Type().Field(j).Name] = true, true
				}
			}
		}
		if used == slices.Contains(elsewhere, key) {
			t.Errorf("key %s changes a setting: %v", key, used)
		}
	}
	for name, settings := range before {
		for j := range settings.NumField() {
			field := name + "." + settings.Type().Field(j).Name
			if set[field] == slices.Contains(fixed, field) {
				t.Errorf("some key changes %s: %v", field, set[field])
			}
		}
	}
}
