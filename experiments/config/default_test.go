package config

import (
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestLibraryDefaults: a program that sets nothing trains as the config of the model for graphs without one.
func TestLibraryDefaults(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	for _, model := range sphere.Models() {
		if sphere.IsUntrained(model) {
			continue
		}
		checked, err := Load(Layers{Config: "../configs/auto/" + model + ".yaml"})
		expect.NoError(t, err)
		settled, err := checked.Settle(g, func(*Config) (float64, error) { return sphere.DefaultGamma, nil })
		expect.NoError(t, err)
		c := settled.Config()
		o := sphere.Options{Settings: sphere.Settings{Model: model}, Training: sphere.Training{Seed: c.Seed}}.On(g)
		want := c.Settings()
		want.Tau, want.Alpha, want.Beta = 0, 0, 0 // variant clean has none
		if o.Settings != want {
			t.Errorf("%s: %+v, the config has %+v", model, o.Settings, want)
		}
		if training := c.Training(); o.Training != training {
			t.Errorf("%s: %+v, the config has %+v", model, o.Training, training)
		}
		if o.Every != c.Eval.Every || o.Patience != c.EarlyStop.Patience {
			t.Errorf("%s: every %d, patience %d, the config has %d and %d", model, o.Every, o.Patience, c.Eval.Every,
				c.EarlyStop.Patience)
		}
	}
}
