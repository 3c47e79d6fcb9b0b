package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/server"
)

const token = "a-token-of-some-length"

// start serves a handler until the test has ended.
func start(t *testing.T, o server.Options) (address string, stop func() error) {
	t.Helper()
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	s, err := server.Listen(o)
	expect.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	stopped := false
	stop = func() error {
		stopped = true
		cancel()
		return <-ended
	}
	t.Cleanup(func() {
		if stopped {
			return
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return s.Address(), stop
}

func hello(prefix string) server.Mount {
	return server.Mount{Name: "hello", Prefixes: []string{prefix},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case prefix + "panic":
				panic("on purpose")
			case prefix + "half":
				fmt.Fprint(w, "half an answer")
				_ = http.NewResponseController(w).Flush() // what fails is seen by the client
				panic("halfway on purpose")
			}
			fmt.Fprint(w, "hello")
		})}
}

// ask sends a GET with headers; Host is one of them.
func ask(t *testing.T, url string, headers map[string]string) (int, string) {
	t.Helper()
	return send(t, http.MethodGet, url, headers)
}

// send sends a request without a body.
func send(t *testing.T, method, url string, headers map[string]string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, url, nil)
	expect.NoError(t, err)
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	if host := headers["Host"]; host != "" {
		request.Host = host
	}
	response, err := http.DefaultClient.Do(request)
	expect.NoError(t, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	expect.NoError(t, err)
	return response.StatusCode, string(raw)
}

func TestListenRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ address, token, want string }{
		{"0.0.0.0:0", "", "needs a token"},
		{":0", "", "needs a token"},
		{"[::]:0", "", "needs a token"},
		{"0.0.0.0:0", "short", "at least 16"},
		{"127.0.0.1:0", "short", "at least 16"},
		{"0.0.0.0:0", "a token with spaces", "a header cannot carry"},
		{"0.0.0.0:0", "a-token-with-\r\n-lines", "a header cannot carry"},
		{"127.0.0.1", "", "not host:port"},
	} {
		s, err := server.Listen(server.Options{Address: c.address, Token: c.token})
		if err == nil {
			t.Errorf("%q with token %q listens on %s", c.address, c.token, s.Address())
		} else if !strings.Contains(err.Error(), c.want) ||
			errors.Is(err, server.ErrNeedsToken) != (c.want == "needs a token") ||
			c.token != "" && strings.Contains(err.Error(), c.token) {
			t.Errorf("%q with token %q: %v", c.address, c.token, err)
		}
	}
}

// A page in a browser of this machine cannot use the server, by whatever name it reaches it.
func TestPagesOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	address, _ := start(t, server.Options{Mounts: []server.Mount{hello("/x/")}})
	_, port, err := net.SplitHostPort(address)
	expect.NoError(t, err)
	for _, c := range []struct {
		headers map[string]string
		status  int
	}{
		{nil, 200},
		{map[string]string{"Host": "localhost:" + port}, 200},
		{map[string]string{"Host": "LOCALHOST"}, 200},
		{map[string]string{"Host": "[::1]:" + port}, 200},
		{map[string]string{"Origin": "http://" + address, "Sec-Fetch-Site": "same-origin"}, 200},
		{map[string]string{"Sec-Fetch-Site": "none"}, 200},
		{map[string]string{"Host": "evil.example:" + port}, 403},
		{map[string]string{"Host": "localhost.evil.example"}, 403},
		{map[string]string{"Host": "127.0.0.1.evil.example"}, 403},
		{map[string]string{"Host": "192.168.0.1"}, 403},
		{map[string]string{"Origin": "http://evil.example"}, 403},
		{map[string]string{"Origin": "null"}, 403},
		{map[string]string{"Origin": "http://" + address + ".evil.example"}, 403},
		{map[string]string{"Origin": "http://localhost:1"}, 403},
		{map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
	} {
		for _, path := range []string{"/x/", "/metrics"} {
			if status, body := ask(t, "http://"+address+path, c.headers); status != c.status {
				t.Errorf("%s %v: %d %s, want %d", path, c.headers, status, body, c.status)
			}
		}
	}
}

// Behind a proxy of this machine the server has the proxy's name. The token keeps pages of others out.
func TestProxyOfThisMachine(t *testing.T) {
	t.Parallel()
	address, _ := start(t, server.Options{Token: token, Mounts: []server.Mount{hello("/x/")}})
	const name = "runs.example"
	for _, c := range []struct {
		headers map[string]string
		status  int
	}{
		{map[string]string{"Host": name, "Authorization": "Bearer " + token}, 200},
		{map[string]string{"Host": name, "Authorization": "Bearer " + token, "Origin": "https://" + name}, 200},
		{map[string]string{"Host": name, "Authorization": "Bearer " + token, "Origin": "https://evil.example"}, 403},
		{map[string]string{"Host": name, "Authorization": "Bearer " + token, "Sec-Fetch-Site": "cross-site"}, 403},
		{map[string]string{"Host": name}, 401},
	} {
		if status, body := ask(t, "http://"+address+"/x/", c.headers); status != c.status {
			t.Errorf("%v: %d %s, want %d", c.headers, status, body, c.status)
		}
	}
}

// A link on a page of another site leads to pages, and to nothing else: no form, no picture, no frame, no answer for
// programs.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages := hello("/p/")
	pages.Linked = true
	address, _ := start(t, server.Options{Mounts: []server.Mount{hello("/x/"), pages}})
	link := func(change ...string) map[string]string {
		headers := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
			"Sec-Fetch-Dest": "document"}
		for i := 0; i < len(change); i += 2 {
			headers[change[i]] = change[i+1]
		}
		return headers
	}
	for _, c := range []struct {
		method, path string
		headers      map[string]string
		status       int
	}{
		{"GET", "/p/", link(), 200},
		{"GET", "/p/", link("Sec-Fetch-Site", "same-site"), 200},
		{"GET", "/x/", link(), 403},
		{"GET", "/metrics", link(), 403},
		{"POST", "/p/", link(), 403},
		{"GET", "/p/", link("Sec-Fetch-Dest", "iframe"), 403},
		{"GET", "/p/", link("Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"), 403},
		{"GET", "/p/", link("Host", "evil.example"), 403},
		{"GET", "/p/", link("Origin", "http://evil.example"), 403},
	} {
		if status, body := send(t, c.method, "http://"+address+c.path, c.headers); status != c.status {
			t.Errorf("%s %s %v: %d %s, want %d", c.method, c.path, c.headers, status, body, c.status)
		}
	}
}

// A lasting answer takes no place of the others, and ends with the server.
func TestLastingAnswers(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{}, 2)
	live := server.Mount{Name: "live", Prefixes: []string{"/live"}, Lasting: func(*http.Request) bool { return true },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			entered <- struct{}{}
			<-r.Context().Done()
			fmt.Fprint(w, "the end")
		})}
	address, stop := start(t, server.Options{MaxActive: 1, Wait: time.Millisecond, Grace: time.Minute,
		Mounts: []server.Mount{hello("/x/"), live}})
	bodies := make(chan string, 2)
	for range 2 {
		go func() {
			_, body := ask(t, "http://"+address+"/live", nil)
			bodies <- body
		}()
		<-entered
	}
	if status, _ := ask(t, "http://"+address+"/x/", nil); status != 200 {
		t.Errorf("next to two lasting answers: %d", status)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if body := <-bodies; body != "the end" {
			t.Errorf("a lasting answer ended with %q", body)
		}
	}
}

// A person at a browser reads a line, not JSON.
func TestBrowsersAreToldInText(t *testing.T) {
	t.Parallel()
	address, _ := start(t, server.Options{Mounts: []server.Mount{hello("/x/")}})
	page := map[string]string{"Accept": "text/html,*/*", "Host": "elsewhere"}
	if status, body := ask(t, "http://"+address+"/none", page); strings.Contains(body, "{") ||
		status != 404 && status != 403 {
		t.Errorf("a browser gets %d %s", status, body)
	}
	if _, body := ask(t, "http://"+address+"/none", nil); !strings.HasPrefix(body, "{") {
		t.Errorf("a client is told %s", body)
	}
}

// A mount with places of its own leaves those of the others free.
func TestOwnPlaces(t *testing.T) {
	t.Parallel()
	entered, free := make(chan struct{}), make(chan struct{})
	slow := server.Mount{Name: "slow", Prefixes: []string{"/slow"}, MaxActive: 2,
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			entered <- struct{}{}
			<-free
		})}
	address, _ := start(t, server.Options{MaxActive: 1, Wait: time.Millisecond,
		Mounts: []server.Mount{hello("/x/"), slow}})
	done := make(chan int, 2)
	for range 2 {
		go func() {
			status, _ := ask(t, "http://"+address+"/slow", nil)
			done <- status
		}()
		<-entered
	}
	for path, want := range map[string]int{"/slow": 503, "/x/": 200} {
		if status, _ := ask(t, "http://"+address+path, nil); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
	close(free)
	for range 2 {
		if status := <-done; status != 200 {
			t.Errorf("a slow answer: %d", status)
		}
	}
}

// A request beyond those that are worked on waits for a place, of the server's or its mount's, and is answered.
func TestRequestsWaitForPlaces(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	mount := func(name string, maximum int) server.Mount {
		return server.Mount{Name: name, Prefixes: []string{"/" + name}, MaxActive: maximum,
			Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				entered <- struct{}{}
				<-leave
			})}
	}
	address, _ := start(t, server.Options{MaxActive: 2, Wait: time.Minute, Mounts: []server.Mount{mount("a", 0), mount("b", 1)}})
	for path, maximum := range map[string]int{"/a": 2, "/b": 1} {
		const asked = 12
		statuses := make(chan int, asked)
		for range asked {
			go func() {
				status, _ := ask(t, "http://"+address+path, nil)
				statuses <- status
			}()
		}
		for range asked / maximum { // as many at once, then the next
			for range maximum {
				select {
				case <-entered:
				case <-time.After(10 * time.Second):
					t.Fatalf("%s: nothing is worked on; the first answer is %d", path, <-statuses)
				}
			}
			select {
			case <-entered:
				t.Fatalf("%s: more than %d at once", path, maximum)
			case <-time.After(10 * time.Millisecond):
			}
			for range maximum {
				leave <- struct{}{}
			}
		}
		for range asked {
			if status := <-statuses; status != 200 {
				t.Errorf("%s: %d", path, status)
			}
		}
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	address, _ := start(t, server.Options{Address: "0.0.0.0:0", Token: token, Mounts: []server.Mount{hello("/x/")}})
	_, port, err := net.SplitHostPort(address)
	expect.NoError(t, err)
	url := "http://127.0.0.1:" + port
	for header, want := range map[string]int{
		"":                      401,
		"Bearer":                401,
		"Bearer ":               401,
		"Bearer " + token:       200,
		"bearer " + token:       200,
		"Bearer " + token[1:]:   401,
		"Bearer " + token + "x": 401,
		"Basic " + "dTphLXRva2VuLW9mLXNvbWUtbGVuZ3Ro": 200, // u:TOKEN
		"Basic " + "dTp4": 401,
		token:             401,
	} {
		for _, path := range []string{"/x/", "/metrics", "/nothing"} {
			status, body := ask(t, url+path, map[string]string{"Authorization": header})
			if path == "/nothing" && want == 200 {
				want = 404
			}
			if status != want || strings.Contains(body, token) {
				t.Errorf("%s %q: %d %s, want %d", path, header, status, body, want)
			}
		}
	}
	if status, _ := ask(t, url+"/x/?token="+token, nil); status != 401 {
		t.Errorf("the token was taken from the address: %d", status)
	}
	if status, body := ask(t, url+"/healthz", nil); status != 200 || body != "OK" {
		t.Errorf("/healthz: %d %s", status, body)
	}
}

func TestHealthAndMetrics(t *testing.T) {
	t.Parallel()
	var away error
	var said []string
	address, stop := start(t, server.Options{Mounts: []server.Mount{hello("/x/")}, Say: func(s string) { said = append(said, s) },
		Ready: func(context.Context) error { return away }})
	url := "http://" + address
	if status, _ := ask(t, url+"/healthz", nil); status != 200 {
		t.Errorf("healthy: %d", status)
	}
	away = errors.New("postgres://user:secret@host is away")
	if status, body := ask(t, url+"/healthz", nil); status != 503 || strings.Contains(body, "secret") {
		t.Errorf("away: %d %s", status, body)
	}
	ask(t, url+"/x/", nil)
	ask(t, url+"/x/1", nil)
	if status, body := ask(t, url+"/x/panic", nil); status != 500 || strings.Contains(body, "purpose") {
		t.Errorf("a handler that panics: %d %s", status, body)
	}
	response, err := http.Get(url + "/x/half")
	expect.NoError(t, err)
	if raw, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("half an answer is whole to its client: %d %s", response.StatusCode, raw)
	}
	response.Body.Close()
	ask(t, url+"/nothing", nil)
	_, body := ask(t, url+"/metrics", nil)
	for _, line := range []string{`spherelab_requests_total{handler="hello",code="200"} 2`,
		`spherelab_requests_total{handler="hello",code="500"} 2`, `spherelab_requests_total{handler="health",code="200"} 1`,
		`spherelab_requests_total{handler="health",code="503"} 1`, `spherelab_requests_total{handler="other",code="404"} 1`,
		"# TYPE spherelab_request_seconds_total counter", "spherelab_up_seconds "} {
		if !strings.Contains(body, line) {
			t.Errorf("/metrics lacks %q:\n%s", line, body)
		}
	}
	if err := stop(); err != nil || !strings.Contains(strings.Join(said, "\n"), "on purpose") {
		t.Errorf("ended with %v, said %q", err, said)
	}
}

// The server answers what is in progress when it ends, and no more than it can.
func TestShutdownAndLimit(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	address, stop := start(t, server.Options{MaxActive: 1, Wait: time.Millisecond, Grace: time.Minute, Mounts: []server.Mount{{Name: "slow",
		Prefixes: []string{"/slow"}, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(entered)
			<-leave
			fmt.Fprint(w, "done")
		})}}})
	type answer struct {
		status int
		body   string
	}
	first := make(chan answer, 1)
	go func() {
		status, body := ask(t, "http://"+address+"/slow", nil)
		first <- answer{status, body}
	}()
	<-entered
	if status, _ := ask(t, "http://"+address+"/slow", nil); status != 503 {
		t.Errorf("a second request at once: %d", status)
	}
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	for { // until nothing listens any more
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			break
		}
		conn.Close()
		time.Sleep(time.Millisecond)
	}
	close(leave)
	if got := <-first; got != (answer{200, "done"}) {
		t.Errorf("the request in progress: %+v", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Whoever opens a connection and says nothing, or too much, does not hold it.
func TestOddRequests(t *testing.T) {
	t.Parallel()
	address, _ := start(t, server.Options{Mounts: []server.Mount{hello("/x/")}})
	if status, _ := ask(t, "http://"+address+"/x/", map[string]string{"X": strings.Repeat("x", 80<<10)}); status != 431 {
		t.Errorf("80 kB of headers: %d", status)
	}
	for _, raw := range []string{"GET /x/ HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n", "GET /x/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"} {
		conn, err := net.Dial("tcp", address)
		expect.NoError(t, err)
		if _, err := io.WriteString(conn, raw); err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(conn)
		conn.Close()
		if !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
			t.Errorf("%q: %q", raw, answer)
		}
	}
}
