package results

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// TestLengthOfTraining: what docs/reproduction.md says of the run with 245 epochs is what the run logged, and each of
// its numbers is within .007 of the paper's.
func TestLengthOfTraining(t *testing.T) {
	run := committedAside(t, "length")
	if got := unlikeConfig(run); !run.Finished() || run.Seed != "43" || got != "train.epochs 245" {
		t.Errorf("seed %s, finished %v, unlike its config in %q", run.Seed, run.Finished(), got)
	}
	line := "| 245 | 43 |"
	for _, want := range []struct {
		key   string
		paper float64
	}{{"head_f1", .656}, {"tail_f1", .426}, {"head_rr", .413}, {"tail_rr", .412}, {"nn_f1", .779}} {
		value, ok := run.Stored.Metrics["test/"+want.key]
		if !ok || math.Abs(value-want.paper) > .007 {
			t.Errorf("%s is %.4f, the paper prints %.3f", want.key, value, want.paper)
		}
		line += fmt.Sprintf(" %.3f |", value)
	}
	line = strings.ReplaceAll(line, " 0.", " .")
	text, err := os.ReadFile("../../docs/reproduction.md")
	if err != nil || !strings.Contains(string(text), "\n"+line+"\n") {
		t.Errorf("docs/reproduction.md lacks %s (%v)", line, err)
	}
}

// committedAside reads the one run of a folder that is committed and not embedded, and names no machine.
func committedAside(t *testing.T, folder string) Run {
	t.Helper()
	list, err := readResults(os.DirFS("."), folder)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d runs in %s, %v; want one", len(list), folder, err)
	}
	for _, tag := range localTags {
		if list[0].Info.Tags[tag] != "" {
			t.Errorf("run %s contains %s", list[0].Info.ID, tag)
		}
	}
	return Read(list[0].Info)
}
