// Package loopback serves HTTP to this machine alone: it listens on a loopback address, refuses requests that other
// pages or other names of this machine make, limits how long a client may take, and ends gracefully.
package loopback

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Timeouts of a connection. There is none for writing a whole response: live pages are open for hours.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = time.Minute
	idleTimeout   = 2 * time.Minute
	endTimeout    = 5 * time.Second
)

// Listen listens on a TCP address HOST:PORT of this machine's loopback; port 0 is any free one. Other addresses are
// refused, since the server shows everything.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address %q is not HOST:PORT: %w", address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("the address %q is not on this machine's loopback; 127.0.0.1, [::1] and localhost are",
			address)
	}
	return net.Listen("tcp", address)
}

// Handler refuses requests for another host than a loopback one, as a page of another site makes them through a name
// that it points here, and requests that a page of another site makes and that would change something.
func Handler(next http.Handler) http.Handler {
	guarded := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if ip := net.ParseIP(trimBrackets(host)); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "this server answers to 127.0.0.1, [::1] and localhost only", http.StatusMisdirectedRequest)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

func trimBrackets(host string) string {
	if len(host) > 2 && host[0] == '[' && host[len(host)-1] == ']' {
		return host[1 : len(host)-1]
	}
	return host
}

// Serve answers requests until the context ends, then lets those that run finish for a few seconds. The contexts of
// requests end with ctx.
func Serve(ctx context.Context, l net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: Handler(handler), ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout,
		IdleTimeout: idleTimeout, BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	patience, stop := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer stop()
	if err := server.Shutdown(patience); errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	} else {
		return err
	}
}
