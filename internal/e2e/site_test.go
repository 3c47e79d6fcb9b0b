package e2e

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

var (
	loaded   = regexp.MustCompile(`<(?:script|link)\b[^>]*?(?:src|href)="([^"?]+\.(?:js|css))`)
	anywhere = regexp.MustCompile(`<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="(?:https?:)?//[^"]+"`)
)

// maxPage limits the bytes of a page with its scripts and styles, compressed; pictures come on their own.
const maxPage = 100_000

// TestSite builds the documentation's site as `make docs` does, where a link to a page or heading that is not there is
// an error. Pages load nothing from elsewhere.
func TestSite(t *testing.T) {
	t.Parallel()
	python := os.Getenv("SPHERELAB_TEST_SITE")
	if python == "" {
		why := "SPHERELAB_TEST_SITE does not name a Python with Sphinx; `make test` prepares one"
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip("skipped: " + why)
	}
	program, err := built()
	expect.NoError(t, err)
	out := t.TempDir()
	output(t, exec.Command(python, inRoot("_tool/site/build.py"), program, out))
	pages := expect.Must[[]string](t)(filepath.Glob(filepath.Join(out, "*.html")))
	documents := expect.Must[[]string](t)(filepath.Glob(inRoot("docs/*.md")))
	if len(pages) <= len(documents) {
		t.Fatalf("%d pages of %d documents", len(pages), len(documents))
	}
	sizes := map[string]int{}
	for _, path := range pages {
		page := expect.Must[[]byte](t)(os.ReadFile(path))
		size := compressed(t, page)
		for _, m := range loaded.FindAllSubmatch(page, -1) {
			file := string(m[1])
			if sizes[file] == 0 {
				sizes[file] = compressed(t, expect.Must[[]byte](t)(os.ReadFile(filepath.Join(out, file))))
			}
			size += sizes[file]
		}
		if name := filepath.Base(path); size > maxPage && name != "search.html" { // which loads the index
			t.Errorf("%s loads %d bytes, max %d", name, size, maxPage)
		}
		if m := anywhere.Find(page); m != nil {
			t.Errorf("%s loads from elsewhere: %s", filepath.Base(path), m)
		}
	}
	if len(sizes) < 5 {
		t.Errorf("only %d scripts and styles were found", len(sizes))
	}
	for page, want := range map[string]string{"command.html": "--against", "config.html": "typed_negatives",
		"glossary.html": "retrieve rate", "tutorial.html": "held out", "cut.html": "coverage-0.9",
		"rest.html": "mlflow/runs/log-batch", "cell.html": "%timeit", "api.html": "that another package defines"} {
		text := expect.Must[[]byte](t)(os.ReadFile(filepath.Join(out, page)))
		if !strings.Contains(string(text), want) {
			t.Errorf("%s does not have %q", page, want)
		}
	}
}

// compressed returns the number of bytes after gzip.
func compressed(t *testing.T, content []byte) int {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(content)
	expect.NoError(t, err)
	expect.NoError(t, w.Close())
	return b.Len()
}
