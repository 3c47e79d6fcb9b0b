package e2e

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestKernelCompletesNames: a Jupyter client is offered the names of runs, configs, entities and relations inside
// strings, between cells and while a cell trains.
func TestKernelCompletesNames(t *testing.T) {
	t.Parallel()
	j := newJupyter(t)
	j.ok("kernel", "install")
	want := map[string]string{ // code: code with the word that is offered
		`lab.Run("ear`:                   `lab.Run("early`,
		`lab.Model("sphere`:              `lab.Model("sphere-2d`,
		`lab.Graph("bun`:                 `lab.Graph("bundled`,
		`run.Ask("Max B`:                 `run.Ask("Max Born`,
		`run.Ask("Max Born", "adv`:       `run.Ask("Max Born", "advised`,
		`run.Expression("Max Born > adv`: `run.Expression("Max Born > advised`,
	}
	var codes []string
	for code := range want {
		codes = append(codes, code)
	}
	plan, err := json.Marshal(map[string]any{
		"before": []string{`g := lab.Graph("bundled"); m := lab.Model("sphere-2d").Dim(4).Epochs(2)`,
			`run := lab.Train(g, m.Name("early"))`},
		"running": `lab.Train(g, m.Epochs(1000000).Name("late"))`,
		"code":    codes,
	})
	expect.NoError(t, err)
	cmd := j.python(abs(t, root, "_tool/python/kernel_complete.py"), kernelName)
	cmd.Stdin = bytes.NewReader(plan)
	var answers struct {
		Idle, Busy map[string][]string
		Ended      string
	}
	expect.NoError(t, json.Unmarshal(output(t, cmd), &answers))
	for when, got := range map[string]map[string][]string{"between cells": answers.Idle, "during a cell": answers.Busy} {
		for code, word := range want {
			if !slices.Contains(got[code], word) {
				t.Errorf("%s, %s offers %.10q", when, code, got[code])
			}
		}
	}
	if answers.Ended != "error" {
		t.Errorf("the training ended with status %q before it was interrupted", answers.Ended)
	}
}
