package server

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// counts counts requests for Prometheus, by what answered and by status.
type counts struct {
	began time.Time

	mu       sync.Mutex
	requests map[countKey]int
	seconds  map[string]float64 // by what answered
}

type countKey struct {
	name   string
	status int
}

func newCounts() *counts {
	return &counts{began: time.Now(), requests: map[countKey]int{}, seconds: map[string]float64{}}
}

func (c *counts) add(name string, status int, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests[countKey{name, status}]++
	c.seconds[name] += took.Seconds()
}

// write answers in Prometheus' text format 0.0.4. Names of mounts have no characters that need escapes.
func (c *counts) write(w http.ResponseWriter) {
	c.mu.Lock()
	var b strings.Builder
	b.WriteString("# HELP spherelab_requests_total Answered requests.\n# TYPE spherelab_requests_total counter\n")
	keys := slices.SortedFunc(maps.Keys(c.requests), func(a, b countKey) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.status, b.status))
	})
	for _, k := range keys {
		fmt.Fprintf(&b, "spherelab_requests_total{handler=\"%s\",code=\"%d\"} %d\n", k.name, k.status, c.requests[k])
	}
	b.WriteString("# HELP spherelab_request_seconds_total Time spent on answers.\n" +
		"# TYPE spherelab_request_seconds_total counter\n")
	for _, name := range slices.Sorted(maps.Keys(c.seconds)) {
		fmt.Fprintf(&b, "spherelab_request_seconds_total{handler=\"%s\"} %g\n", name, c.seconds[name])
	}
	fmt.Fprintf(&b, "# HELP spherelab_up_seconds Time since the server started.\n# TYPE spherelab_up_seconds gauge\n"+
		"spherelab_up_seconds %g\n", time.Since(c.began).Seconds())
	c.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, b.String()) // the client may be gone
}
