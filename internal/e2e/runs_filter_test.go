package e2e

import (
	"strings"
	"testing"
)

// TestRunsFilter: the list takes MLflow's filter language, or words.
func TestRunsFilter(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	for _, seed := range []string{"1", "2", "3"} {
		p.ok("train", smallJob(t, 1), "--set", "seed="+seed, "--set", "name=run-"+seed)
	}
	names := func(args ...string) string {
		t.Helper()
		var names []string
		for _, row := range p.csv(append([]string{"runs", "ls"}, args...)...)[1:] {
			names = append(names, row[1])
		}
		return strings.Join(names, " ")
	}
	for filter, want := range map[string]string{"params.seed != '1'": "run-3 run-2", "metrics.loss < 0": "", "RUN-1": "run-1",
		"metrics.loss > 0 and params.seed != '2' and status = 'FINISHED'": "run-3 run-1"} {
		if got := names("--filter", filter); got != want {
			t.Errorf("%s: %q, want %q", filter, got, want)
		}
	}
	if got := names("--filter", "params.seed != '1'", "--limit", "1"); got != "run-3" {
		t.Errorf("with a limit: %q", got)
	}
	if out := p.ok("runs", "ls", "--filter", "nobody"); !strings.Contains(out, `no run matches --filter "nobody"`) {
		t.Errorf("without any:\n%s", out)
	}
	p.fails(exitUsage, []string{"--filter", "position 13"}, "runs", "ls", "--filter", "params.seed >")
	p.fails(exitUsage, []string{"--filter", "--deleted"}, "runs", "ls", "--filter", "run", "--deleted")
}
