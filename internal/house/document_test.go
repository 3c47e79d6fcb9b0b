package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// pages are the documents whose commands and links are checked.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(inRoot("*.md"))
	expect.NoError(t, err)
	more, err := filepath.Glob(inRoot("docs/*.md"))
	expect.NoError(t, err)
	found = append(found, more...)
	if !slices.Contains(found, inRoot("README.md")) {
		t.Fatal("README.md is missing")
	}
	return found
}

var (
	link     = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	codePath = regexp.MustCompile("`((?:spherE|experiments|tracker|kernel|chart|migrations|docs|internal|notebooks|_tool|\\.ci)/[\\w./*-]*|\\w+\\.go)`")
)

// TestDocumentedFiles checks that relative links, and the source paths that the documents name in backquotes, exist.
func TestDocumentedFiles(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, page := range pages(t) {
		source, err := os.ReadFile(page)
		expect.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(source), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			checked++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: link to %s: %v", page, m[1], err)
			}
		}
		for _, m := range codePath.FindAllStringSubmatch(string(source), -1) {
			checked++
			if found, err := filepath.Glob(inRoot(m[1])); err != nil || len(found) == 0 {
				t.Errorf("%s: names %s, which does not exist", page, m[1])
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d links and paths found in the documents", checked)
	}
}

// TestReadmeShowsResults expects the table of a real run between its marks.
func TestReadmeShowsResults(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(inRoot("README.md"))
	expect.NoError(t, err)
	_, rest, opened := strings.Cut(string(source), "<!-- table:bundled -->\n")
	table, _, closed := strings.Cut(rest, "<!-- /table:bundled -->")
	if !opened || !closed {
		t.Fatal("the marks of the table are missing")
	}
	for _, row := range []string{"lookup", "RotatE", "SpherE-2D"} {
		if !strings.Contains(table, row) {
			t.Errorf("no row %s between the marks: paste the output of `go run . table bundled`", row)
		}
	}
	// What is said below the table of its numbers is true of it.
	said, _, ended := strings.Cut(rest[len(table):], "\n## ")
	numbers := regexp.MustCompile(`\.\d{3}\b`).FindAllString(said, -1)
	if !ended || len(numbers) < 4 {
		t.Errorf("only %d numbers are said below the table", len(numbers))
	}
	for _, n := range numbers {
		if !strings.Contains(table, " "+n) {
			t.Errorf("%s is said below the table and is not in it", n)
		}
	}
}

// TestWaysNameFunctions checks ARCHITECTURE.md's ways through the code: each function exists, and each way has fewer
// than 15 stops.
func TestWaysNameFunctions(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(inRoot("ARCHITECTURE.md"))
	expect.NoError(t, err)
	_, section, found := strings.Cut(string(source), "\n## Three ways through the code\n")
	section, _, ended := strings.Cut(section, "\n## ")
	if !found || !ended {
		t.Fatal("ARCHITECTURE.md has no section about ways")
	}
	declared := declaredFunctions(t)
	stops := 0
	for _, m := range regexp.MustCompile("`(?:[a-z]+\\.)?((?:[A-Za-z]+\\.)?[A-Za-z]+)`").FindAllStringSubmatch(section,
		-1) {
		if name := m[1]; strings.ContainsAny(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && name != "DATABASE" {
			stops++
			if !declared[name] {
				t.Errorf("ARCHITECTURE.md names the function %s, which does not exist", m[0])
			}
		}
	}
	if stops < 30 {
		t.Errorf("only %d functions found", stops)
	}
	if strings.Contains(section, "15. ") {
		t.Error("a way has 15 stops or more")
	}
}

var declaration = regexp.MustCompile(`(?m)^func (?:\(\w* ?\*?(\w+)\) )?(\w+)[\[(]`)

// declaredFunctions are the functions of the module by name, methods also as Type.Name.
func declaredFunctions(t *testing.T) map[string]bool {
	t.Helper()
	declared := map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") ||
			strings.HasSuffix(file, "_binding.go") {
			return err
		}
		source, err := os.ReadFile(inRoot(file))
		for _, m := range declaration.FindAllStringSubmatch(string(source), -1) {
			if m[1] != "" {
				declared[m[1]+"."+m[2]] = true
			}
			declared[m[2]] = true
		}
		return err
	})
	expect.NoError(t, err)
	return declared
}

// pageLimits are the most lines that documents may have.
var pageLimits = map[string]int{"ARCHITECTURE.md": 250, "CONTRIBUTING.md": 200, "CHANGELOG.md": 100}

// TestPagesAreShort: who wants to know where something is reads these pages whole.
func TestPagesAreShort(t *testing.T) {
	t.Parallel()
	for page, limit := range pageLimits {
		source, err := os.ReadFile(inRoot(page))
		expect.NoError(t, err)
		if lines := strings.Count(string(source), "\n"); lines >= limit {
			t.Errorf("%s has %d lines; it has fewer than %d: cut before you add", page, lines, limit)
		}
	}
}
