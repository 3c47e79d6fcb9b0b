package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestDataListTellsIncompleteFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, files := range map[string][]string{"whole": {"train.txt", "valid.txt.gz", "test.tsv"},
		"half": {"train.txt", "test.txt"}} {
		for _, file := range files {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, name), 0o755),
				os.WriteFile(filepath.Join(dir, name, file), nil, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := &program{t, []string{"HOME=" + t.TempDir()}}
	states := map[string]string{}
	for _, row := range p.csv("data", "ls", "--data", dir) {
		states[row[0]] = row[1]
	}
	if states["whole"] != "here" || states["half"] != "incomplete: no valid" {
		t.Errorf("states %v", states)
	}
}
