package results

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
)

// TestLinkPrediction: the committed run of RotatE is of config link/rotate except for the settings that the command in
// docs/reproduction.md has, its numbers are those of the page, and they are within .003 of its authors'.
func TestLinkPrediction(t *testing.T) {
	run := committedAside(t, "link")
	cfg, err := config.Embedded("link/rotate")
	expect.NoError(t, err)
	var unlike []string
	flat := cfg.Flatten()
	for _, key := range config.Keys() {
		if value, logged := run.settings[key]; logged && value != flat[key] {
			unlike = append(unlike, key+"="+value)
		}
	}
	page, err := os.ReadFile("../../docs/reproduction.md")
	expect.NoError(t, err)
	command := "    go run . train link/rotate --set " + strings.Join(unlike, " --set ") + "\n"
	line := "| " + run.Stored.ID[:8] + " |"
	for _, printed := range []struct {
		key     string
		authors float64
	}{{"mrr", .338}, {"hits_1", .241}, {"hits_3", .375}, {"hits_10", .533}} {
		value, ok := run.Stored.Metrics["test/"+printed.key]
		if !ok || math.Abs(value-printed.authors) > .003 {
			t.Errorf("test/%s is %.4f, its authors have %.3f", printed.key, value, printed.authors)
		}
		line += strings.Replace(fmt.Sprintf(" %.3f |", value), " 0.", " .", 1)
	}
	for _, want := range []string{command, line + "\n"} {
		if !run.Finished() || !strings.Contains(string(page), want) {
			t.Errorf("finished: %v; docs/reproduction.md lacks\n%s", run.Finished(), want)
		}
	}
}
