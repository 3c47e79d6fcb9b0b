package experiments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
)

// standInGit puts a shell script in place of git.
func standInGit(t *testing.T, script string) {
	t.Helper()
	folder := t.TempDir()
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "git"), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// A run does not wait for git: neither for a process that it leaves behind and that keeps its output open, as its
// monitor of files does, nor where git itself or what it has started hangs, as on a file system that is away.
func TestGitThatHangs(t *testing.T) {
	for script, want := range map[string]string{
		"sleep 30 &\necho abc": "abc",
		"exec sleep 30":        "",
		"sleep 30\necho abc":   "",
	} {
		standInGit(t, script)
		began := time.Now()
		out, _ := gitOutput(t.Context(), "rev-parse", "HEAD")
		if waited := time.Since(began); out != want || waited > 15*time.Second {
			t.Errorf("%q: %q after %v, want %q", script, out, waited, want)
		}
	}
}

// The commit of a work tree whose changes git could not tell does not look like that of a clean one.
func TestWorkTreeHead(t *testing.T) {
	tree := t.TempDir()
	module := []byte("module " + modulePath + "\n")
	expect.NoError(t, os.WriteFile(filepath.Join(tree, "go.mod"), module, 0o644))
	for status, want := range map[string]string{
		"exit 0": "abc", "echo ' M main.go'": "abc-dirty", "exit 128": "abc-unchecked", "exec sleep 30": "abc-unchecked",
	} {
		standInGit(t, strings.Join([]string{
			`case "$*" in`, "*show-toplevel) echo '" + tree + "';;", "*HEAD) echo abc;;", "*) " + status + ";;", "esac",
		}, "\n"))
		if head := workTreeHead(t.Context()); head != want {
			t.Errorf("status is %q: %q, want %q", status, head, want)
		}
	}
}
