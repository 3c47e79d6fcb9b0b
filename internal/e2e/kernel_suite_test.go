package e2e

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestKernelStandardSuite runs jupyter_kernel_test as its package has it, against our kernel and, in the same run,
// against Python's. The table in docs/kernel.md is what it prints; it is held to it in what it says of our kernel.
// Python's own results differ between runs: a warning that it prints at its start sometimes comes before its welcome
// message.
func TestKernelStandardSuite(t *testing.T) {
	t.Parallel()
	j := newJupyter(t)
	cmd := j.python(abs(t, root, "_tool/python/kernel_suite.py"), kernelName)
	j.ok("kernel", "install")
	cmd.Dir = t.TempDir()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	table, err := cmd.Output()
	t.Logf("\n%s", table)
	if err != nil {
		t.Errorf("the suite does not pass: %v\n%s", err, stderr.Bytes())
	}
	if want, have := strings.TrimSpace(string(table)),
		documented(t, "docs/kernel.md", "kernel-suite"); ours(want) != ours(have) {
		t.Errorf("docs/kernel.md has another table than the run:\n%s\n\nreasons:\n%s", have, stderr.Bytes())
	}
}

// ours is a table without its last column, which is that of Python's kernel.
func ours(table string) string {
	lines := strings.Split(table, "\n")
	for i, line := range lines {
		if cells := strings.Split(line, "|"); len(cells) == 5 {
			lines[i] = strings.Join(cells[:3], "|")
		}
	}
	return strings.Join(lines, "\n")
}

// documented is the text between the marks <!-- table:NAME --> of a page.
func documented(t *testing.T, page, name string) string {
	t.Helper()
	content, err := os.ReadFile(inRoot(page))
	expect.NoError(t, err)
	_, rest, opened := strings.Cut(string(content), "<!-- table:"+name+" -->\n")
	text, _, closed := strings.Cut(rest, "<!-- /table:"+name+" -->")
	if !opened || !closed {
		t.Fatalf("%s has no text between the marks table:%s", page, name)
	}
	return strings.TrimSpace(text)
}
