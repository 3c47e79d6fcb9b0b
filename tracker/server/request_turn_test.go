package server_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/server"
)

// reader answers with the length of the body that it read, /large/ with what fits in no buffer of a connection.
func reader(failed chan<- error) server.Mount {
	return server.Mount{Name: "reader", Prefixes: []string{"/"},
		Uploads: func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/upload/") },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw, err := io.ReadAll(r.Body)
			if err == nil && r.URL.Path == "/large/" {
				_, err = w.Write(make([]byte, 64<<20))
			} else if err == nil {
				time.Sleep(5 * time.Millisecond)
				err = r.Context().Err()
			}
			if err != nil {
				failed <- err
			}
			fmt.Fprint(w, len(raw))
		})}
}

// dial opens a connection and sends a text.
func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	expect.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	write(t, conn, text)
	return conn
}

func write(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

func put(path string, length int) string {
	return fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", path, length)
}

// Clients that send slowly, or do not take their answers, do not keep others out.
func TestSlowClientsHoldNoPlaces(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 100)
	address, _ := start(t, server.Options{MaxActive: 2, Grace: time.Millisecond,
		Mounts: []server.Mount{reader(failed)}})
	var slow []net.Conn
	for i := range 20 {
		slow = append(slow, dial(t, address, put([]string{"/upload/x", "/x"}[i%2], 10)+"12345"))
	}
	for range 5 {
		dial(t, address, "GET /large/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}
	status := 0
	for deadline := time.Now().Add(10 * time.Second); status != 200 && time.Now().Before(deadline); {
		status, _ = ask(t, "http://"+address+"/x", nil) // 503 while those above come in
	}
	if status != 200 {
		t.Errorf("next to slow clients: %d", status)
	}
	for _, conn := range slow {
		write(t, conn, "67890")
		answer := make([]byte, 12)
		if _, err := io.ReadFull(conn, answer); err != nil || (string(answer) != "HTTP/1.1 200" &&
			string(answer) != "HTTP/1.1 503") {
			t.Errorf("a slow client got %q, %v", answer, err)
		}
	}
}

// A body must arrive in time: as a whole, an upload part by part. An answer must be taken.
func TestStalledClientsAreDropped(t *testing.T) {
	t.Parallel()
	const stall = 300 * time.Millisecond
	failed := make(chan error, 1)
	address, _ := start(t, server.Options{Stall: stall, Grace: time.Millisecond,
		Mounts: []server.Mount{reader(failed)}})
	for _, c := range []struct {
		path        string
		part, parts int
		late        bool // an error of reading is expected, and not a deadline
		want        error
	}{
		{"/x", 1, 1, false, nil},
		{"/x", 1000, 12, true, os.ErrDeadlineExceeded}, // all of it within the time
		{"/upload/x", 1000, 12, false, nil},            // longer than that, but fast enough
		{"/upload/x", 1, 12, true, nil},                // too slow
		{"/upload/x", 0, 1, true, os.ErrDeadlineExceeded},
		{"/large/", 0, 0, true, os.ErrDeadlineExceeded}, // nobody takes the answer
	} {
		conn := dial(t, address, put(c.path, max(c.part*c.parts, c.parts)))
		go func() {
			for i := range c.parts {
				if i > 0 {
					time.Sleep(stall / 8)
				}
				if _, err := io.WriteString(conn, strings.Repeat("x", c.part)); err != nil {
					return // refused
				}
			}
		}()
		if !c.late {
			want := fmt.Sprint(c.part * c.parts)
			raw := make([]byte, 1024)
			_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			n, err := conn.Read(raw)
			if err != nil || !strings.HasPrefix(string(raw[:n]), "HTTP/1.1 200") ||
				!strings.HasSuffix(string(raw[:n]), "\r\n\r\n"+want) {
				t.Errorf("%s, %d times %d bytes: %q, %v", c.path, c.parts, c.part, raw[:n], err)
			}
			continue
		}
		select {
		case err := <-failed:
			if c.want != nil && !errors.Is(err, c.want) ||
				c.want == nil && !strings.Contains(err.Error(), "too slowly") {
				t.Errorf("%s, %d times %d bytes: %v", c.path, c.parts, c.part, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s, %d times %d bytes: the server waits", c.path, c.parts, c.part)
		}
		conn.Close()
	}
}

// The times for one request do not end the next one on the same connection, nor one that works for long.
func TestTimesEndWithTheirRequest(t *testing.T) {
	t.Parallel()
	const stall = 100 * time.Millisecond
	works := server.Mount{Name: "works", Prefixes: []string{"/"},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw, err := io.ReadAll(r.Body)
			if err == nil && r.URL.Path == "/long" {
				fmt.Fprint(w, "first ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(2 * stall)
				err = r.Context().Err()
			}
			if err != nil {
				t.Error(err)
			}
			fmt.Fprint(w, len(raw))
		})}
	address, _ := start(t, server.Options{Stall: stall, Mounts: []server.Mount{works}})
	for _, path := range []string{"/", "/long", "/"} {
		response, err := http.Post("http://"+address+path, "text/plain", strings.NewReader("12345"))
		expect.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.HasSuffix(string(body), "5") {
			t.Errorf("%s: %q, %v", path, body, err)
		}
		time.Sleep(2 * stall)
	}
}

// Whoever announces a body and does not send it is answered and holds no connection, with or without a token.
func TestMissingBodiesEndTheirConnections(t *testing.T) {
	t.Parallel()
	const stall = 300 * time.Millisecond
	leaves := server.Mount{Name: "leaves", Prefixes: []string{"/leaves/"},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "done") })}
	address, _ := start(t, server.Options{Stall: stall, Grace: time.Millisecond, Token: token,
		Mounts: []server.Mount{leaves, reader(make(chan error, 100))}})
	for _, c := range []struct {
		path, more string
		want       int
	}{
		{"/x", "", 401},
		{"/x", "Sec-Fetch-Site: cross-site\r\n", 403},
		{"/x", "Expect: 100-continue\r\n", 401},
		{"/healthz", "", 200},
		{"/metrics", "Authorization: Bearer " + token + "\r\n", 200},
		{"/leaves/", "Authorization: Bearer " + token + "\r\n", 200},
		{"/x", "Authorization: Bearer " + token + "\r\n", 200},
		{"/upload/x", "Authorization: Bearer " + token + "\r\n", 200},
	} {
		for _, length := range []string{"Content-Length: 1000", "Transfer-Encoding: chunked"} {
			conn := dial(t, address, "PUT "+c.path+" HTTP/1.1\r\nHost: localhost\r\n"+c.more+length+"\r\n\r\n")
			_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			answer, err := io.ReadAll(conn)
			if want := fmt.Sprintf("HTTP/1.1 %d ", c.want); err != nil || !strings.HasPrefix(string(answer), want) {
				t.Errorf("%s %q %s: %q, %v; want %q and the end", c.path, c.more, length, answer, err, want)
			}
		}
	}
}
