package house

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// raceFree are folders that start goroutines and are not built with the race detector.
var raceFree = map[string]string{
	"internal/command":   "the signal watcher and what looks for dead programs have one goroutine each; the race detector would build and link all dependencies",
	"experiments":        "its trainings would take too long",
	"experiments/worker": "its trainings would take too long; the step runs the tests of several at once",
}

var startsGoroutine = regexp.MustCompile(`(?m)^\s*go (func\b|[\w.]+\()|\.Go\(|parallel\.\w+\(`)

// TestRaceDetectorSeesGoroutines compares the Makefile's list with the packages that start goroutines.
func TestRaceDetectorSeesGoroutines(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile(inRoot("Makefile"))
	expect.NoError(t, err)
	list := regexp.MustCompile(`(?m)^RACE_PACKAGES = (.+)$`).FindSubmatch(makefile)
	if list == nil {
		t.Fatal("no RACE_PACKAGES in the Makefile")
	}
	patterns := strings.Fields(strings.ReplaceAll(string(list[1]), "./", ""))
	for i, pattern := range patterns {
		patterns[i] = strings.Replace(pattern, "/...", "/**", 1)
	}
	found := map[string]bool{}
	err = fs.WalkDir(os.DirFS(root), ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && name != "." && strings.ContainsAny(name[:1], "._") {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(inRoot(file))
		folder := path.Dir(file)
		if err != nil || !startsGoroutine.Match(source) {
			return err
		}
		found[folder] = true
		if raceFree[folder] == "" && !slices.ContainsFunc(patterns, func(p string) bool { return match(p, folder) }) {
			t.Errorf("%s starts goroutines; add ./%s to RACE_PACKAGES in the Makefile", file, folder)
		}
		return nil
	})
	expect.NoError(t, err)
	for folder := range raceFree {
		if !found[folder] {
			t.Errorf("%s starts no goroutine; remove it from the exceptions", folder)
		}
	}
	if len(found) < 5 {
		t.Errorf("only %d packages with goroutines found", len(found))
	}
}
