package present

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestGraphAnswerer: the graphs are those of the data folders, whatever folder of the same name the program started in.
// Requests for a graph share one search. It continues when one of them leaves, and keeps no other graph waiting.
func TestGraphAnswerer(t *testing.T) {
	dirs, here := []string{t.TempDir(), t.TempDir()}, t.TempDir()
	for _, dir := range append(slices.Clone(dirs), here) {
		expect.NoError(t, os.MkdirAll(filepath.Join(dir, "family"), 0o755))
		expect.NoError(t, os.WriteFile(filepath.Join(dir, "family", "train.txt"), []byte("a\tr\tb\n"), 0o600))
	}
	t.Chdir(here)
	var mu sync.Mutex
	var asked []string
	release := make(chan struct{})
	leaving, leave := context.WithCancel(t.Context())
	defer leave()
	g := &graphAnswerer{asking: map[string]*asking{}, o: Options{
		DataDirs: func() ([]string, error) { return dirs, nil },
		AnswerGraph: func(data string) (string, error) {
			mu.Lock()
			asked = append(asked, data)
			mu.Unlock()
			if data != "bundled" {
				leave()
				<-release
			}
			return "run of " + data, nil
		}}}
	if names, err := g.Graphs(); err != nil || !slices.Equal(names, []string{"bundled", "family"}) {
		t.Fatalf("graphs %q, %v", names, err)
	}
	if run, err := g.Answering(leaving, "family"); !errors.Is(err, context.Canceled) {
		t.Fatalf("%q, %v", run, err)
	}
	if run, err := g.Answering(t.Context(), "bundled"); run != "run of bundled" || err != nil {
		t.Errorf("%q, %v", run, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		if run, err := g.Answering(gone, "family"); !errors.Is(err, context.Canceled) {
			t.Fatalf("%q, %v", run, err)
		}
	}
	mu.Lock()
	if !slices.Equal(asked, []string{filepath.Join(dirs[0], "family"), "bundled"}) {
		t.Errorf("asked for %q", asked)
	}
	mu.Unlock()
	answers := make(chan string, 2)
	for range 2 {
		go func() {
			run, err := g.Answering(t.Context(), "family")
			if err != nil {
				run = err.Error()
			}
			answers <- run
		}()
	}
	time.Sleep(20 * time.Millisecond)
	close(release)
	want := filepath.Join(dirs[0], "family")
	for range 2 {
		if run := <-answers; run != "run of "+want {
			t.Errorf("%q, want that of %s", run, want)
		}
	}
	if _, err := g.Answering(t.Context(), "gone"); err == nil {
		t.Error("a graph that is not in the folders is answered")
	}
}
