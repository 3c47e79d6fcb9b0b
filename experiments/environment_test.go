package experiments

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Git may leave a process behind that keeps its output open, as its monitor of files does. A run does not wait for it.
func TestGitThatHangs(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "git"), []byte("#!/bin/sh\nsleep 30 &\necho abc\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	began := time.Now()
	out := gitOutput(t.Context(), "rev-parse", "HEAD")
	if waited := time.Since(began); out != "abc" || waited > 15*time.Second {
		t.Errorf("%q after %v", out, waited)
	}
}
