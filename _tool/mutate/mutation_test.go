package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMutationsFit: every mutation of the list stands once in its file, and there are enough.
func TestMutationsFit(t *testing.T) {
	t.Parallel()
	all, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 60 {
		t.Errorf("%d mutations; there should be 60 at least", len(all))
	}
	seen := map[mutation]bool{}
	for _, m := range all {
		source, err := os.ReadFile(filepath.Join("../..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		changed, err := m.apply(string(source))
		if err != nil {
			t.Errorf("%s: %v", m, err)
		} else if changed == string(source) || seen[m] {
			t.Errorf("%s changes nothing, or is listed twice", m)
		}
		seen[m] = true
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"- a\n+ b":        "mutation.txt:1",
		"x.go\n- a\n- b":  "mutation.txt:3",
		"x.go\n+ b":       "mutation.txt:2",
		"x.go\n- a":       "no line",
		"x.go\n- a\ny.go": "mutation.txt:3",
	} {
		if _, err := parse(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
	if _, err := (mutation{"x.go", "a", "b", "."}).apply("a a"); err == nil {
		t.Error("a text that stands twice is replaced")
	}
}

// TestParseTests: tests are those of the file's folder, or of the one behind it.
func TestParseTests(t *testing.T) {
	t.Parallel()
	got, err := parse("p/x.go\n- a\n+ b\nq/y.go r/s\n- c\n+ d\n- e\n+ f\np/x.go\n- g\n+ h")
	want := []mutation{{"p/x.go", "a", "b", "p"}, {"q/y.go", "c", "d", "r/s"}, {"q/y.go", "e", "f", "r/s"}, {"p/x.go", "g", "h", "p"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestMutate runs one mutation that a test catches, one that none catches, and one that does not compile.
func TestMutate(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.24\n",
		"m.go":      "package m\n\nfunc Sum(a, b int) int { return a + b }\n\nfunc Unused(a int) int { return a * 2 }\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(2, 3) != 5 {\n\t\tt.Fail()\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	caught, err := mutation{"m.go", "a + b", "a - b", "."}.test(t.Context(), root)
	if caught != "TestSum" || err != nil {
		t.Errorf("caught by %q, %v", caught, err)
	}
	if caught, err := (mutation{"m.go", "a * 2", "a * 3", "."}).test(t.Context(), root); caught != "" || err != nil {
		t.Errorf("caught by %q, %v", caught, err)
	}
	if _, err := (mutation{"m.go", "a * 2", "a *", "."}).test(t.Context(), root); err == nil {
		t.Error("a mutation that does not compile is not an error")
	}
}
