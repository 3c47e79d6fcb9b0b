package web_test

import (
	"bufio"
	"context"
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

func TestEventsFollowARunToItsEnd(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	tr := trackertest.Store(t)
	server := httptest.NewServer(web.New(tr, web.Options{}))
	defer server.Close()
	run, err := tr.StartRun(ctx, tracker.RunSpec{Name: "live"})
	expect.NoError(t, err)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/runs/"+run.ID()+"/events", nil)
	expect.NoError(t, err)
	reply, err := http.DefaultClient.Do(request)
	expect.NoError(t, err)
	defer reply.Body.Close()
	if kind := reply.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("events are %s", kind)
	}
	lines := bufio.NewScanner(reply.Body)
	next := func(event, data string) {
		t.Helper()
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "event: ") {
				got := lines.Text()
				lines.Scan()
				if got != "event: "+event || lines.Text() != "data: "+data {
					t.Fatalf("%s, %s; want %s %s", got, lines.Text(), event, data)
				}
				return
			}
		}
		t.Fatalf("no event %s: %v", event, lines.Err())
	}
	expect.NoError(t, run.LogMetrics(5, map[string]float64{"loss": 1}))
	expect.NoError(t, run.Flush(ctx))
	next("change", "5")
	expect.NoError(t, run.Finish(ctx, tracker.Finished))
	next("end", "finished")
	if lines.Scan(); lines.Scan() {
		t.Errorf("after the end comes %q", lines.Text())
	}
}
