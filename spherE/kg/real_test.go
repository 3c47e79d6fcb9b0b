package kg

import (
	"os"
	"path/filepath"
	"testing"
)

// realGraph loads one of the benchmark graphs. They are no part of the
// project; without them the test is skipped by name, but not where their
// place was named and CI says that it must be there.
func realGraph(tb testing.TB, name string) *Graph {
	tb.Helper()
	dir := realFolder(tb, name)
	g, err := Load(dir)
	if err != nil {
		tb.Fatalf("load %s: %v", dir, err)
	}
	return g
}

func realFolder(tb testing.TB, name string) string {
	tb.Helper()
	named := os.Getenv("SPHERELAB_TEST_DATA")
	places := []string{named, filepath.Join("..", "..", "..", "shared", "data")}
	if os.Getenv("CI") == "true" && named != "" {
		places = places[:1]
	}
	for _, place := range places {
		if place != "" && IsGraph(filepath.Join(place, name)) {
			return filepath.Join(place, name)
		}
	}
	if os.Getenv("CI") == "true" && named != "" {
		tb.Fatalf("graph %s is not in SPHERELAB_TEST_DATA=%s", name, named)
	}
	tb.Skipf("graph %s is not here: run `spherelab data get %s` and set SPHERELAB_TEST_DATA to the folder that holds it", name, name)
	return ""
}
