package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestUsageErrorsBeforeAnythingStarts: a refused command line makes nothing, and has the exit code of usage. The words
// of all refusals are in the tests of internal/command.
func TestUsageErrorsBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	p := &program{t, []string{"HOME=" + home}}
	p.fails(exitUsage, []string{"--set dimension=0: dimension must be a number from 1"}, "train", "--set", "dimension=0")
	p.fails(exitUsage, []string{`unknown command "trian"; did you mean train?`}, "trian")
	p.env = append(p.env, "SPHERELAB_SIMD=foo")
	for _, args := range [][]string{{"train"}, {"version"}, {"eval", "last"}, {"query", "last", "a", "b", "?"}} {
		p.fails(exitUsage, []string{"SPHERELAB_SIMD", "foo"}, args...)
	}
	p.env = append(p.env[:1], "SPHERELAB_ROOTS=newton")
	for _, args := range [][]string{{"train"}, {"version"}, {"eval", "last"}, {"query", "last", "a", "b", "?"}} {
		p.fails(exitUsage, []string{"SPHERELAB_ROOTS", "newton", "one of instruction, sequence, mixed"}, args...)
	}
	p.env = append(p.env[:1], "SPHERELAB_TRAIN_EPOCH=3")
	p.fails(exitUsage, []string{"environment variable SPHERELAB_TRAIN_EPOCH", "SPHERELAB_TRAIN_EPOCHS?"}, "train")
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused command line made the home folder: %v", err)
	}
}

func TestNowhereToWriteOrLog(t *testing.T) {
	t.Parallel()
	config := smallJob(t, 2)
	file := filepath.Join(t.TempDir(), "file")
	expect.NoError(t, os.WriteFile(file, nil, 0o644))
	p := &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + filepath.Join(file, "home")}}
	p.fails(exitFailed, []string{file, "not a directory", "--data-dir or SPHERELAB_HOME names another data directory"},
		"train", config)
	p.env = nil
	p.fails(exitFailed, []string{"SPHERELAB_HOME", "--data-dir"}, "train", config)
	p.env = []string{"HOME=" + t.TempDir(), "DATABASE_URL=postgres://nobody:secret@127.0.0.1:1/none?sslmode=disable"}
	_, stderr, code := p.run("train", config)
	if code != exitFailed || !strings.Contains(stderr, "cannot be reached") || strings.Contains(stderr, "secret") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
}
