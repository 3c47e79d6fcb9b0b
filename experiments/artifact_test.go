package experiments

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/runtest"
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
	if err != nil {
		t.Fatal(err)
	}
	var by eval.Calibrated
	if err := json.Unmarshal(raw, &by); err != nil {
		t.Fatal(err)
	}
	return &by
}
