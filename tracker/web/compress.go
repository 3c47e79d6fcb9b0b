package web

import (
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// shortestCompressed is the length in bytes from which an answer is compressed: a shorter one fits into a packet.
const shortestCompressed = 1000

// compressed sends texts of a handler as gzip to those who take it: pages, scripts, styles, JSON, CSV and SVG. Streams
// of events, PNG, PDF, artifacts and parts of files are sent as they are. Pages have no secret that somebody else could
// guess by their length: forms are protected by the origin of a request.
func compressed(h http.Handler) http.Handler {
	writers := &sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/artifacts/") {
			h.ServeHTTP(w, r)
			return
		}
		c := &compressing{ResponseWriter: w, writers: writers, takes: r.Method != http.MethodHead &&
			r.Header.Get("Range") == "" && takesGzip(r.Header.Values("Accept-Encoding"))}
		defer c.end() // a handler that panics has an answer too, or ends the connection
		h.ServeHTTP(c, r)
	})
}

// takesGzip reports whether the values of an Accept-Encoding allow gzip.
func takesGzip(values []string) bool {
	all := false
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, params, _ := strings.Cut(part, ";")
		weight, has := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		allowed := !has || err == nil && q > 0
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip":
			return allowed
		case "*":
			all = allowed
		}
	}
	return all
}

// compressing is a ResponseWriter that keeps the beginning of a text until it is long enough to be compressed.
type compressing struct {
	http.ResponseWriter
	writers *sync.Pool
	takes   bool // the client takes gzip

	status  int    // 0 before the header
	begun   bool   // the header was sent
	kept    []byte // the beginning of a text, before the header is sent
	gzipped *gzip.Writer
}

// Unwrap lets a ResponseController reach the connection.
func (c *compressing) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// isText reports whether an answer of this type is worth compressing.
func isText(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	switch strings.TrimSpace(kind) {
	case "text/html", "text/css", "text/csv", "text/plain", "text/javascript", "application/javascript",
		"application/json", "image/svg+xml":
		return true
	}
	return false
}

func (c *compressing) WriteHeader(status int) {
	if c.status != 0 || status < 200 {
		c.ResponseWriter.WriteHeader(status)
		return
	}
	c.status = status
	h := c.Header()
	text := isText(h.Get("Content-Type")) && h.Get("Content-Encoding") == ""
	if text || status == http.StatusNotModified {
		h.Add("Vary", "Accept-Encoding")
	}
	if tag := h.Get("ETag"); c.takes && strings.HasPrefix(tag, `"`) && (text || status == http.StatusNotModified) {
		h.Set("ETag", "W/"+tag) // the same content in other bytes
	}
	if c.takes && text && (status == http.StatusOK || status >= 400) {
		return // until it is known how long the text is
	}
	c.begin()
}

// begin sends the header.
func (c *compressing) begin() {
	c.begun = true
	c.ResponseWriter.WriteHeader(c.status)
}

func (c *compressing) Write(text []byte) (int, error) {
	if c.status == 0 {
		if c.Header().Get("Content-Type") == "" {
			c.Header().Set("Content-Type", http.DetectContentType(text))
		}
		c.WriteHeader(http.StatusOK)
	}
	switch {
	case c.gzipped != nil:
		return c.gzipped.Write(text)
	case c.begun:
		return c.ResponseWriter.Write(text)
	case len(c.kept)+len(text) < shortestCompressed:
		c.kept = append(c.kept, text...)
		return len(text), nil
	}
	h := c.Header()
	h.Set("Content-Encoding", "gzip")
	h.Del("Content-Length")
	h.Del("Accept-Ranges") // a range would be one of other bytes
	c.begin()
	c.gzipped = c.writers.Get().(*gzip.Writer)
	c.gzipped.Reset(c.ResponseWriter)
	if _, err := c.gzipped.Write(c.kept); err != nil {
		return 0, err
	}
	return c.gzipped.Write(text)
}

// end sends the rest. A failed write means that the reader has left.
func (c *compressing) end() {
	switch {
	case c.gzipped != nil:
		_ = c.gzipped.Close()
		c.writers.Put(c.gzipped)
	case c.status != 0 && !c.begun:
		c.begin()
		_, _ = c.ResponseWriter.Write(c.kept)
	}
}
