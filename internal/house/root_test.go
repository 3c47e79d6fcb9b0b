package house

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// maxRootNames is how many names a reader finds in the root, those that begin with a dot not counted. Among them is
// CITATION.cff, which programs that cite read in the root only.
const maxRootNames = 23

// TestRootIsShort holds that the root lists rooms, not code: main.go is its only Go file.
func TestRootIsShort(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("git", "-C", root, "ls-files").Output()
	if err != nil {
		t.Skip("no git work tree: an export")
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "/")
		if !strings.HasPrefix(name, ".") && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if path.Ext(name) == ".go" && name != "main.go" {
			t.Errorf("%s is in the root; commands are in internal/command", name)
		}
	}
	if len(names) > maxRootNames || !slices.Contains(names, "main.go") {
		t.Errorf("the root lists %d names, max %d, main.go among them: %q", len(names), maxRootNames, names)
	}
}
