package sphere

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestUnusedFactorsAreZero checks that the settings of a model have only the factors of its variant.
func TestUnusedFactorsAreZero(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	for variant, want := range map[string]Settings{
		Released: {Model: "sphere-2d", Variant: "released", Dimension: 4, Gamma: 6, Epsilon: 2, Tau: 0.1},
		Paper:    {Model: "sphere-2d", Variant: "paper", Dimension: 4, Gamma: 6, Epsilon: 2, Alpha: 0.1, Beta: 0.07},
		Clean:    {Model: "sphere-2d", Variant: "clean", Dimension: 4, Gamma: 6, Epsilon: 2},
	} {
		m, err := New(publishedSettings(SpherE2D, variant, 4), g, 1)
		expect.NoError(t, err)
		if got := m.Settings(); got != want {
			t.Errorf("%s: %+v, want %+v", variant, got, want)
		}
	}
}

// TestSettingErrors checks the ends of the ranges and the words of the errors.
func TestSettingErrors(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	nan := math.NaN()
	for _, c := range []struct {
		key, want string
		change    func(*Settings)
	}{
		{"Settings.Model", "Settings.Model must be one of " + strings.Join(Models(), ", ") + `, not "transh"`,
			func(s *Settings) { s.Model = "transh" }},
		{"Settings.Model", `not ""`, func(s *Settings) { s.Model = "" }},
		{"Settings.Variant", `Settings.Variant must be one of released, paper, clean, not "better"`,
			func(s *Settings) { s.Variant = "better" }},
		{"Settings.Dimension", "Settings.Dimension must be a number from 1 to 65536, not 0", func(s *Settings) { s.Dimension = 0 }},
		{"Settings.Dimension", "not 65537", func(s *Settings) { s.Dimension = 65537 }},
		{"Settings.Gamma", "Settings.Gamma must be a number from 1e-06 to 1e+06, not NaN", func(s *Settings) { s.Gamma = nan }},
		{"Settings.Gamma", "not 0", func(s *Settings) { s.Gamma = 0 }},
		{"Settings.Epsilon", "not +Inf", func(s *Settings) { s.Epsilon = math.Inf(1) }},
		{"Settings.Tau", "not -1", func(s *Settings) { s.Tau = -1 }},
		{"Settings.Tau", "Settings.Tau must be greater than 0 for variant released (variant clean has no tolerance), not 0",
			func(s *Settings) { s.Tau = 0 }},
		{"Settings.Alpha", "not NaN", func(s *Settings) { s.Alpha = nan }},
		{"Settings.Alpha", "unless beta is, not 0", func(s *Settings) { s.Variant, s.Alpha, s.Beta = Paper, 0, 0 }},
		{"Settings.Beta", "not -0.1", func(s *Settings) { s.Beta = -0.1 }},
	} {
		s := publishedSettings(SpherE2D, Released, 4)
		c.change(&s)
		_, err := New(s, g, 1)
		checkSettingError(t, err, c.key, c.want)
	}
	for _, factor := range [][2]float64{{0, 0.1}, {0.1, 0}} { // one of both is enough
		s := publishedSettings(SpherE2D, Paper, 4)
		s.Alpha, s.Beta = factor[0], factor[1]
		if err := s.Validate(); err != nil {
			t.Errorf("alpha and beta %v: %v", factor, err)
		}
	}
	m, err := New(publishedSettings(SpherE2D, Clean, 4), g, 1)
	expect.NoError(t, err)
	for _, c := range []struct {
		key, want string
		change    func(*Training)
	}{
		{"Training.Epochs", "not 0", func(t *Training) { t.Epochs = 0 }},
		{"Training.Steps", "not -1", func(t *Training) { t.Steps = -1 }},
		{"Training.Batch", "not -1", func(t *Training) { t.Batch = -1 }},
		{"Training.Batch", "Training.Batch must be at most 40130 with 53509 negatives, not 40131",
			func(t *Training) { t.Batch, t.Negatives = 40131, 53509 }},
		{"Training.Negatives", "Training.Negatives must be less than the 90 entities of graph small, not 90",
			func(t *Training) { t.Negatives = 90 }},
		{"Training.Negatives", "must be a number from 1 to 1073741824, not -3", func(t *Training) { t.Negatives = -3 }},
		{"Training.LearningRate", "not NaN", func(t *Training) { t.LearningRate = nan }},
		{"Training.LearningRate", "Training.LearningRate must be a number from 1e-12 to 1000, not 0",
			func(t *Training) { t.LearningRate = 0 }},
		{"Training.Temperature", "not 0", func(t *Training) { t.Temperature = 0 }},
		{"Training.Beta1", "not 1", func(t *Training) { t.Beta1 = 1 }},
		{"Training.Beta2", "not 0.999999999", func(t *Training) { t.Beta2 = 1 - 1e-9 }},
		{"Training.AdamEpsilon", "not 0", func(t *Training) { t.AdamEpsilon = 0 }},
		{"Training.Sampling", `Training.Sampling must be one of bernoulli, uniform, alternate, not "some"`,
			func(t *Training) { t.Sampling = "some" }},
		{"Training.Threads", "Training.Threads must be a number from 0 to 4096, not -2", func(t *Training) { t.Threads = -2 }},
		{"Training.Threads", "not 4097", func(t *Training) { t.Threads = 4097 }},
	} {
		bad := smallTraining(2)
		c.change(&bad)
		_, err := NewTrainer(m, g, bad)
		checkSettingError(t, err, c.key, c.want)
	}
}

func checkSettingError(t *testing.T, err error, key, want string) {
	t.Helper()
	var e *SettingError
	if !errors.As(err, &e) || e.Key != key || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want %q of %s", err, want, key)
		return
	}
	if text, ok := e.Value.(string); ok && (len(e.Allowed) < 2 || slices.Contains(e.Allowed, text)) {
		t.Errorf("%v: allowed %q", err, e.Allowed)
	}
}

// TestStepsOfAnEpoch checks the meaning of 0 steps.
func TestStepsOfAnEpoch(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	for batch, want := range map[int]int{1: len(g.Train), len(g.Train): 1, len(g.Train) + 1: 1, len(g.Train)/2 + 1: 1,
		100: len(g.Train) / 100} {
		settled, err := publishedTraining(1, 0, batch, 7, 11).On(g)
		if err != nil || settled.Steps != want {
			t.Errorf("batch %d: %d steps, error %v, want %d", batch, settled.Steps, err, want)
		}
	}
}
