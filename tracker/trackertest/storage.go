package trackertest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
)

// Storage is an S3-compatible server in this process, with the bucket "runs", behind a proxy that can cut connections.
// It checks the id of an access key, not its secret.
type Storage struct {
	Login  tracker.BucketLogin // address through the proxy
	Direct tracker.BucketLogin // address without the proxy

	mu     sync.Mutex
	isAway bool
	left   int64 // bytes that clients may send before they are cut off; -1: all
	cuts   int
	held   chan struct{} // nil: who is cut off knows at once
	conns  map[net.Conn]bool
}

const refusal = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>InvalidAccessKeyId</Code>` +
	`<Message>The key does not exist.</Message></Error>`

// NewStorage starts a storage. It ends with the test.
func NewStorage(t testing.TB) *Storage {
	t.Helper()
	backend := s3mem.New()
	expect.NoError(t, backend.CreateBucket("runs"))
	inner := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), "Credential=key/") {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, refusal) // the client sees a cut
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s := &Storage{left: -1, conns: map[net.Conn]bool{}}
	s.Direct = tracker.BucketLogin{Endpoint: server.URL, Region: "us-east-1", Key: "key", Secret: "secret", Part: 5 << 20}
	s.Login = s.Direct
	s.Login.Endpoint = "http://" + relay(t, "tcp", server.Listener.Addr().String(), s.pass)
	return s
}

func (s *Storage) pass(in, out net.Conn) {
	s.mu.Lock()
	if s.isAway {
		s.mu.Unlock()
		return
	}
	s.conns[in], s.conns[out] = true, true
	s.mu.Unlock()
	done := make(chan struct{}, 2)
	go func() {
		_, _ = io.Copy(out, &counted{in, s}) // ends when either side closes
		done <- struct{}{}
	}()
	go func() {
		_, _ = io.Copy(in, out)
		done <- struct{}{}
	}()
	<-done
}

// counted counts the bytes that a client sends.
type counted struct {
	net.Conn
	s *Storage
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.s.left < 0 {
		return n, err
	}
	if c.s.left -= int64(n); c.s.left >= 0 {
		return n, err
	}
	c.s.left = 0
	c.s.cuts++
	if held := c.s.held; held != nil {
		c.s.mu.Unlock()
		<-held
		c.s.mu.Lock()
	}
	return 0, io.ErrUnexpectedEOF
}

// Cut cuts every connection, and each later one, once clients have sent the given number of further bytes. Mend ends
// that.
func (s *Storage) Cut(after int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.cuts = after, 0
}

// Hold is like Cut, but connections stay open, and nothing more arrives.
func (s *Storage) Hold(after int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.cuts, s.held = after, 0, make(chan struct{})
}

// Cuts returns how many connections were cut since Cut.
func (s *Storage) Cuts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cuts
}

// Away cuts all connections and refuses others until Mend.
func (s *Storage) Away() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isAway = true
	for c := range s.conns {
		c.Close()
	}
	clear(s.conns)
}

// Mend lets clients connect and send again.
func (s *Storage) Mend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isAway, s.left = false, -1
	if s.held != nil {
		close(s.held)
		s.held = nil
	}
}
