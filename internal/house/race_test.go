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

// ofMakefile returns the value of one of the Makefile's variables.
func ofMakefile(t *testing.T, name string) string {
	t.Helper()
	makefile, err := os.ReadFile(inRoot("Makefile"))
	expect.NoError(t, err)
	value := regexp.MustCompile(`(?m)^` + name + ` = (.+)$`).FindSubmatch(makefile)
	if value == nil {
		t.Fatalf("no %s in the Makefile", name)
	}
	return strings.ReplaceAll(strings.Trim(string(value[1]), "'"), "$$", "$")
}

// racePatterns returns the folders of RACE_PACKAGES.
func racePatterns(t *testing.T) []string {
	t.Helper()
	patterns := strings.Fields(strings.ReplaceAll(ofMakefile(t, "RACE_PACKAGES"), "./", ""))
	for i, pattern := range patterns {
		patterns[i] = strings.Replace(pattern, "/...", "/**", 1)
	}
	return patterns
}

// TestEveryTestRuns holds that step race runs whole what step unit leaves to it: such a package is in RACE_PACKAGES,
// none of its tests is skipped there, and none has less to do under the race detector.
func TestEveryTestRuns(t *testing.T) {
	t.Parallel()
	once := regexp.MustCompile(strings.Replace(ofMakefile(t, "RACE_ONCE"), "$(MODULE)", "", 1))
	skipped := regexp.MustCompile(ofMakefile(t, "RACE_SKIP"))
	patterns, declared, packages := racePatterns(t), regexp.MustCompile(`(?m)^func (\w+)\(`), map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, _ fs.DirEntry, err error) error {
		folder := path.Dir(file)
		if err != nil || !strings.HasSuffix(file, "_test.go") || !once.MatchString("/"+folder) || folder == "tracker/web" {
			return err
		}
		packages[folder] = true
		if !slices.ContainsFunc(patterns, func(p string) bool { return match(p, folder) }) {
			t.Errorf("%s: step unit leaves the package to step race, which does not run it", file)
		}
		source, err := os.ReadFile(inRoot(file))
		expect.NoError(t, err)
		for _, name := range declared.FindAllStringSubmatch(string(source), -1) {
			if skipped.MatchString(name[1]) {
				t.Errorf("%s: no step runs %s", file, name[1])
			}
		}
		if strings.Contains(string(source), "expect.RaceDetector") {
			t.Errorf("%s: a test has less to do under the race detector, and no other step runs it", file)
		}
		return nil
	})
	expect.NoError(t, err)
	if len(packages) < 20 {
		t.Errorf("only %d packages run in step race alone", len(packages))
	}
}

// TestRaceDetectorSeesGoroutines compares the Makefile's list with the packages that start goroutines.
func TestRaceDetectorSeesGoroutines(t *testing.T) {
	t.Parallel()
	patterns, found := racePatterns(t), map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, entry fs.DirEntry, err error) error {
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
