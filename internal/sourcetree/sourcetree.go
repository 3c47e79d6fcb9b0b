// Package sourcetree makes the repository's files inputs of a test.
package sourcetree

import (
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
)

// Depend lists all folders of the repository. `go test` reuses a cached result as long as the folders that the test has
// listed are unchanged, but does not notice what child processes such as go or git read. So a test that runs them calls
// Depend. The call must come after m.Run has started, because go test records nothing before.
func Depend(root string) error {
	return filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == ".cache") {
			return fs.SkipDir
		}
		return err
	})
}

// Build builds the program into a folder, with further flags of go build, and returns its path.
func Build(root, folder string, flags ...string) (string, error) {
	if err := Depend(root); err != nil {
		return "", err
	}
	path, err := filepath.Abs(filepath.Join(folder, "spherelab"))
	if err != nil {
		return "", err
	}
	build := exec.Command("go", slices.Concat([]string{"build", "-o", path}, flags, []string{"."})...)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}
