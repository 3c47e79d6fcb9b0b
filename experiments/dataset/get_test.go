package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
)

// testSet makes a small set and the content of its files.
func testSet() (Set, map[string][]byte) {
	content := map[string][]byte{}
	set := Set{Name: "umls", Title: "made up"}
	for i, name := range []string{"train.txt", "valid.txt", "test.txt"} {
		var lines []string
		for j := range []int{4000, 50, 60}[i] {
			lines = append(lines, fmt.Sprintf("entity%d\trelation%d\tentity%d\n", j*7919%997, j%7, j))
		}
		content[name] = []byte(strings.Join(lines, ""))
		slices.Sort(lines)
		sum := sha256.Sum256([]byte(strings.Join(lines, "")))
		set.Files = append(set.Files, File{Name: name, Triples: len(lines), Digest: hex.EncodeToString(sum[:])})
	}
	return set, content
}

// home is a server of a set's files. fault, if it is not nil, may answer a request itself; it then returns true. n
// counts the requests for that file, from 1.
type home struct {
	*httptest.Server
	mu     sync.Mutex
	counts map[string]int
	ranges []string // Range headers of requests for train.txt
}

func newHome(t *testing.T, content map[string][]byte, fault func(w http.ResponseWriter, r *http.Request, file string,
	n int) bool) *home {
	t.Helper()
	h := &home{counts: map[string]int{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file := path.Base(r.URL.Path)
		h.mu.Lock()
		h.counts[file]++
		n := h.counts[file]
		if file == "train.txt" {
			h.ranges = append(h.ranges, r.Header.Get("Range"))
		}
		h.mu.Unlock()
		if fault != nil && fault(w, r, file, n) {
			return
		}
		body, ok := content[file]
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, file, time.Time{}, bytes.NewReader(body))
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *home) requests(file string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.counts[file]
}

func (h *home) options() Options {
	return Options{BaseURL: h.URL, Client: h.Client(), Wait: time.Millisecond,
		StallTimeout: 10 * time.Second}.withDefaults()
}

// breakOff sends the first n bytes of what a correct answer would be, then ends the connection.
func breakOff(w http.ResponseWriter, r *http.Request, body []byte, n int) {
	start := 0
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &start); err == nil {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, len(body)-1, len(body)))
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(body)-start))
	if start > 0 {
		w.WriteHeader(http.StatusPartialContent)
	}
	w.Write(body[start:min(start+n, len(body))])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// mustGet downloads the set, which is then complete.
func mustGet(t *testing.T, set Set, content map[string][]byte, dir string, o Options) {
	t.Helper()
	folder, err := get(t.Context(), set, dir, o)
	expect.NoError(t, err)
	mustBeComplete(t, set, content, dir, folder)
}

// mustBeComplete checks that the set is in dir and nothing else.
func mustBeComplete(t *testing.T, set Set, content map[string][]byte, dir, folder string) {
	t.Helper()
	if folder != filepath.Join(dir, set.Name) {
		t.Fatalf("folder %q", folder)
	}
	if got := listing(t, dir); !slices.Equal(got, []string{"umls/test.txt", "umls/train.txt", "umls/valid.txt"}) {
		t.Fatalf("files %q", got)
	}
	for name, want := range content {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s differs (%v)", name, err)
		}
	}
}

// mustNotBeFinished checks that no folder passes for a finished one.
func mustNotBeFinished(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "umls")); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a finished folder is there: %v", err)
	}
	if path, err := Find("umls", dir); err == nil {
		t.Fatalf("Find returns %s", path)
	}
}

func listing(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	expect.NoError(t, err)
	return out
}

func TestGet(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	h, dir := newHome(t, content, nil), t.TempDir()
	o := h.options()
	last := map[string][2]int64{}
	o.Progress = func(file string, done, total int64) {
		if done < last[file][0] || done > total {
			t.Errorf("%s: progress %d of %d after %d", file, done, total, last[file][0])
		}
		last[file] = [2]int64{done, total}
	}
	mustGet(t, set, content, dir, o)
	for name, body := range content {
		if n := int64(len(body)); last[name] != [2]int64{n, n} {
			t.Errorf("%s: last progress %v of %d bytes", name, last[name], n)
		}
	}
	// Again: nothing is requested.
	if _, err := get(t.Context(), set, dir, o); err != nil || h.requests("train.txt") != 1 {
		t.Errorf("second call: %v, %d requests", err, h.requests("train.txt"))
	}
}

func TestGetOtherLineOrder(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	lines := bytes.SplitAfter(content["train.txt"], []byte("\n"))
	slices.Reverse(lines)
	content["train.txt"] = bytes.Join(lines, nil)
	dir := t.TempDir()
	mustGet(t, set, content, dir, newHome(t, content, nil).options())
}

func TestGetStalled(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	body := content["train.txt"]
	release := make(chan struct{})
	h := newHome(t, content, func(w http.ResponseWriter, r *http.Request, file string, n int) bool {
		if file != "train.txt" || n > 2 {
			return false
		}
		if n == 1 { // silent after some bytes; the second request does not even answer
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			w.Write(body[:1000])
			w.(http.Flusher).Flush()
		}
		select {
		case <-r.Context().Done():
		case <-release:
		}
		return true
	})
	defer close(release)
	dir := t.TempDir()
	o := h.options()
	o.StallTimeout = 100 * time.Millisecond
	mustGet(t, set, content, dir, o)
	if want := []string{"", "bytes=1000-", "bytes=1000-"}; !slices.Equal(h.ranges, want) {
		t.Errorf("ranges %q", h.ranges)
	}
}

func TestGetStalledForGood(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	h := newHome(t, content, func(_ http.ResponseWriter, r *http.Request, _ string, _ int) bool {
		<-r.Context().Done()
		return true
	})
	o := h.options()
	o.StallTimeout, o.Tries = 50*time.Millisecond, 2
	dir := t.TempDir()
	_, err := get(t.Context(), set, dir, o)
	if !errors.Is(err, errStalled) {
		t.Fatalf("error %v", err)
	}
	mustNotBeFinished(t, dir)
}

func TestGetInterrupted(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	body := content["train.txt"]
	h := newHome(t, content, func(w http.ResponseWriter, r *http.Request, file string, n int) bool {
		if file != "train.txt" || n > 1 {
			return false
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.Write(body[:2000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	})
	dir := t.TempDir()
	// A cause of its own, as signals give one: callers still see context.Canceled.
	ctx, cancel := context.WithCancelCause(t.Context())
	o := h.options()
	o.Progress = func(_ string, done, _ int64) {
		if done == 2000 {
			cancel(errors.New("interrupt signal received"))
		}
	}
	_, err := get(ctx, set, dir, o)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the next download continues from it") {
		t.Fatalf("error %v", err)
	}
	mustNotBeFinished(t, dir)
	got, err := os.ReadFile(filepath.Join(dir, ".umls.part", "train.txt.part"))
	if err != nil || !bytes.Equal(got, body[:2000]) {
		t.Fatalf("part of %d bytes (%v)", len(got), err)
	}
	local, err := Local(dir)
	if err != nil || len(local) != 1 || local[0] != (Entry{Name: "umls", Path: filepath.Join(dir, ".umls.part"),
		Bytes: 2000, Partial: true}) {
		t.Errorf("Local: %+v, %v", local, err)
	}
	mustGet(t, set, content, dir, h.options())
	if want := []string{"", "bytes=2000-"}; !slices.Equal(h.ranges, want) {
		t.Errorf("ranges %q", h.ranges)
	}
}

func TestGetInterruptedWhileWaiting(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	ctx, cancel := context.WithCancel(t.Context())
	h := newHome(t, content, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		time.AfterFunc(20*time.Millisecond, cancel)
		return true
	})
	o := h.options()
	o.Wait = time.Hour
	if _, err := get(ctx, set, t.TempDir(), o); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
}

func TestGetServerTrouble(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	h := newHome(t, content, func(w http.ResponseWriter, _ *http.Request, _ string, n int) bool {
		if n > 3 {
			return false
		}
		w.WriteHeader([]int{503, 429, 500}[n-1])
		return true
	})
	dir := t.TempDir()
	mustGet(t, set, content, dir, h.options())
}

func TestGetMissingAtHome(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	delete(content, "valid.txt")
	h := newHome(t, content, nil)
	_, err := get(t.Context(), set, t.TempDir(), h.options())
	if err == nil || !strings.Contains(err.Error(), "404") || h.requests("valid.txt") != 1 {
		t.Fatalf("error %v after %d requests", err, h.requests("valid.txt"))
	}
}

func TestGetNoServer(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	h := newHome(t, content, nil)
	h.Close()
	o := h.options()
	o.Tries = 2
	_, err := get(t.Context(), set, t.TempDir(), o)
	if err == nil || !strings.Contains(err.Error(), "given up after 2 tries") || !strings.Contains(err.Error(),
		"put the files into") {
		t.Fatalf("error %v", err)
	}
}

func TestGetFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	set, content := testSet()
	h, dir := newHome(t, content, nil), t.TempDir()
	work := filepath.Join(dir, ".umls.part")
	expect.NoError(t, os.Mkdir(work, 0o755))
	expect.NoError(t, os.Symlink("/dev/full", filepath.Join(work, "valid.txt.part")))
	// /dev/full also reads as endless zeros, which nothing must try to do.
	_, err := get(t.Context(), set, dir, h.options())
	if err == nil || !strings.Contains(err.Error(), "no space left") || !strings.Contains(err.Error(), "free space") {
		t.Fatalf("error %v", err)
	}
	if h.requests("valid.txt") != 1 {
		t.Errorf("%d requests", h.requests("valid.txt"))
	}
}

func TestGetLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	h, dir := newHome(t, content, nil), t.TempDir()
	folder := filepath.Join(dir, "umls")
	expect.NoError(t, os.Mkdir(folder, 0o755))
	for _, f := range set.Files {
		expect.NoError(t, os.WriteFile(filepath.Join(folder, f.Name), []byte("my\town\tgraph\n"), 0o644))
	}
	_, err := get(t.Context(), set, dir, h.options())
	if _, ok := errors.AsType[*DigestError](err); !ok || !strings.Contains(err.Error(), "rename or remove") {
		t.Fatalf("error %v", err)
	}
	got, err := os.ReadFile(filepath.Join(folder, "train.txt"))
	if err != nil || string(got) != "my\town\tgraph\n" || h.requests("train.txt") != 0 {
		t.Errorf("the folder was touched: %q, %v", got, err)
	}
}

func TestGetTwiceAtOnce(t *testing.T) {
	t.Parallel()
	set, content := testSet()
	started, release := make(chan struct{}), make(chan struct{})
	h := newHome(t, content, func(_ http.ResponseWriter, _ *http.Request, file string, _ int) bool {
		if file == "train.txt" {
			close(started)
			<-release
		}
		return false
	})
	dir := t.TempDir()
	done := make(chan error, 1)
	go func() {
		_, err := get(t.Context(), set, dir, h.options())
		done <- err
	}()
	<-started
	_, err := get(t.Context(), set, dir, h.options())
	if err == nil || !strings.Contains(err.Error(), "another download") {
		t.Errorf("second download: %v", err)
	}
	close(release)
	expect.NoError(t, <-done)
	mustBeComplete(t, set, content, dir, filepath.Join(dir, "umls"))
}

func TestGetUnknown(t *testing.T) {
	t.Parallel()
	_, err := Get(t.Context(), "wn18r", t.TempDir(), Options{})
	if ue, ok := errors.AsType[*UnknownError](err); !ok || !slices.Equal(ue.Nearest, []string{"wn18rr"}) {
		t.Fatalf("error %v", err)
	}
}
