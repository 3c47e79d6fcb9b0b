package sphere

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// quick are options for a small model, validated after every epoch by the values of a script.
func quick(script ...float64) Options {
	o := Options{Settings: Settings{Model: SpherE2D, Variant: Paper, Dimension: 5}, Every: 1, Patience: 2}
	o.Training = Training{Epochs: len(script), Steps: 3, Batch: 16, Negatives: 3, Seed: 5}
	o.Validate = func(context.Context, *Model) (value float64, err error) {
		value, script = script[0], script[1:]
		return value, nil
	}
	return o
}

// TestTrainKeepsTheBest: the model is that of the best validation, bit for bit, and the training ends where validations
// get no better.
func TestTrainKeepsTheBest(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 60, 4, 300)
	for _, c := range []struct {
		script       []float64
		gain         float64
		epochs, best int
	}{
		{[]float64{.1, .3, .2, .25, .9}, 0, 4, 2},
		{[]float64{.1, .3, .2, .35, .3}, 0, 5, 4},
		{[]float64{.1, .15, .2, .25, .3}, .2, 3, 1},
		{[]float64{.3, .2}, 0, 2, 1},
	} {
		var told []Progress
		o := quick(c.script...)
		o.MinGain, o.Progress = c.gain, func(p Progress) { told = append(told, p) }
		got, err := Train(t.Context(), g, o)
		expect.NoError(t, err)
		if got.Epochs != c.epochs || got.Best != c.best || got.Value != c.script[c.best-1] || len(told) != c.epochs {
			t.Errorf("%v: %d epochs, best %d of %v, %d told", c.script, got.Epochs, got.Best, got.Value, len(told))
		}
		last := c.script[c.epochs-1]
		if p := told[len(told)-1]; p.Epoch != c.epochs || p.Best != c.best || !p.Validated || p.Value != last {
			t.Errorf("%v: told %+v", c.script, p)
		}
		short := quick()
		short.Every, short.Training.Epochs = -1, c.best
		same, err := Train(t.Context(), g, short)
		expect.NoError(t, err)
		if same.Best != 0 || same.Model.Digest() != got.Model.Digest() {
			t.Errorf("%v: another model than that of epoch %d", c.script, c.best)
		}
	}
}

// TestTrainStops: with the error of a context comes what was trained.
func TestTrainStops(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 60, 4, 300)
	ctx, cancel := context.WithCancel(t.Context())
	o := quick(.1, .4, .2, .5)
	o.Progress = func(p Progress) {
		if p.Epoch == 3 {
			cancel()
		}
	}
	got, err := Train(ctx, g, o)
	if !errors.Is(err, context.Canceled) || got == nil || got.Epochs != 3 || got.Best != 2 {
		t.Fatalf("result %+v, error %v", got, err)
	}
	if got, err := Train(ctx, g, quick(.1)); got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("ended before: %v, %v", got, err)
	}
	broken := errors.New("no value")
	o = quick(.1)
	o.Validate = func(context.Context, *Model) (float64, error) { return 0, broken }
	if got, err := Train(t.Context(), g, o); got != nil || !errors.Is(err, broken) {
		t.Errorf("a failed validation: %v, %v", got, err)
	}
	o = quick(.1)
	o.Training.Negatives = 60
	_, err = Train(t.Context(), g, o)
	checkSettingError(t, err, "Training.Negatives", "Training.Negatives must be less than the 60 entities of graph small, not 60")
}

// TestOptionsOn: what is set stays, and every model can be trained with what stands for zeros, on a graph of two
// entities, too.
func TestOptionsOn(t *testing.T) {
	t.Parallel()
	tiny, err := kg.New("tiny", [][3]string{{"a", "r", "b"}}, nil, nil)
	expect.NoError(t, err)
	for _, model := range embeddings() {
		for _, variant := range append(Variants(), "") {
			o := Options{Settings: Settings{Model: model, Variant: variant}}.On(tiny)
			if o.Every != -1 || o.Training.Negatives != 1 || o.Training.Batch != 16 {
				t.Errorf("%s %s: %+v", model, variant, o)
			}
			if o.Training.Validate() != nil || variant == "" && o.Settings.Validate() != nil {
				t.Errorf("%s %s: %v, %v", model, variant, o.Training.Validate(), o.Settings.Validate())
			}
		}
	}
	mine := quick(1, 2)
	mine.Settings.Alpha, mine.Settings.Gamma, mine.MinGain = .3, 4, .5
	got := mine.On(smallGraph(t, 7, 60, 4, 300))
	got.Validate, mine.Validate = nil, nil
	mine.Settings.Epsilon = 2
	mine.Training.Loss, mine.Training.Sampling = SelfAdversarial, "bernoulli"
	mine.Training.Temperature, mine.Training.LearningRate = .5, .005
	mine.Training.Beta1, mine.Training.Beta2, mine.Training.AdamEpsilon = .9, .999, 1e-8
	if is, want := fmt.Sprint(got), fmt.Sprint(mine); is != want {
		t.Errorf("%s\nwant %s", is, want)
	}
}
