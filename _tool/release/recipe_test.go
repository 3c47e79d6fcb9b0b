package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Recipes name the four archives with their sums, parse where the parsers are installed, and are left out of a release
// of some platforms.
func TestRecipes(t *testing.T) {
	t.Parallel()
	r := release{version: "0.1.0-dev+0123456789ab", out: t.TempDir()}
	if made, err := r.recipe(); err != nil || made != nil {
		t.Fatalf("without archives: %v, %v", made, err)
	}
	var sums []string
	for _, platform := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"} {
		name := filepath.Join(r.out, base+platform+".tar.gz")
		if err := os.WriteFile(name, []byte(platform), 0o644); err != nil {
			t.Fatal(err)
		}
		sums = append(sums, fmt.Sprintf("%x", sha256.Sum256([]byte(platform))))
	}
	made, err := r.recipe()
	if err != nil || len(made) != 3 {
		t.Fatalf("%v, %v", made, err)
	}
	parser := map[string][]string{"spherelab.rb": {"ruby", "-c"}, "flake.nix": {"nix-instantiate", "--parse"},
		"recipe.yaml": {"python3", "-c", "import sys, yaml; yaml.safe_load(open(sys.argv[1]))"}}
	for _, name := range made {
		content, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		for i, platform := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"} {
			_, after, found := strings.Cut(text, "/releases/download/v"+r.version+"/"+base+platform+".tar.gz")
			if at := strings.Index(after, sums[i]); !found || at < 0 || at > 80 {
				t.Errorf("%s does not have %s with its sum", name, platform)
			}
		}
		if strings.Contains(text, "{{") || !strings.Contains(text, "homepage") {
			t.Errorf("%s is not filled:\n%s", name, text)
		}
		command := parser[filepath.Base(name)]
		if command == nil {
			t.Errorf("%s has no parser here", name)
			continue
		}
		if _, err := exec.LookPath(command[0]); err != nil {
			t.Logf("%s is not parsed: %v", name, err)
			continue
		}
		out, err := exec.Command(command[0], append(command[1:], filepath.Join(r.out, name))...).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "No module named 'yaml'") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	if strings.Contains(r.version, "-") && strings.Contains(archives{Version: r.version}.CondaVersion(), "-") {
		t.Error("conda takes no dash in a version")
	}
}
