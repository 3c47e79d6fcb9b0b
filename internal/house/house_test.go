// Package house tests rules of the whole repository: which package imports which, exact numbers, documents that name
// existing files, container files, commits.
package house

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/sourcetree"
)

const module = "github.com/spherelab/spherelab"

// root is the module's folder: go test runs the tests of a package in its folder.
const root = "../.."

// inRoot returns the path of one of the repository's files.
func inRoot(path string) string { return filepath.Join(root, path) }

// clonedFiles lists the repository's files of a pattern that are there. A folder that is not a clone has no list; the
// test is skipped then.
func clonedFiles(t *testing.T, pattern string) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files", pattern).Output()
	if err != nil {
		t.Skip("skipped: the list of files comes from git, and this folder is not a clone")
	}
	var names []string
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		if _, err := os.Stat(inRoot(name)); err == nil { // else removed and not yet committed
			names = append(names, name)
		}
	}
	return names
}

// goTool runs the go command in the module's folder and returns what it prints on standard output.
func goTool(t *testing.T, env []string, args ...string) []byte {
	t.Helper()
	expect.NoError(t, sourcetree.Depend(root))
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}
