package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/inductive"
)

// endingContext ends after some looks at it.
type endingContext struct {
	context.Context
	looks atomic.Int64
}

func (c *endingContext) Err() error {
	if c.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestPretrainContinues: a training that ends early and continues writes the weights of one that does not, and so does
// one that is repeated on any number of threads, or stopped at any place that looks. A state of other graphs is
// refused.
func TestPretrainContinues(t *testing.T) {
	data, work := t.TempDir(), t.TempDir()
	var names []string
	for i, s := range sources {
		names = append(names, s.name)
		var train strings.Builder
		for e := range 9 + i {
			fmt.Fprintf(&train, "e%d\tr%d\te%d\n", e, e%2, (e*e+i)%9)
		}
		for file, text := range map[string]string{"train.txt": train.String(), "valid.txt": "e0\tr1\te1\n", "test.txt": "e1\tr0\te2\n"} {
			expect.NoError(t, os.MkdirAll(filepath.Join(data, s.name), 0o755))
			expect.NoError(t, os.WriteFile(filepath.Join(data, s.name, file), []byte(text), 0o644))
		}
	}
	if !slices.Equal(names, inductive.OwnGraphs()) {
		t.Errorf("the weights are trained on %v, and said to be on %v", names, inductive.OwnGraphs())
	}
	weights := func(state string, steps int) []byte {
		out := filepath.Join(work, "weights.safetensors")
		expect.NoError(t, run(t.Context(), data, filepath.Join(work, state), out, steps, 2))
		n, err := inductive.Open(out)
		expect.NoError(t, err)
		if n.Width() != width {
			t.Errorf("width %d, want %d", n.Width(), width)
		}
		raw, err := os.ReadFile(out)
		expect.NoError(t, err)
		return raw
	}
	whole := weights("whole", 5)
	first := weights("parts", 3)
	if second := weights("parts", 5); !bytes.Equal(second, whole) || bytes.Equal(first, whole) {
		t.Error("the weights after a stop differ, or the steps change nothing")
	}
	defer func() { settings.Threads = 0 }()
	for threads := range 4 {
		settings.Threads = threads
		if again := weights(fmt.Sprint("again on ", threads), 5); !bytes.Equal(again, whole) {
			t.Errorf("the weights differ on %d threads", threads)
		}
	}
	for looks := 0; looks < 40; looks += 3 {
		out, ctx := filepath.Join(work, "stopped"), &endingContext{Context: t.Context()}
		ctx.looks.Store(int64(looks))
		expect.NoError(t, run(ctx, data, filepath.Join(work, fmt.Sprint(looks)), out, 5, 2))
		if again := weights(fmt.Sprint(looks), 5); !bytes.Equal(again, whole) {
			t.Errorf("the weights differ after a stop at look %d", looks)
		}
	}
	settings.Seed++
	defer func() { settings.Seed-- }()
	err := run(t.Context(), data, filepath.Join(work, "whole"), filepath.Join(work, "other"), 6, 2)
	if err == nil || !strings.Contains(err.Error(), "remove it to start over") {
		t.Errorf("a state of another seed: %v", err)
	}
}
