package e2e

import (
	"strings"
	"testing"
)

// TestVersion: what the linker was told is what the program says, and what its runs log.
func TestVersion(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	var said struct {
		Version string
		GitHead string `json:"git_head"`
	}
	p.json(&said, "version")
	if said.Version != "v"+builtVersion || said.GitHead != builtCommit {
		t.Errorf("version %q, commit %q", said.Version, said.GitHead)
	}
	if line := p.ok("--version"); line != "spherelab v"+builtVersion+" ("+builtCommit+")\n" {
		t.Errorf("--version prints %q", line)
	}
	p.ok("train", smallJob(t, 1))
	logged := p.csv("tracker", "sql", "select value from tags where key in ('binary_version', 'git_head') order by value")
	if got, want := logged[1][0]+" "+logged[2][0], builtCommit+" v"+builtVersion; got != want {
		t.Errorf("the run logs %s, want %s: %s", got, want, strings.Join(logged[0], " "))
	}
}
