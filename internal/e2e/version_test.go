package e2e

import (
	"debug/buildinfo"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
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

// TestLicenses: every module of the program is named, in the version that is linked.
func TestLicenses(t *testing.T) {
	t.Parallel()
	path, err := built()
	expect.NoError(t, err)
	info, err := buildinfo.ReadFile(path)
	if err != nil || len(info.Deps) < 20 {
		t.Fatalf("%d modules, %v", len(info.Deps), err)
	}
	printed := newProgram(t).ok("licenses")
	for _, m := range info.Deps {
		if !strings.Contains(printed, "\n"+m.Path+" "+m.Version+"\n") {
			t.Errorf("%s %s has no licence", m.Path, m.Version)
		}
	}
}
