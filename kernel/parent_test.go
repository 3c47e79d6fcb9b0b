package kernel

import (
	"os"
	"os/exec"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestParentIsGone(t *testing.T) {
	t.Parallel()
	ended := exec.Command(os.Args[0], "-test.run=^$")
	expect.NoError(t, ended.Run())
	here, dead := os.Getppid(), ended.Process.Pid
	for name, c := range map[string]struct {
		parent parent
		want   bool
	}{
		"both live":                      {parent{here, true, here}, false},
		"Jupyter ended, a wrapper lives": {parent{dead, true, here}, true},
		"a wrapper ended, Jupyter lives": {parent{here, true, dead}, true},
		"Jupyter cannot be seen":         {parent{dead, false, here}, false},
		"nor seen, and a wrapper ended":  {parent{dead, false, dead}, true},
	} {
		if got := c.parent.hasEnded(); got != c.want {
			t.Errorf("%s: gone %v, want %v", name, got, c.want)
		}
	}
	if p := findParent(here); p == nil || *p != (parent{here, true, here}) {
		t.Errorf("findParent(%d) = %+v", here, p)
	}
	if p := findParent(dead); p == nil || p.isVisible {
		t.Errorf("findParent of a process that cannot be seen: %+v", p)
	}
	if p := findParent(-1); p != nil {
		t.Errorf("findParent(-1) = %+v", p)
	}
}
