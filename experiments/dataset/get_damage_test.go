package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestGetTruncated(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	body := content["train.txt"]
	piece := len(body)/20 + 1
	h := newHome(t, content, func(w http.ResponseWriter, r *http.Request, file string, n int) bool {
		if file != "train.txt" || n > 15 {
			return false
		}
		breakOff(w, r, body, piece)
		return true
	})
	dir := t.TempDir()
	mustGet(t, set, content, dir, h.options())
	// 15 pieces are more than the number of tries: each brought something new.
	if h.requests("train.txt") != 16 {
		t.Errorf("%d requests", h.requests("train.txt"))
	}
	if want := fmt.Sprintf("bytes=%d-", 15*piece); h.ranges[15] != want {
		t.Errorf("last Range %q, want %q", h.ranges[15], want)
	}
}

func TestGetTruncatedForGood(t *testing.T) {
	t.Parallel()
	// A source that ignores Range and always breaks off at the same place makes no progress.
	set, content := testSet()
	h := newHome(t, content, func(w http.ResponseWriter, r *http.Request, file string, _ int) bool {
		if file != "valid.txt" {
			return false
		}
		r.Header.Del("Range")
		breakOff(w, r, content[file], 100)
		return true
	})
	dir := t.TempDir()
	o := h.options()
	o.Tries = 3
	_, err := get(t.Context(), set, dir, o)
	ge, ok := errors.AsType[*GetError](err)
	if !ok || ge.File != "valid.txt" || ge.Remedy == "" || !strings.Contains(err.Error(), "given up after 3 tries") ||
		!strings.Contains(err.Error(), h.URL+"/umls/valid.txt") {
		t.Fatalf("error %v", err)
	}
	if h.requests("valid.txt") != 3 {
		t.Errorf("%d requests", h.requests("valid.txt"))
	}
	mustNotBeFinished(t, dir)
}

func TestGetCorrupt(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	bad := bytes.Clone(content["test.txt"])
	bad[len(bad)/2] ^= 1
	good := content["test.txt"]
	content["test.txt"] = bad
	h := newHome(t, content, nil)
	dir := t.TempDir()
	_, err := get(t.Context(), set, dir, h.options())
	de, ok := errors.AsType[*DigestError](err)
	if !ok {
		t.Fatalf("error %v", err)
	}
	if de.File != "test.txt" || de.Expected != set.Files[2].Digest || de.Got == de.Expected || len(de.Got) != 64 {
		t.Errorf("%+v", de)
	}
	for _, part := range []string{"test.txt", de.Expected, de.Got} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
	mustNotBeFinished(t, dir)
	if got := listing(t, dir); !slices.Equal(got, []string{".umls.part/train.txt", ".umls.part/valid.txt"}) {
		t.Errorf("files %q", got)
	}
	// When the source is right again, only the bad file is fetched.
	content["test.txt"] = good
	mustGet(t, set, content, dir, h.options())
	if h.requests("train.txt") != 1 || h.requests("test.txt") != 2 {
		t.Errorf("requests %v", h.counts)
	}
}

func TestGetDamagedPart(t *testing.T) {
	t.Parallel()
	// What is on the disk from before does not belong to the file: the digest shows it, and it is fetched again
	// from the beginning.
	set, content := testSet()
	for name, damage := range map[string][]byte{
		"short": bytes.Repeat([]byte("x"), 500),
		"same":  bytes.Repeat([]byte("x"), len(content["train.txt"])),
		"long":  bytes.Repeat([]byte("x"), len(content["train.txt"])+9),
	} {
		t.Run(name, func(t *testing.T) {
			h, dir := newHome(t, content, nil), t.TempDir()
			work := filepath.Join(dir, ".umls.part")
			expect.NoError(t, os.Mkdir(work, 0o755))
			expect.NoError(t, os.WriteFile(filepath.Join(work, "train.txt.part"), damage, 0o644))
			mustGet(t, set, content, dir, h.options())
			if h.requests("train.txt") != 2 || h.ranges[1] != "" {
				t.Errorf("ranges %q", h.ranges)
			}
		})
	}
}

func TestGetAlwaysCorruptAndBroken(t *testing.T) {
	t.Parallel()
	// Broken off and corrupt forever: must end.
	set, content := testSet()
	body := bytes.Clone(content["train.txt"])
	body[10] ^= 1
	h := newHome(t, content, func(w http.ResponseWriter, r *http.Request, file string, n int) bool {
		if n%2 == 1 {
			breakOff(w, r, body, len(body)/2)
		}
		http.ServeContent(w, r, file, time.Time{}, bytes.NewReader(body))
		return true
	})
	_, err := get(t.Context(), set, t.TempDir(), h.options())
	if _, ok := errors.AsType[*DigestError](err); !ok {
		t.Fatalf("error %v", err)
	}
	if h.requests("train.txt") != 4 {
		t.Errorf("%d requests", h.requests("train.txt"))
	}
}

func TestGetRangeIgnored(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	body := content["train.txt"]
	h := newHome(t, content, func(w http.ResponseWriter, r *http.Request, file string, n int) bool {
		r.Header.Del("Range")
		if file == "train.txt" && n == 1 {
			breakOff(w, r, body, 3000)
		}
		return false
	})
	dir := t.TempDir()
	mustGet(t, set, content, dir, h.options())
	if want := []string{"", "bytes=3000-"}; !slices.Equal(h.ranges, want) {
		t.Errorf("ranges %q", h.ranges)
	}
}

func TestGetWrongRange(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	body := content["train.txt"]
	h := newHome(t, content, func(w http.ResponseWriter, r *http.Request, file string, n int) bool {
		switch {
		case file != "train.txt":
			return false
		case n == 1:
			breakOff(w, r, body, 3000)
		case n == 2:
			r.Header.Set("Range", "bytes=7-")
		}
		return false
	})
	dir := t.TempDir()
	o := h.options()
	o.Progress = func(file string, done, total int64) {
		if done > total {
			t.Errorf("%s: a piece was put where it does not belong: %d of %d bytes", file, done, total)
		}
	}
	mustGet(t, set, content, dir, o)
	if len(h.ranges) != 3 || h.ranges[2] != "" {
		t.Errorf("ranges %q", h.ranges)
	}
}

// A corrupt file that came whole, in answer to a request for its rest, is not fetched again as if it were made of
// pieces.
func TestGetCorruptInOnePiece(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	body := bytes.Clone(content["train.txt"])
	body[10] ^= 1
	h := newHome(t, content, func(w http.ResponseWriter, r *http.Request, _ string, n int) bool {
		if n <= 2 { // two pieces
			breakOff(w, r, body, 3000)
		}
		r.Header.Del("Range")
		http.ServeContent(w, r, "train.txt", time.Time{}, bytes.NewReader(body))
		return true
	})
	_, err := get(t.Context(), set, t.TempDir(), h.options())
	if _, ok := errors.AsType[*DigestError](err); !ok || h.requests("train.txt") != 3 {
		t.Fatalf("error %v after %d requests", err, h.requests("train.txt"))
	}
}

func TestContentRange(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"bytes 5-9/10": "5 10 true", "bytes 5-9/*": "5 -1 true", "bytes */10": "0 10 true",
		"": "0 0 false", "bytes 5-9": "0 0 false", "bytes x-9/10": "0 0 false", "items 0-1/2": "0 0 false",
		"bytes -1-9/10": "0 0 false", "bytes 1-2/x": "0 0 false",
	} {
		start, all, ok := contentRange(header)
		if got := fmt.Sprint(start, all, ok); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
}
