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

// home is a server of a set's files. fault, if it is not nil, may answer a
// request itself; it then returns true. n counts the requests for that file,
// from 1.
type home struct {
	*httptest.Server
	mu     sync.Mutex
	counts map[string]int
	ranges []string // Range headers of requests for train.txt
}

func newHome(t *testing.T, content map[string][]byte, fault func(w http.ResponseWriter, r *http.Request, file string, n int) bool) *home {
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
	return Options{BaseURL: h.URL, Client: h.Client(), Wait: time.Millisecond, StallTimeout: 10 * time.Second}.withDefaults()
}

// breakOff sends the first n bytes of what a correct answer would be, then
// ends the connection.
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
		t.Fatalf("Find gives %s", path)
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
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestGet(t *testing.T) {
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
	folder, err := get(t.Context(), set, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	mustBeComplete(t, set, content, dir, folder)
	for name, body := range content {
		if n := int64(len(body)); last[name] != [2]int64{n, n} {
			t.Errorf("%s: last progress %v of %d bytes", name, last[name], n)
		}
	}
	// Again: nothing is asked for.
	if _, err := get(t.Context(), set, dir, o); err != nil || h.requests("train.txt") != 1 {
		t.Errorf("second call: %v, %d requests", err, h.requests("train.txt"))
	}
}

func TestGetOtherLineOrder(t *testing.T) {
	set, content := testSet()
	lines := bytes.SplitAfter(content["train.txt"], []byte("\n"))
	slices.Reverse(lines)
	content["train.txt"] = bytes.Join(lines, nil)
	dir := t.TempDir()
	folder, err := get(t.Context(), set, dir, newHome(t, content, nil).options())
	if err != nil {
		t.Fatal(err)
	}
	mustBeComplete(t, set, content, dir, folder)
}

func TestGetTruncated(t *testing.T) {
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
	folder, err := get(t.Context(), set, dir, h.options())
	if err != nil {
		t.Fatal(err)
	}
	mustBeComplete(t, set, content, dir, folder)
	// 15 pieces are more than the number of tries: each brought something new.
	if h.requests("train.txt") != 16 {
		t.Errorf("%d requests", h.requests("train.txt"))
	}
	if want := fmt.Sprintf("bytes=%d-", 15*piece); h.ranges[15] != want {
		t.Errorf("last Range %q, want %q", h.ranges[15], want)
	}
}

func TestGetTruncatedForGood(t *testing.T) {
	// A source that ignores Range and always breaks off at the same place
	// makes no progress.
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
	if !ok || ge.File != "valid.txt" || ge.Remedy == "" || !strings.Contains(err.Error(), "given up after 3 tries") || !strings.Contains(err.Error(), h.URL+"/umls/valid.txt") {
		t.Fatalf("error %v", err)
	}
	if h.requests("valid.txt") != 3 {
		t.Errorf("%d requests", h.requests("valid.txt"))
	}
	mustNotBeFinished(t, dir)
}

func TestGetCorrupt(t *testing.T) {
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
	folder, err := get(t.Context(), set, dir, h.options())
	if err != nil {
		t.Fatal(err)
	}
	mustBeComplete(t, set, content, dir, folder)
	if h.requests("train.txt") != 1 || h.requests("test.txt") != 2 {
		t.Errorf("requests %v", h.counts)
	}
}

func TestGetDamagedPart(t *testing.T) {
	// What is on the disk from before does not belong to the file: it is found
	// out by the digest, and fetched once more from the beginning.
	set, content := testSet()
	for name, damage := range map[string][]byte{
		"short": bytes.Repeat([]byte("x"), 500),
		"same":  bytes.Repeat([]byte("x"), len(content["train.txt"])),
		"long":  bytes.Repeat([]byte("x"), len(content["train.txt"])+9),
	} {
		t.Run(name, func(t *testing.T) {
			h, dir := newHome(t, content, nil), t.TempDir()
			work := filepath.Join(dir, ".umls.part")
			if err := os.Mkdir(work, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(work, "train.txt.part"), damage, 0o644); err != nil {
				t.Fatal(err)
			}
			folder, err := get(t.Context(), set, dir, h.options())
			if err != nil {
				t.Fatal(err)
			}
			mustBeComplete(t, set, content, dir, folder)
			if h.requests("train.txt") != 2 || h.ranges[1] != "" {
				t.Errorf("ranges %q", h.ranges)
			}
		})
	}
}

func TestGetAlwaysCorruptAndBroken(t *testing.T) {
	// Broken off and corrupt for ever: must come to an end.
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

func TestGetStalled(t *testing.T) {
	set, content := testSet()
	body := content["train.txt"]
	release := make(chan struct{})
	h := newHome(t, content, func(w http.ResponseWriter, r *http.Request, file string, n int) bool {
		if file != "train.txt" || n > 2 {
			return false
		}
		if n == 1 { // silent after some bytes; the second request not even answers
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
	folder, err := get(t.Context(), set, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	mustBeComplete(t, set, content, dir, folder)
	if want := []string{"", "bytes=1000-", "bytes=1000-"}; !slices.Equal(h.ranges, want) {
		t.Errorf("ranges %q", h.ranges)
	}
}

func TestGetStalledForGood(t *testing.T) {
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

func TestGetRangeIgnored(t *testing.T) {
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
	folder, err := get(t.Context(), set, dir, h.options())
	if err != nil {
		t.Fatal(err)
	}
	mustBeComplete(t, set, content, dir, folder)
	if want := []string{"", "bytes=3000-"}; !slices.Equal(h.ranges, want) {
		t.Errorf("ranges %q", h.ranges)
	}
}

func TestGetWrongRange(t *testing.T) {
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
	folder, err := get(t.Context(), set, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	mustBeComplete(t, set, content, dir, folder)
	if len(h.ranges) != 3 || h.ranges[2] != "" {
		t.Errorf("ranges %q", h.ranges)
	}
}

// A corrupt file that came whole, in answer to a request for its rest, is not
// fetched once more as if it were made of pieces.
func TestGetCorruptInOnePiece(t *testing.T) {
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

func TestGetInterrupted(t *testing.T) {
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
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "run the same command again") {
		t.Fatalf("error %v", err)
	}
	mustNotBeFinished(t, dir)
	got, err := os.ReadFile(filepath.Join(dir, ".umls.part", "train.txt.part"))
	if err != nil || !bytes.Equal(got, body[:2000]) {
		t.Fatalf("part of %d bytes (%v)", len(got), err)
	}
	local, err := Local(dir)
	if err != nil || len(local) != 1 || local[0] != (Entry{Name: "umls", Path: filepath.Join(dir, ".umls.part"), Bytes: 2000, Known: true, Partial: true}) {
		t.Errorf("Local: %+v, %v", local, err)
	}
	folder, err := get(t.Context(), set, dir, h.options())
	if err != nil {
		t.Fatal(err)
	}
	mustBeComplete(t, set, content, dir, folder)
	if want := []string{"", "bytes=2000-"}; !slices.Equal(h.ranges, want) {
		t.Errorf("ranges %q", h.ranges)
	}
}

func TestGetInterruptedWhileWaiting(t *testing.T) {
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
	set, content := testSet()
	h := newHome(t, content, func(w http.ResponseWriter, _ *http.Request, _ string, n int) bool {
		if n > 3 {
			return false
		}
		w.WriteHeader([]int{503, 429, 500}[n-1])
		return true
	})
	dir := t.TempDir()
	folder, err := get(t.Context(), set, dir, h.options())
	if err != nil {
		t.Fatal(err)
	}
	mustBeComplete(t, set, content, dir, folder)
}

func TestGetMissingAtHome(t *testing.T) {
	set, content := testSet()
	delete(content, "valid.txt")
	h := newHome(t, content, nil)
	_, err := get(t.Context(), set, t.TempDir(), h.options())
	if err == nil || !strings.Contains(err.Error(), "404") || h.requests("valid.txt") != 1 {
		t.Fatalf("error %v after %d requests", err, h.requests("valid.txt"))
	}
}

func TestGetNoServer(t *testing.T) {
	set, content := testSet()
	h := newHome(t, content, nil)
	h.Close()
	o := h.options()
	o.Tries = 2
	_, err := get(t.Context(), set, t.TempDir(), o)
	if err == nil || !strings.Contains(err.Error(), "given up after 2 tries") || !strings.Contains(err.Error(), "by hand") {
		t.Fatalf("error %v", err)
	}
}

func TestGetFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	set, content := testSet()
	h, dir := newHome(t, content, nil), t.TempDir()
	work := filepath.Join(dir, ".umls.part")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", filepath.Join(work, "valid.txt.part")); err != nil {
		t.Fatal(err)
	}
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
	set, content := testSet()
	h, dir := newHome(t, content, nil), t.TempDir()
	folder := filepath.Join(dir, "umls")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range set.Files {
		if err := os.WriteFile(filepath.Join(folder, f.Name), []byte("my\town\tgraph\n"), 0o644); err != nil {
			t.Fatal(err)
		}
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
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	mustBeComplete(t, set, content, dir, filepath.Join(dir, "umls"))
}

func TestGetUnknown(t *testing.T) {
	_, err := Get(t.Context(), "wn18r", t.TempDir(), Options{})
	if ue, ok := errors.AsType[*UnknownError](err); !ok || !slices.Equal(ue.Nearest, []string{"wn18rr"}) {
		t.Fatalf("error %v", err)
	}
}

func TestContentRange(t *testing.T) {
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
