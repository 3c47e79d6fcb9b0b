// Package server listens for HTTP requests on behalf of a tracker. It decides who may send requests, limits their
// number and time, and counts them. The caller mounts the handlers that answer.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Mount is a handler for the paths that begin with one of its prefixes. Of several matching mounts the first one
// answers.
type Mount struct {
	Name     string // its name in /metrics
	Prefixes []string
	Handler  http.Handler
	// Linked allows links from pages of other sites. A link does not show its page's content to the other site.
	Linked bool
	// Lasting reports whether an answer stays open, such as one that follows a run. It does not count against
	// Options.MaxActive, and its context ends with the server. nil: none does.
	Lasting func(*http.Request) bool
	// Uploads reports whether the body of a request may take long, as long as data keeps arriving. nil: none may.
	Uploads func(*http.Request) bool
	// MaxActive is a separate limit for requests of this mount that are worked on at once, so that readers do not use
	// up Options.MaxActive, which trainings need. 0: the mount shares Options.MaxActive.
	MaxActive int

	places chan struct{} // of MaxActive
}

// Options are the settings of a server.
type Options struct {
	Address string // host:port; port 0 takes any
	// Token must be in every request but /healthz, as a bearer token or a password. An address that other machines
	// reach needs one.
	Token  string
	Mounts []Mount
	// Ready reports whether requests can be answered, for /healthz; nil: always.
	Ready func(context.Context) error
	// MaxActive is how many requests are worked on at once. Others wait, and get status 503 after Wait. A request does
	// not count while its body arrives or its answer is sent. 0: 64.
	MaxActive int
	// Wait is how long a request waits if MaxActive are being worked on. 0: 2 s.
	Wait time.Duration
	// Stall is how long the server waits for a client: for all of a body, for the next part of an upload, and until the
	// client takes a part of its answer. 0: a minute.
	Stall time.Duration
	// Grace is how long Serve waits for requests in progress when its context ends. 0: 10 s.
	Grace time.Duration
	Say   func(string) // receives notices of one line; may be nil
}

// shortestToken is the min length, in characters, of a token for an address that other machines reach.
const shortestToken = 16

// ErrNeedsToken is the error for an address that other machines reach, without a token.
var ErrNeedsToken = errors.New("the server needs a token")

// Server is a listening server.
type Server struct {
	o          Options
	listener   net.Listener
	http       *http.Server
	isLoopback bool
	counts     *counts
	present    chan struct{}   // one for each request in progress
	places     chan struct{}   // one for each request that is worked on
	open       chan struct{}   // one for each lasting answer
	ending     context.Context // canceled when the server begins to end
}

const (
	maxLasting = 256  // lasting answers at once
	maxPresent = 1024 // other requests at once, those that wait for their clients too
)

// Listen listens on the address. It refuses an address that other machines reach if there is no token.
func Listen(o Options) (*Server, error) {
	if o.MaxActive == 0 {
		o.MaxActive = 64
	}
	if o.Wait == 0 {
		o.Wait = 2 * time.Second
	}
	if o.Stall == 0 {
		o.Stall = time.Minute
	}
	if o.Grace == 0 {
		o.Grace = 10 * time.Second
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	host, _, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("the address %q is not host:port: %w", o.Address, err)
	}
	loopback, err := isLoopback(host)
	if err != nil {
		return nil, fmt.Errorf("the address %q: %w", o.Address, err)
	}
	switch {
	case !loopback && o.Token == "":
		return nil, fmt.Errorf("other machines reach %s: %w", o.Address, ErrNeedsToken)
	case o.Token != "" && len(o.Token) < shortestToken:
		return nil, fmt.Errorf("the token has %d characters; it needs at least %d", len(o.Token), shortestToken)
	case strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the token has characters that a header cannot carry: use letters, digits and punctuation")
	}
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen: %w", err)
	}
	o.Mounts = slices.Clone(o.Mounts)
	for i := range o.Mounts {
		if m := &o.Mounts[i]; m.MaxActive > 0 {
			m.places = make(chan struct{}, m.MaxActive)
		}
	}
	ending, end := context.WithCancel(context.Background())
	s := &Server{o: o, listener: listener, isLoopback: loopback, counts: newCounts(),
		places:  make(chan struct{}, o.MaxActive),
		present: make(chan struct{}, max(maxPresent, o.MaxActive)), open: make(chan struct{}, maxLasting),
		ending: ending}
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: log.New(notices(o.Say), "", 0)}
	s.http.RegisterOnShutdown(end)
	return s, nil
}

// notices passes the lines of a log on.
type notices func(string)

func (n notices) Write(line []byte) (int, error) {
	n(strings.TrimSpace(string(line)))
	return len(line), nil
}

// isLoopback reports whether only this machine reaches a host. All addresses of a name must be such.
func isLoopback(host string) (bool, error) {
	if host == "" {
		return false, nil // every address of the machine
	}
	addresses, err := net.LookupIP(host)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(addresses, func(ip net.IP) bool { return !ip.IsLoopback() }), nil
}

// Local reports whether only this machine reaches the server.
func (s *Server) Local() bool { return s.isLoopback }

// Address returns where the server listens.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Serve answers requests until ctx ends. Then it accepts no new ones and waits for those in progress.
func (s *Server) Serve(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(s.listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("the server ended: %w", err)
	case <-ctx.Done():
	}
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.Grace)
	defer cancel()
	err := s.http.Shutdown(waiting)
	if errors.Is(err, context.DeadlineExceeded) {
		s.o.Say("requests were still in progress when the server ended")
		err = s.http.Close()
	}
	return err
}

// serve handles every request: it checks that the request is allowed, and then passes it to its mount.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	out := &recorder{ResponseWriter: w, control: http.NewResponseController(w), stall: s.o.Stall, status: http.StatusOK}
	// The server reads the rest of a body before it answers, even if no handler reads it. So the body gets half of the
	// time, and the answer the rest.
	if r.Body != nil && r.Body != http.NoBody {
		_ = out.control.SetReadDeadline(began.Add(s.o.Stall / 2))
	}
	name := "other"
	defer func() {
		p := recover()
		broken := p != nil && out.hasWritten
		if p != nil {
			s.o.Say(fmt.Sprintf("%s %q: the server failed: %v", r.Method, r.URL.Path, p))
			if !out.hasWritten {
				refuse(out, r, http.StatusInternalServerError, "INTERNAL_ERROR", "the server failed; its own log says why")
			}
			out.status = http.StatusInternalServerError
		}
		s.counts.add(name, out.status, time.Since(began))
		out.patience() // for what is still to be sent
		if broken {    // the client must not mistake a part for the whole answer
			panic(http.ErrAbortHandler)
		}
	}()
	if r.URL.Path == "/healthz" || r.URL.Path == "/health" {
		name = "health"
		s.health(out, r)
		return
	}
	m := s.mount(r.URL.Path)
	if status, why := s.guard(r, m != nil && m.Linked); status != 0 {
		if status == http.StatusUnauthorized {
			w.Header().Add("WWW-Authenticate", `Bearer realm="tracker"`)
			w.Header().Add("WWW-Authenticate", `Basic realm="tracker; the token is the password"`) // browsers ask for it
		}
		refuse(out, r, status, map[int]string{401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED"}[status], why)
		return
	}
	if r.URL.Path == "/metrics" {
		name = "metrics"
		s.counts.write(out)
		return
	}
	if m == nil {
		refuse(out, r, http.StatusNotFound, "ENDPOINT_NOT_FOUND", "there is nothing at this path")
		return
	}
	name = m.Name
	if m.Lasting != nil && m.Lasting(r) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.ending, cancel)()
		if !take(s.open) {
			s.full(out, r)
			return
		}
		defer func() { <-s.open }()
		m.Handler.ServeHTTP(out, r.WithContext(ctx))
		return
	}
	if !take(s.present) {
		s.full(out, r)
		return
	}
	defer func() { <-s.present }()
	places := s.places
	if m.places != nil {
		places = m.places
	}
	if !s.await(r.Context(), places) {
		s.full(out, r)
		return
	}
	out.turn = &turn{places: places}
	defer func() {
		out.turn = nil // the error of a failed handler is sent without a place
		<-places
	}()
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &body{ReadCloser: r.Body, turn: out.turn, control: out.control, stall: s.o.Stall, began: began,
			mustBeWhole: m.Uploads == nil || !m.Uploads(r)}
	}
	m.Handler.ServeHTTP(out, r)
}

// take takes a place if one is free.
func take(places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	default:
		return false
	}
}

// await takes a place as soon as one is free, within the time that requests wait.
func (s *Server) await(ctx context.Context, places chan struct{}) bool {
	if take(places) {
		return true
	}
	late := time.NewTimer(s.o.Wait)
	defer late.Stop()
	select {
	case places <- struct{}{}:
		return true
	case <-late.C:
	case <-ctx.Done(): // the client is gone
	}
	return false
}

func (s *Server) full(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "1")
	refuse(w, r, http.StatusServiceUnavailable, "TEMPORARILY_UNAVAILABLE",
		"the server answers as many requests as it can; try again")
}

// mount returns the mount that answers at a path, nil if there is none.
func (s *Server) mount(path string) *Mount {
	for i, m := range s.o.Mounts {
		if slices.ContainsFunc(m.Prefixes, func(p string) bool { return strings.HasPrefix(path, p) }) {
			return &s.o.Mounts[i]
		}
	}
	return nil
}

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if s.o.Ready != nil {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if err := s.o.Ready(ctx); err != nil { // the request needs no token, so the answer has no details
			refuse(w, r, http.StatusServiceUnavailable, "TEMPORARILY_UNAVAILABLE", "the database cannot be reached")
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "OK") // the client may be gone
}

// recorder remembers an answer's status, and limits the wait for its client.
type recorder struct {
	http.ResponseWriter
	control    *http.ResponseController
	stall      time.Duration
	turn       *turn
	status     int
	hasWritten bool
}

func (r *recorder) WriteHeader(status int) {
	if !r.hasWritten {
		r.status, r.hasWritten = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (n int, err error) {
	r.hasWritten = true
	r.patience()
	r.turn.wait(func() { n, err = r.ResponseWriter.Write(b) })
	return n, err
}

// patience sets how long the client may take for the next write.
func (r *recorder) patience() {
	_ = r.control.SetWriteDeadline(time.Now().Add(r.stall)) // only a test's connection has no deadlines
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
