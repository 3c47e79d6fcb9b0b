package main

import (
	"os/exec"
	"strings"
	"testing"
)

// A shell reads a quoted word as the word.
func TestQuoteShell(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"/home/a/config.yaml", "/home/a b/it's.yaml", "", "$(id)", "a;b", "ä"} {
		out, err := exec.Command("sh", "-c", "printf %s "+quoteShell(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q becomes %q, %v", word, out, err)
		}
	}
	if quoted := quoteShell("/home/a/config.yaml"); strings.Contains(quoted, "'") {
		t.Errorf("a plain path becomes %s", quoted)
	}
}
