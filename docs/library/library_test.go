package library

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestPrograms: docs/library.md shows each program as it is, and below it what it prints.
func TestPrograms(t *testing.T) {
	t.Parallel()
	page := string(expect.Must[[]byte](t)(os.ReadFile("../library.md")))
	programs := expect.Must[[]string](t)(filepath.Glob("*/main.go"))
	if shown := strings.Count(page, "```go\n"); len(programs) == 0 || shown != len(programs) {
		t.Errorf("the page shows %d programs of %d", shown, len(programs))
	}
	for _, file := range programs {
		t.Run(filepath.Dir(file), func(t *testing.T) {
			t.Parallel()
			source := string(expect.Must[[]byte](t)(os.ReadFile(file)))
			_, after, found := strings.Cut(page, "```go\n"+source+"```\n\n```text\n")
			want, _, _ := strings.Cut(after, "```\n")
			if !found || want == "" {
				t.Fatalf("the page does not show %s and what it prints", file)
			}
			program := filepath.Join(t.TempDir(), "program")
			if out, err := exec.Command("go", "build", "-trimpath", "-o", program, "./"+filepath.Dir(file)).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			run := exec.Command(program, t.TempDir())
			run.Env = append(os.Environ(), "DATABASE_URL=")
			if out, err := run.CombinedOutput(); err != nil || string(out) != want {
				t.Errorf("%v, it prints\n%s\nnot\n%s", err, out, want)
			}
		})
	}
}
