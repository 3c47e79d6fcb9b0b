package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module writes the files of a module m and returns its folder.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(file, text string) {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module m\n\ngo 1.26\n")
	for file, text := range files {
		write(file, text)
	}
	return dir
}

func TestFaultsOfAPlatform(t *testing.T) {
	for name, c := range map[string]struct{ file, source, want string }{
		"sound":           {"a.go", "package a\n\nfunc F() int { return 1 }\n", ""},
		"fault elsewhere": {"a_windows.go", "package a\n\nvar X int = \"x\"\n", ""},
		"type":            {"a_darwin.go", "package a\n\nvar X int = \"x\"\n", "a_darwin.go:3:13"},
		"type of a test":  {"a_arm64_test.go", "package a\n\nvar X int = \"x\"\n", "a_arm64_test.go:3:13"},
		"unused variable": {"a_arm64.go", "package a\n\nfunc F() { x := 1 }\n", "declared and not used: x"},
		"missing import":  {"a_darwin.go", "package a\n\nimport _ \"m/nowhere\"\n", "m/nowhere"},
		"vet": {"a_darwin.go", "package a\n\nimport \"fmt\"\n\nfunc F() { fmt.Printf(\"%d\", \"x\") }\n",
			"Printf"},
		"no body": {"a_arm64.go", "package a\n\nfunc F() int\n", "function F has no body"},
		"linked": {"a_arm64.go", "package a\n\nimport _ \"unsafe\"\n\n//go:linkname now time.now\nfunc now() int64\n",
			""},
		"linked as another": {"a_arm64.go", "package a\n\nimport _ \"unsafe\"\n\n//go:linkname x time.now\nfunc now() int\n",
			"function now has no body"},
		"embedded file missing": {"a_arm64.go", "package a\n\nimport _ \"embed\"\n\n//go:embed x.txt\nvar S string\n",
			"x.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := module(t, map[string]string{"doc.go": "package a\n", c.file: c.source})
			faults, count, err := check(dir, "darwin/arm64")
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(faults, "\n")
			if count == 0 || c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("%d packages, faults %q, want %q", count, got, c.want)
			}
		})
	}
	if _, _, err := check(t.TempDir(), "darwin"); err == nil {
		t.Error("a platform without an architecture is accepted")
	}
}

// TestChosenPackages: with patterns, tests and packages that nothing imports are left out.
func TestChosenPackages(t *testing.T) {
	dir := module(t, map[string]string{
		"a.go":        "package main\n\nimport _ \"m/b\"\n\nfunc main() {}\n",
		"a_test.go":   "package main\n\nvar X int = \"test\"\n",
		"b/b.go":      "package b\n\nvar X int = \"imported\"\n",
		"other/c.go":  "package c\n\nvar X int = \"other\"\n",
		"chosen/d.go": "package d\n\nvar X int = \"chosen\"\n",
	})
	for platform, want := range map[string]string{
		"windows/amd64=.":            "imported",
		"windows/amd64=.,./chosen/.": "chosen imported",
		"windows/amd64":              "chosen imported other test",
	} {
		faults, _, err := check(dir, platform)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, word := range []string{"chosen", "imported", "other", "test"} {
			if strings.Contains(strings.Join(faults, "\n"), `"`+word+`"`) {
				got += " " + word
			}
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%s: faults %q, want %q", platform, faults, want)
		}
	}
}

func TestAssemblyIsABody(t *testing.T) {
	dir := module(t, map[string]string{
		"a.go":       "package a\n\nfunc F()\n",
		"a_arm64.s":  "#include \"textflag.h\"\n\nTEXT ·F(SB), NOSPLIT, $0-0\n\tRET\n",
		"textflag.h": "",
	})
	if faults, _, err := check(dir, "linux/arm64"); err != nil || len(faults) > 0 {
		t.Errorf("with assembly: %v, %v", faults, err)
	}
	if faults, _, err := check(dir, "linux/amd64"); err != nil || len(faults) != 1 {
		t.Errorf("without assembly: %v, %v", faults, err)
	}
}
