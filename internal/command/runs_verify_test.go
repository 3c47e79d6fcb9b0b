package command

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/expect"
)

// TestVerificationSteersNoTerminal: the names and values of runs that are compared steer no terminal either.
func TestVerificationSteersNoTerminal(t *testing.T) {
	t.Parallel()
	const evil = "a\x1b[2J\u202e\u009b\nb"
	var run results.Run
	run.Stored.Name = evil
	var out strings.Builder
	expect.NoError(t, (&app{stdout: &out}).writeVerification(run, run, evil,
		results.Verification{Differences: []string{evil}, Unlogged: []string{evil}}))
	if text := out.String(); strings.ContainsAny(text, "\x1b\u202e\u009b") || strings.Count(text, `a\x1b[2J\u202e\u009b\nb`) != 5 {
		t.Errorf("%q", text)
	}
}
