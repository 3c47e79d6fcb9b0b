package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/inductive"
)

// TestInductiveKeys: the keys are refused for other models, and with values out of range.
func TestInductiveKeys(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{
		"auto/ultra-50g inductive.epochs=3":          "",
		"auto/ultra-50g inductive.heads=both":        "",
		"auto/ultra-50g inductive.heads=backward":    "must be one of inverse, direct, both, best",
		"auto/ultra-50g inductive.epochs=-1":         "must be a number from 0",
		"auto/ultra-50g inductive.batch=0":           "must be a number from 1",
		"auto/ultra-50g inductive.learning_rate=1.5": "must be a number above 0",
		"auto/rotate inductive.epochs=3":             "is about the models inductive, ultra-3g, ultra-50g, ultraquery, and the model is rotate",
		"auto/rotate inductive.heads=direct":         "is about the models",
	} {
		name, item, _ := strings.Cut(set, " ")
		_, err := load(Layers{Config: name, Set: []string{item}})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", set, err)
		}
	}
	var names []string
	for _, h := range inductive.AllHeads() {
		names = append(names, string(h))
	}
	if !slices.Equal(names, sphere.Heads()) {
		t.Errorf("heads %q and %q", names, sphere.Heads())
	}
}

// TestTuningIsIdentity: what tunes a model decides its identity, and says nothing about one that is not tuned.
func TestTuningIsIdentity(t *testing.T) {
	t.Parallel()
	hash := func(items ...string) string {
		c, err := load(Layers{Config: "auto/ultra-50g", Set: items})
		expect.NoError(t, err)
		c.DropTraining()
		return c.IdentityHash()
	}
	if hash() != hash("inductive.batch=3", "early_stop.patience=2") {
		t.Error("a model that is not tuned has a batch")
	}
	tuned := hash("inductive.epochs=3")
	for _, item := range []string{"inductive.batch=3", "early_stop.patience=2", "inductive.heads=direct",
		"inductive.epochs=4"} {
		items := []string{"inductive.epochs=3", item}
		if hash(items...) == tuned {
			t.Errorf("%s changes nothing", item)
		}
	}
}
