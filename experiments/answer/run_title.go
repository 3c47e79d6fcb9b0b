package answer

import (
	"fmt"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// ResumeHint returns how to finish a run if it has a saved state.
func ResumeHint(id string, resumable bool) []hint.Hint {
	if !resumable {
		return nil
	}
	return []hint.Hint{{Action: hint.ResumeRun, Subject: id}}
}

// RunTitle returns a run's name for messages.
func RunTitle(id, name string) string { return fmt.Sprintf("run %s (%s)", tracker.ShortID(id), name) }
