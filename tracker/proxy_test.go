package tracker_test

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
)

// proxy stands between a tracker and its database, so that a test can cut the connection.
type proxy struct {
	uri string

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]bool
}

func newProxy(t *testing.T, uri string) *proxy {
	t.Helper()
	u, err := url.Parse(uri)
	noError(t, err)
	q := u.Query()
	network, target := "tcp", u.Host
	if u.Host == "" {
		network, target = "unix", filepath.Join(q.Get("host"), ".s.PGSQL."+q.Get("port"))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	t.Cleanup(func() { l.Close() })
	q.Del("host")
	q.Del("port")
	q.Set("sslmode", "disable")
	u.Host, u.RawQuery = l.Addr().String(), q.Encode()
	p := &proxy{uri: u.String(), conns: map[net.Conn]bool{}}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(in, network, target)
		}
	}()
	return p
}

func (p *proxy) pass(in net.Conn, network, target string) {
	defer in.Close()
	out, err := net.Dial(network, target)
	if err != nil {
		return
	}
	defer out.Close()
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.conns[in], p.conns[out] = true, true
	p.mu.Unlock()
	done := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
		go func() {
			_, _ = io.Copy(way[0], way[1]) // ends when either side closes
			done <- struct{}{}
		}()
	}
	<-done
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = false
}
