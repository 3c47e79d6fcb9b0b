package web_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// asked returns the answer to a request with some headers.
func asked(h http.Handler, method, address string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, address, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestTextsAreCompressed(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	id := logRun(t, tr, tracker.RunSpec{Name: "one", Params: map[string]string{"text": strings.Repeat("long ", 400)}},
		map[string]float64{"loss": 2}, map[string]float64{"loss": 1})
	curve := "?run=" + id + "&key=loss"
	for _, c := range []struct {
		address, accepts string
		gzipped, varies  bool
	}{
		{"/", "gzip, deflate, br", true, true},
		{"/", "", false, true},
		{"/", "br", false, true},
		{"/", "gzip;q=0, *", false, true},
		{"/", "*;q=0.1", true, true},
		{"/runs/" + id, "GZIP ; q=0.5", true, true},
		{"/runs/" + id + "/run.csv", "gzip", true, true},
		{"/experiments.csv", "gzip", false, true}, // it is short
		{"/curve.svg" + curve, "gzip", true, true},
		{"/curve.png" + curve, "gzip", false, false},
		{"/curve.pdf" + curve, "gzip", false, false},
		{"/static/style.css", "gzip", true, true},
		{"/nothing", "gzip", true, true}, // an error is a page
	} {
		plain, got := asked(h, "GET", c.address), asked(h, "GET", c.address, "Accept-Encoding", c.accepts)
		if is := got.Header.Get("Content-Encoding") == "gzip"; is != c.gzipped || got.StatusCode != plain.StatusCode ||
			(got.Header.Get("Vary") == "Accept-Encoding") != c.varies {
			t.Errorf("%s with %q: %d, gzip %v, %v", c.address, c.accepts, got.StatusCode, is, got.Header)
			continue
		}
		want, err := io.ReadAll(plain.Body)
		expect.NoError(t, err)
		var body io.Reader = got.Body
		if c.gzipped {
			body, err = gzip.NewReader(got.Body)
			expect.NoError(t, err)
		}
		text, err := io.ReadAll(body)
		if expect.NoError(t, err); string(text) != string(want) || len(text) == 0 {
			t.Errorf("%s: %d bytes, plain %d", c.address, len(text), len(want))
		}
	}
}

// TestCompressedFilesAreValidated: a browser that has a file in either form learns that it is still the same, and a
// part of a file is one of the file itself.
func TestCompressedFilesAreValidated(t *testing.T) {
	t.Parallel()
	h := web.New(trackertest.Store(t), web.Options{})
	const file = "/static/style.css"
	plain := asked(h, "GET", file)
	zipped := asked(h, "GET", file, "Accept-Encoding", "gzip")
	strong, weak := plain.Header.Get("ETag"), zipped.Header.Get("ETag")
	if strong == "" || weak != "W/"+strong || zipped.Header.Get("Accept-Ranges") != "" || zipped.ContentLength > 0 {
		t.Errorf("tags %s and %s, %v", strong, weak, zipped.Header)
	}
	for _, tag := range []string{strong, weak} {
		got := asked(h, "GET", file, "Accept-Encoding", "gzip", "If-None-Match", tag)
		if got.StatusCode != http.StatusNotModified || got.Header.Get("ETag") != weak ||
			got.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %d %v", tag, got.StatusCode, got.Header)
		}
	}
	if got := asked(h, "GET", file, "Accept-Encoding", "gzip", "If-None-Match", `"other"`); got.StatusCode != http.StatusOK {
		t.Errorf("another file: %d", got.StatusCode)
	}
	part := asked(h, "GET", file, "Accept-Encoding", "gzip", "Range", "bytes=1-4")
	text, err := io.ReadAll(part.Body)
	expect.NoError(t, err)
	whole, err := io.ReadAll(plain.Body)
	expect.NoError(t, err)
	if part.StatusCode != http.StatusPartialContent || string(text) != string(whole[1:5]) {
		t.Errorf("the part is %d %q", part.StatusCode, text)
	}
	if head := asked(h, "HEAD", file, "Accept-Encoding", "gzip"); head.StatusCode != 200 || head.Header.Get("Content-Encoding") != "" {
		t.Errorf("HEAD: %v", head.Header)
	}
}

// TestEventsAreNotKept: the events of a run reach a client that takes gzip while they happen.
func TestEventsAreNotKept(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	run, err := tr.StartRun(t.Context(), tracker.RunSpec{Name: "live"})
	expect.NoError(t, err)
	defer func() { expect.NoError(t, run.Finish(t.Context(), tracker.Finished)) }()
	s := httptest.NewServer(web.New(tr, web.Options{}))
	defer s.Close()
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/runs/"+run.ID()+"/events", nil)
	expect.NoError(t, err)
	r.Header.Set("Accept-Encoding", "gzip")
	client := &http.Client{Timeout: 20 * time.Second}
	got, err := client.Do(r)
	expect.NoError(t, err)
	defer got.Body.Close()
	first := make([]byte, 6)
	if _, err := io.ReadFull(got.Body, first); err != nil || string(first) != "retry:" {
		t.Errorf("the events begin with %q, %v", first, err)
	}
}
