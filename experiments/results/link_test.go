package results

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments"
)

// TestLinkPrediction: the committed run of RotatE is of config link/rotate but for the settings that
// docs/reproduction.md names, and has the numbers of its table.
func TestLinkPrediction(t *testing.T) {
	list, err := readResults(os.DirFS("."), "link")
	if err != nil || len(list) != 1 {
		t.Fatalf("%d runs, %v; want RotatE's", len(list), err)
	}
	run := Read(list[0].Info)
	config, err := experiments.EmbeddedConfig("link/rotate")
	if err != nil {
		t.Fatal(err)
	}
	var unlike []string
	flat := config.Flatten()
	for _, key := range experiments.Keys() {
		if value, logged := run.settings[key]; logged && value != flat[key] && !strings.HasPrefix(key, "eval.") {
			unlike = append(unlike, key+"="+value)
		}
	}
	page, err := os.ReadFile("../../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	command := "    go run . train link/rotate --set " + strings.Join(unlike, " --set ") + "\n"
	line := "| " + run.Stored.ID[:8] + " |"
	for _, key := range []string{"mrr", "hits_1", "hits_3", "hits_10"} {
		value, ok := run.Stored.Metrics["test/"+key]
		if !ok {
			t.Errorf("the run has no test/%s", key)
		}
		line += strings.Replace(fmt.Sprintf(" %.3f |", value), " 0.", " .", 1)
	}
	for _, want := range []string{command, line + "\n"} {
		if !run.Finished() || !strings.Contains(string(page), want) {
			t.Errorf("finished: %v; docs/reproduction.md lacks\n%s", run.Finished(), want)
		}
	}
}
