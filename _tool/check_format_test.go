package tool_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	const good = "package x\n"
	for _, c := range []struct {
		name, source, path string
		fails              bool
		want               string
	}{
		{name: "good", source: good},
		{name: "not formatted", source: "package  x\n", fails: true, want: "x y.go"},
		{name: "syntax error", source: "package x\nfunc {\n", fails: true, want: "x y.go:2"},
		{name: "no gofmt", source: good, path: "without", fails: true, want: "gofmt"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x y.go"), []byte(c.source), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/bin/sh", "check_format.sh", dir)
		if c.path != "" {
			cmd.Env = []string{"PATH=" + programs(t, "find", "xargs")}
		}
		out, err := cmd.CombinedOutput()
		if (err != nil) != c.fails || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v, %s", c.name, err, out)
		}
	}
}

// programs is a folder with links to the named programs only.
func programs(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
