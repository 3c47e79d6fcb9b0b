package sphere

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
	"github.com/spherelab/spherelab/spherE/kg"
)

// sparse is a training whose steps touch few of the entities. The length of an epoch is not a multiple of a window.
func sparse(tb testing.TB) (*kg.Graph, Training) {
	tb.Helper()
	s := smallTraining(2)
	s.Epochs, s.Batch, s.Negatives, s.Steps = expect.Fewer(2, 1), 19, 3, 2*windowSteps+5
	return smallGraph(tb, 7, 300, 5, 600), s
}

func TestWindowsChangeNothing(t *testing.T) {
	t.Parallel()
	g, s := sparse(t)
	want, losses := map[testCase]string{}, map[testCase][]float64{}
	for _, c := range maxModels() {
		dense := newTestTrainer(t, c, g, 21, s)
		dense.window.maxLength = 1
		want[c], losses[c] = run(t, dense)
	}
	simdtest.Each(t, true, simd.Select, func(t *testing.T, path *simd.Kernels) {
		for _, c := range maxModels() {
			for _, threads := range []int{1, 2, 5}[expect.Fewer(0, 1):] {
				s := s
				s.Threads, s.SIMD = threads, path.String()
				trainer := newTestTrainer(t, c, g, 21, s)
				if trainer.window.maxLength != windowSteps {
					t.Fatal("the sparse training has no windows")
				}
				if got, l := run(t, trainer); got != want[c] || !slices.Equal(l, losses[c]) {
					t.Errorf("%s: windows with %d threads on %s give other bits", c, threads, path)
				}
			}
		}
	})
}

// TestWindowsResume stops after the first window, in the middle of an epoch.
func TestWindowsResume(t *testing.T) {
	t.Parallel()
	g, s := sparse(t)
	c := testCase{SpherE3D, Released}
	want, _ := run(t, newTestTrainer(t, c, g, 21, s))
	first := newTestTrainer(t, c, g, 21, s)
	if stats, err := first.Epoch(&stopAfter{context.Background(), 1}); !errors.Is(err, context.Canceled) ||
		stats.Steps != windowSteps {
		t.Fatalf("stopped after %d steps: %v", stats.Steps, err)
	}
	path := filepath.Join(t.TempDir(), "state.safetensors")
	expect.NoError(t, first.Save(path))
	second, err := ResumeTrainer(path, g, s)
	expect.NoError(t, err)
	defer second.Close()
	if got, _ := run(t, second); got != want {
		t.Error("a training resumed after a window has other bits")
	}
}

// TestDivergenceInsideWindow checks that a state whose entities are at different steps is not saved.
func TestDivergenceInsideWindow(t *testing.T) {
	t.Parallel()
	g, s := sparse(t)
	trainer := newTestTrainer(t, testCase{SpherE2D, Clean}, g, 21, s)
	trainer.openWindow()
	late := -1 // an entity that is touched, but not by the first steps
	for e, steps := range trainer.window.touched {
		if steps != 0 && steps&0b111 == 0 {
			late = e
			break
		}
	}
	if late < 0 {
		t.Fatal("every entity is touched early")
	}
	trainer.model.radius[late] = float32(math.NaN())
	stats, err := trainer.Epoch(context.Background())
	var diverged *DivergedError
	if !errors.As(err, &diverged) || diverged.Step < 4 || diverged.Step != stats.Steps+1 {
		t.Fatalf("%+v after %d steps: %v", diverged, stats.Steps, err)
	}
	trainer.model.radius[late] = 1
	if err := trainer.Save(filepath.Join(t.TempDir(), "state.safetensors")); !errors.As(err, &diverged) {
		t.Errorf("a state inside a window was saved: %v", err)
	}
}

// TestWindowsAreShort checks that an interrupt does not wait for sixteen slow steps.
func TestWindowsAreShort(t *testing.T) {
	t.Parallel()
	g, s := sparse(t)
	trainer := newTestTrainer(t, testCase{SpherE2D, Clean}, g, 21, s)
	for _, c := range []struct {
		step time.Duration
		want int
	}{{0, windowSteps}, {time.Microsecond, windowSteps}, {windowTime / 5, 5}, {windowTime * 3, 1}} {
		trainer.window.step = c.step
		if trainer.openWindow(); trainer.window.length != c.want {
			t.Errorf("steps of %v make a window of %d, want %d", c.step, trainer.window.length, c.want)
		}
	}
}

// TestWindowPays checks when a window is more than one step.
func TestWindowPays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		entities, stride, batch, negatives, want int
	}{
		{14_541, 416, 2721, 25, 1},  // FB15k-237
		{40_943, 2048, 2000, 64, 1}, // WN18RR
		{40_943, 3072, 500, 64, windowSteps},
		{20_000, 64, 1000, 25, 1}, // short rows
		{40_000, 224, 1000, 25, windowSteps},
	} {
		if w := newWindow(c.entities, c.stride, Training{Batch: c.batch, Negatives: c.negatives},
			1); w.maxLength != c.want {
			t.Errorf("%+v: windows of %d steps", c, w.maxLength)
		}
	}
}
