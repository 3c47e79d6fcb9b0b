package experiments

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
)

// MLflow knows a status that we never write, and a run of another program may have none.
func TestNotTrainedSaysWhy(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{
		"FINISHED": "its checkpoint was deleted", "RUNNING": "it is still running; wait for its end",
		"KILLED": "it was interrupted", "FAILED": "it failed", "SCHEDULED": "its status is SCHEDULED",
		"": "its status is not logged",
	} {
		info := tracker.RunInfo{ID: "0123456789", Name: "n", Status: status,
			Params: map[string]string{ParamConfigHash: "0"}}
		err := notTrained(info)
		if !strings.HasSuffix(err.Error(), "run 01234567 (n) has no trained model: "+want) {
			t.Errorf("status %q: %v", status, err)
		}
		info.Params = nil
		if err := notTrained(info); !strings.HasSuffix(err.Error(), "has no trained model: another program logged it") {
			t.Errorf("status %q, of another program: %v", status, err)
		}
	}
	imported := tracker.RunInfo{ID: "0123456789", Name: "n", Status: "FINISHED",
		Params: map[string]string{ParamConfigHash: "0"}, Tags: map[string]string{tracker.TagImported: "yes"}}
	for stack, want := range map[string]string{"": "it was imported without its checkpoint; train its config again",
		"12 34": "it was imported without its models; stack runs that have them"} {
		imported.Params[ParamStack] = stack
		if err := notTrained(imported); !strings.HasSuffix(err.Error(), want) {
			t.Errorf("imported, stack %q: %v", stack, err)
		}
	}
}
