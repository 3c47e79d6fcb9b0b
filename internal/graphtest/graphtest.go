// Package graphtest finds the benchmark graphs that some tests compare real numbers on. They are not part of the
// project.
package graphtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// Env is the environment variable with the folder that contains the benchmark graphs' folders.
const Env = "SPHERELAB_TEST_DATA"

// Folder returns the folder of the named graph: in $SPHERELAB_TEST_DATA if that is set, else in shared/data next to the
// project, else where `spherelab data get` puts it. If it is missing, the test is skipped by name with the remedy, and
// fails with CI=true.
func Folder(tb testing.TB, name string) string {
	tb.Helper()
	places := places(tb)
	for _, place := range places {
		dir := filepath.Join(place, name)
		if _, err := os.Stat(filepath.Join(dir, "train.txt")); err == nil {
			return dir
		}
	}
	const message = "graph %s is in none of %q: run `spherelab data get %s`, or set " + Env +
		" to the folder that contains it"
	if os.Getenv("CI") == "true" {
		tb.Fatalf(message, name, places, name)
	}
	tb.Skipf(message, name, places, name)
	return ""
}

// File returns the path of a graph in one file, such as hpo/hpo.csv.gz, in the folders that Folder searches. These
// graphs have no public home. If it is missing, the test is skipped by name with the remedy, and fails with CI=true.
func File(tb testing.TB, name string) string {
	tb.Helper()
	places := places(tb)
	for _, place := range places {
		path := filepath.Join(place, filepath.FromSlash(name))
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	const message = "file %s is in none of %q: set " + Env + " to the folder that contains it"
	if os.Getenv("CI") == "true" {
		tb.Fatalf(message, name, places)
	}
	tb.Skipf(message, name, places)
	return ""
}

func places(tb testing.TB) []string {
	if named := os.Getenv(Env); named != "" {
		return []string{named}
	}
	list := []string{filepath.Join(root(tb), "..", "shared", "data")}
	home := os.Getenv("SPHERELAB_HOME")
	if base := os.Getenv("XDG_DATA_HOME"); home == "" && filepath.IsAbs(base) {
		home = filepath.Join(base, "spherelab")
	}
	if user, err := os.UserHomeDir(); home == "" && err == nil {
		home = filepath.Join(user, ".local", "share", "spherelab")
	}
	return append(list, filepath.Join(home, "data"))
}

// root is the folder of go.mod, above the package under test.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	expect.NoError(tb, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			tb.Fatal("no go.mod above the working folder")
		}
		dir = above
	}
}

// Paper returns the paper's LaTeX source: the .tex file in the folder paper next to the folder that contains the
// graphs. If there is none, the test is skipped by name with the remedy, and fails with CI=true.
func Paper(tb testing.TB) string {
	tb.Helper()
	var folders []string
	for _, place := range places(tb) {
		folder := filepath.Join(place, "..", "paper")
		folders = append(folders, folder)
		if found, _ := filepath.Glob(filepath.Join(folder, "*.tex")); len(found) == 1 {
			return found[0]
		}
	}
	const message = "the paper's source is in none of %q: set " + Env +
		" to a folder of graphs that has a folder paper with the one .tex file next to it"
	if os.Getenv("CI") == "true" {
		tb.Fatalf(message, folders)
	}
	tb.Skipf(message, folders)
	return ""
}
