package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestDataListTellsIncompleteFolders: of a public data set it is said what is missing; what a folder of the user lacks
// is drawn.
func TestDataListTellsIncompleteFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, files := range map[string][]string{"whole": {"train.txt", "valid.txt.gz", "test.tsv"},
		"half": {"train.txt", "test.txt"}, "umls": {"train.txt", "test.txt"}} {
		for _, file := range files {
			expect.NoError(t, errors.Join(os.MkdirAll(filepath.Join(dir, name), 0o755),
				os.WriteFile(filepath.Join(dir, name, file), nil, 0o644)))
		}
	}
	p := &program{t, []string{"HOME=" + t.TempDir()}}
	states := map[string]string{}
	for _, row := range p.csv("data", "ls", "--data", dir) {
		if states[row[0]] == "" { // the first row is that of the folder
			states[row[0]] = row[1]
		}
	}
	if states["whole"] != "here" || states["half"] != "here" || states["umls"] != "incomplete: no valid" {
		t.Errorf("states %v", states)
	}
}

// TestDataCheckDividesAsTraining: a file that leaks is checked as it is trained, and a leak that was asked for, or that
// a folder has, is a warning.
func TestDataCheckDividesAsTraining(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var facts strings.Builder
	for i := range 60 {
		fmt.Fprintf(&facts, "e%d\tbeside\te%d\ne%d\tbeside\te%d\n", i, (i+1)%60, (i+1)%60, i)
	}
	file, folder := filepath.Join(dir, "ring.tsv"), filepath.Join(dir, "ring")
	expect.NoError(t, errors.Join(os.WriteFile(file, []byte(facts.String()), 0o644), os.Mkdir(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "train.txt"), []byte(facts.String()), 0o644),
		os.WriteFile(filepath.Join(folder, "valid.txt"), []byte("e1\tbeside\te9\n"), 0o644),
		os.WriteFile(filepath.Join(folder, "test.txt"), []byte("e2\tbeside\te1\ne1\tbeside\te7\n"), 0o644)))
	p := &program{t, []string{"HOME=" + t.TempDir()}}
	for _, test := range []struct {
		args         []string
		want, hasNot string
	}{
		{[]string{file}, "would have one in train", "warning: "},
		{[]string{file, "--set", "split.leakless=false"}, "split.leakless=true keeps twins in one split", "no warnings"},
		{[]string{folder}, "1 of 3 triples of valid and test (33 %) has a twin in train", "no warnings"},
	} {
		out := p.ok(append([]string{"data", "check"}, test.args...)...)
		if !strings.Contains(out, test.want) || strings.Contains(out, test.hasNot) {
			t.Errorf("%v:\n%s", test.args, out)
		}
	}
}
