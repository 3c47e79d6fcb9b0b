package loopback_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker/loopback"
)

func TestListenRefusesOtherAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.org:0", "127.0.0.1", "x"} {
		if l, err := loopback.Listen(address); err == nil {
			l.Close()
			t.Errorf("%s is listened on", address)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0"} {
		l, err := loopback.Listen(address)
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
}

func TestHandlerRefusesOtherSites(t *testing.T) {
	t.Parallel()
	h := loopback.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
	}))
	for _, c := range []struct {
		method, host, origin, site string
		want                       int
	}{
		{"GET", "127.0.0.1:5000", "", "", 200},
		{"GET", "localhost", "", "", 200},
		{"GET", "[::1]:5000", "", "", 200},
		{"GET", "[::1]", "", "", 200},
		{"GET", "evil.example:5000", "", "", 421}, // a name that points here
		{"GET", "127.0.0.1.evil.example", "", "", 421},
		{"GET", "", "", "", 421},
		{"POST", "127.0.0.1:5000", "", "", 200}, // a program
		{"POST", "127.0.0.1:5000", "http://127.0.0.1:5000", "same-origin", 200},
		{"POST", "127.0.0.1:5000", "https://evil.example", "cross-site", 403},
		{"POST", "127.0.0.1:5000", "https://evil.example", "", 403},
		{"POST", "127.0.0.1:5000", "http://127.0.0.1:6000", "same-site", 403}, // another server of this machine
	} {
		r := httptest.NewRequest(c.method, "/", nil)
		r.Host = c.host
		for key, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site} {
			if value != "" {
				r.Header.Set(key, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
}

// A request that runs when the server is asked to end is answered, and no new one is.
func TestServeEndsGracefully(t *testing.T) {
	t.Parallel()
	l, err := loopback.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- loopback.Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stop()
			<-r.Context().Done() // requests learn of the end
			_, _ = io.WriteString(w, "done")
		}))
	}()
	reply, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(reply.Body)
	reply.Body.Close()
	if err != nil || string(body) != "done" {
		t.Errorf("%q, %v", body, err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the server does not end")
	}
	if _, err := http.Get("http://" + l.Addr().String()); err == nil {
		t.Error("a server that has ended answers")
	}
}
