package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// fewRuns writes a sweep of three short runs.
func fewRuns(t *testing.T) string {
	t.Helper()
	sweep := filepath.Join(t.TempDir(), "few.yaml")
	expect.NoError(t, os.WriteFile(sweep, []byte("runs:\n  - config: bundled/sphere-2d\n"+
		"    set: [dimension=16, train.epochs=2, eval.bootstrap=20]\n    seeds: [1, 2, 3]\n"), 0o600))
	return sweep
}

// The query by which docs/kubernetes.yaml scales workers counts the jobs that a worker could take or has.
func TestQueryOfTheManifest(t *testing.T) {
	t.Parallel()
	manifest := string(expect.Must[[]byte](t)(os.ReadFile(inRoot("docs/kubernetes.yaml"))))
	found := regexp.MustCompile(`query: >-\n((?: {10}.*\n)+)`).FindStringSubmatch(manifest)
	if found == nil {
		t.Fatal("docs/kubernetes.yaml has no query")
	}
	query := strings.Join(strings.Fields(found[1]), " ")
	p, sweep := newProgram(t), fewRuns(t)
	waiting := func(want string) {
		t.Helper()
		if rows := p.csv("tracker", "sql", query); len(rows) != 2 || rows[1][0] != want {
			t.Errorf("%v jobs, want %s", rows, want)
		}
	}
	p.ok("tracker", "migrate")
	waiting("0")
	p.ok("sweep", sweep, "--enqueue-only")
	waiting("3")
	p.ok("sweep", "pause", sweep)
	waiting("0")
	p.ok("sweep", "resume", sweep)
	p.ok("worker", "--drain")
	waiting("0")
}

// docs/ray_workers.py starts workers on a Ray cluster of one machine, which train the queue empty.
func TestRayWorkers(t *testing.T) {
	python := os.Getenv("SPHERELAB_TEST_RAY")
	if python == "" {
		t.Skip("skipped: SPHERELAB_TEST_RAY does not name a Python with Ray")
	}
	p, sweep := newProgram(t), fewRuns(t)
	p.ok("sweep", sweep, "--enqueue-only")
	cmd := exec.Command(python, inRoot("docs/ray_workers.py"), expect.Must[string](t)(built()), "1")
	cmd.Env = append(os.Environ(), p.env...)
	output(t, cmd)
	if rows := p.csv("tracker", "sql", "select count(*) from spherelab.job where state = 'done'"); rows[1][0] != "3" {
		t.Errorf("%v jobs are done, want 3", rows)
	}
}
