package house

import (
	"os"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// TestListsOfCuts: what people read names every criterion, and where it lists cuts, one of each kind.
func TestListsOfCuts(t *testing.T) {
	t.Parallel()
	for _, list := range []struct{ file, begin, end string }{
		{"CONTRIBUTING.md", "| criterion |", "\n"},
		{"docs/lab.md", "answers by another cut", "Without `Cut`"},
		{"experiments/lab/session/run.go", "// Cut returns the same run", "\nfunc"},
		{"experiments/configs/default.yaml", "# Criterion of an answer", "criterion:"},
	} {
		text, err := os.ReadFile(inRoot(list.file))
		expect.NoError(t, err)
		_, rest, found := strings.Cut(string(text), list.begin)
		passage, _, ended := strings.Cut(rest, list.end)
		if !found || !ended {
			t.Fatalf("%s has no passage from %q to %q", list.file, list.begin, list.end)
		}
		var want []string
		for _, c := range sphere.Criteria() {
			want = append(want, string(c))
		}
		if strings.Contains(passage, "top-10") {
			want = append(want, eval.Top(10).Name(), eval.TopMean{}.Name(), eval.FittedNames()[0][:len("fitted")],
				eval.ExpectedNames()[0][:len("expected")])
		}
		for _, name := range want {
			if !strings.Contains(passage, name) {
				t.Errorf("%s does not name %s", list.file, name)
			}
		}
	}
}
