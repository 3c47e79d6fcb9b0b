package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestModelIsCopied(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	m := s.Model("sphere-2d")
	before := m.String()
	n := m.Dim(7).Epochs(9).Seed(3).Name("x").Variant("paper").Set("eval.top_l", []int{2}).Set("tags.a",
		"b").Set("train.learning_rate", float32(0.5)).Set("eval.final", false)
	if m.String() != before {
		t.Error("the model itself was changed")
	}
	for key, want := range map[string]string{"dimension": "7", "train.epochs": "9", "seed": "3", "name": "x",
		"variant": "paper", "eval.top_l": "[2]",
		"tags.a": "b", "train.learning_rate": "0.5", "eval.final": "false", "model": "sphere-2d"} {
		if got := n.Get(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if c := n.Config(); c.Dimension != 7 || !slices.Equal(c.Eval.TopL, []int{2}) || c.Tags["a"] != "b" {
		t.Errorf("config %+v", c)
	}
	n.Config().Eval.TopL[0] = 99
	if n.Get("eval.top_l") != "[2]" {
		t.Error("Config is not a copy")
	}
	text, html := n.String(), n.HTML()
	for _, want := range []string{"variant paper, dimension 7", "train.epochs", "was 50", "was not set", "tags.a"} {
		if !strings.Contains(text, want) || !strings.Contains(html, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if strings.Contains(html, "tracker.uri") || strings.Contains(text, "\ndata ") {
		t.Error("the graph or an address is shown")
	}
}

// TestModelNames: plain names, configs, files, and models that have no config of their own.
func TestModelNames(t *testing.T) {
	s := New(Options{})
	t.Chdir(t.TempDir())
	expect.NoError(t, os.WriteFile("own.yaml", []byte("model: rotate\ndimension: 3\n"), 0o644))
	if err := os.Mkdir("rotate", 0o755); err != nil { // a folder of that name is not a config
		t.Fatal(err)
	}
	for name, dimension := range map[string]string{"sphere-2d": "64", "rotate": "64",
		"fb15k-237/sphere-2d": s.Model("fb15k-237/sphere-2d").Get("dimension"), "own.yaml": "3",
		filepath.Join("bundled", "rotate"): "64"} {
		if got := s.Model(name).Get("dimension"); got != dimension {
			t.Errorf("%s has dimension %s", name, got)
		}
	}
	for name, word := range map[string]string{"sphere-2": `did you mean "sphere-2d"?`, "": "there is no model",
		"fb15k-237/spere-2d": "fb15k-237/sphere-2d", "none.yaml": "none.yaml"} {
		if e := caught(t, func() { s.Model(name) }); e.Name != BadModel || !strings.Contains(e.Message, word) {
			t.Errorf("%q: %s: %s", name, e.Name, e.Message)
		}
	}
}

// TestModelRefuses: mistakes are found where they are made, but keys that need each other come in any order.
func TestModelRefuses(t *testing.T) {
	t.Parallel()
	m := New(Options{}).Model("sphere-2d")
	for _, c := range []struct {
		do   func()
		word string
	}{
		{func() { m.Set("learning_rate", 1) }, "did you mean train.learning_rate?"},
		{func() { m.Set("train", 1) }, "section"},
		{func() { m.Set("train.epochs", "many") }, "whole number"},
		{func() { m.Set("train.epochs", 2.5) }, "whole number"},
		{func() { m.Set("train.learning_rate", -1) }, "must be a number from 1e-12"},
		{func() { m.Set("eval.criterion", "spheres") }, "did you mean sphere?"},
		{func() { m.Set("seed", -1) }, "whole number from 0"},
		{func() { m.Set("gamma", nil) }, "nil"},
		{func() { m.Set("gamma", struct{}{}) }, "struct {}"},
		{func() { m.Set("tracker.uri", "postgres://user:secret@host/db") }, "one database"},
		{func() { m.Set("tau", 0).Set("train.learning_rate", -1) }, "must be a number from 1e-12"},
		{func() { m.Dim(0) }, "m.Dim(0)"},
		{func() { m.Variant("papr") }, "did you mean paper?"},
		{func() { m.Get("dim") }, "unknown key"},
	} {
		if e := caught(t, c.do); e.Name != BadModel || !strings.Contains(e.Message, c.word) ||
			strings.Contains(e.Message, "secret") {
			t.Errorf("%s: %s, want %q", e.Name, e.Message, c.word)
		}
	}
	stopping := m.Set("eval.every", 0).Set("early_stop.metric", "valid/mrr")
	intolerant := m.Set("tau", 0).Variant("released")
	g := New(Options{}).Graph("bundled")
	for want, wrong := range map[string]*Model{"eval.every": stopping, "tau": intolerant} {
		if e := caught(t, func() { New(Options{}).Train(g, wrong) }); e.Name != BadModel ||
			!strings.Contains(e.Message, want) {
			t.Errorf("%s: %s, want %q", e.Name, e.Message, want)
		}
	}
	for _, m := range []*Model{stopping.Set("eval.every", 5), intolerant.Variant("clean")} {
		if _, err := m.Config().Check(); err != nil {
			t.Error(err)
		}
	}
}
