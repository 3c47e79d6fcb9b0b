// Package sourcetree makes the repository's files inputs of a test.
package sourcetree

import (
	"io/fs"
	"path/filepath"
)

// Depend lists all folders of the repository. `go test` repeats a cached result while the folders that the test has
// listed are unchanged, and does not see what go or git read as programs of their own. So a test that runs them calls
// this; after m.Run has begun, as go test records nothing before.
func Depend(root string) error {
	return filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == ".cache") {
			return fs.SkipDir
		}
		return err
	})
}
