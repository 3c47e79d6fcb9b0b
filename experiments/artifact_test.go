package experiments

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// keptCalibration are the probabilities that a run keeps, nil if it keeps none.
func keptCalibration(t *testing.T, info tracker.RunInfo) *eval.Calibrated {
	t.Helper()
	path := runtest.Artifact(t, info, answer.CalibrationFile)
	if path == "" {
		return nil
	}
	raw, err := os.ReadFile(path)
	expect.NoError(t, err)
	var by eval.Calibrated
	expect.NoError(t, json.Unmarshal(raw, &by))
	return &by
}
