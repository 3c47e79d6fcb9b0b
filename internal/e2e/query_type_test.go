package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/multihop"
)

// TestEvalQueries draws questions by type and measures the answers for a graph without a run. A file that is wrong is
// refused before a run is made.
func TestEvalQueries(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	drawn := p.ok("data", "queries", "bundled", "--types", "2in,2i", "--number", "3", "--seed", "7")
	if n := strings.Count(drawn, "\n"); n != 6 || strings.Count(drawn, " minus ") != 3 {
		t.Fatalf("%d questions, %q", n, drawn)
	}
	good, bad := filepath.Join(t.TempDir(), "good.txt"), filepath.Join(t.TempDir(), "bad.txt")
	for file, text := range map[string]string{good: drawn, bad: drawn + "Max Born > advise\n"} {
		expect.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	for file, want := range map[string]string{bad: "bad.txt:7: character 12", filepath.Join(t.TempDir(), "none"): "no such file"} {
		_, stderr, code := p.run("eval", "bundled", "--queries", file)
		if code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("code %d, no %q\n%s", code, want, stderr)
		}
	}
	if list := p.ok("runs", "ls"); strings.Contains(list, "bundled") {
		t.Errorf("a run was made for a file that is refused\n%s", list)
	}
	table := p.ok("eval", "bundled", "--queries", good)
	for _, want := range []string{"2i ", "2in ", "mean with negation", "join F1"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q\n%s", want, table)
		}
	}
	var report multihop.Report
	text, stderr, code := p.run("eval", "bundled", "--queries", good, "--cut", "expected-novel", "--format", "json")
	if err := json.Unmarshal([]byte(text), &report); err != nil || code != 0 {
		t.Fatalf("code %d, %v\n%s%s", code, err, text, stderr)
	}
	if len(report.Types) != 2 || report.Types[0].Type != "2i" || report.Types[1].Questions != 3 || report.Negated == nil {
		t.Errorf("the report is %+v", report)
	}
}
