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

	"github.com/spherelab/spherelab/internal/sourcetree"
)

const module = "github.com/spherelab/spherelab"

// root is the module's folder: go test runs the tests of a package in its folder.
const root = "../.."

// inRoot returns the path of one of the repository's files.
func inRoot(path string) string { return filepath.Join(root, path) }

// goTool runs the go command in the module's folder and returns what it prints on standard output.
func goTool(t *testing.T, env []string, args ...string) []byte {
	t.Helper()
	if err := sourcetree.Depend(root); err != nil {
		t.Fatal(err)
	}
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
