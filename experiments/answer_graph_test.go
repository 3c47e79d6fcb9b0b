package experiments

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// graphFolderOf writes a graph of three triples about a name to a new folder.
func graphFolderOf(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	for _, split := range []string{"train", "valid", "test"} {
		line := name + "_a\tknows\t" + name + "_" + split + "\n"
		expect.NoError(t, os.WriteFile(filepath.Join(dir, split+".txt"), []byte(line), 0o600))
	}
	return dir
}

// The tag with the place of a graph may be any client's. A graph is read from there only if it is the run's.
func TestRunGraphIsTheRunsOwn(t *testing.T) {
	t.Parallel()
	bundled, err := kg.Bundled()
	expect.NoError(t, err)
	own, secret := graphFolderOf(t, "own"), graphFolderOf(t, "secret")
	folder, err := kg.Load(own)
	expect.NoError(t, err)
	open := func(digest, source string) (*kg.Graph, error) {
		return answer.OpenGraph(tracker.RunInfo{ID: "0123456789", Params: map[string]string{config.ParamHash: "x",
			"data": config.BundledName, answer.ParamGraphDigest: digest}, Tags: map[string]string{answer.TagSource: source}}, nil)
	}
	pipe := filepath.Join(t.TempDir(), "pipe.csv")
	expect.NoError(t, syscall.Mkfifo(pipe, 0o600))
	if _, err := open(folder.Digest(), pipe); err == nil {
		t.Error("a pipe is a graph")
	}
	for _, c := range []struct{ digest, source string }{
		{bundled.Digest(), ""}, {bundled.Digest(), secret}, {folder.Digest(), own},
	} {
		if g, err := open(c.digest, c.source); err != nil || g.Digest() != c.digest {
			t.Errorf("graph of %s with the tag %q: %v, %v", c.digest, c.source, g, err)
		}
	}
	if g, err := open(folder.Digest(), secret); err == nil || !strings.Contains(err.Error(), "another graph") {
		t.Errorf("a folder with other contents is the run's graph: %v, %v", g, err)
	}
}
