package trackertest

import (
	"net"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// Relay listens at an address of its own for clients of a database, connects each of them to the database, and closes
// both connections when pass returns. It returns the database's address through the relay, which ends with the test.
func Relay(t testing.TB, uri string, pass func(client, database net.Conn)) string {
	t.Helper()
	u, err := url.Parse(uri)
	expect.NoError(t, err)
	q := u.Query()
	network, target := "tcp", u.Host
	if u.Host == "" {
		network, target = "unix", filepath.Join(q.Get("host"), ".s.PGSQL."+q.Get("port"))
	}
	q.Del("host")
	q.Del("port")
	q.Set("sslmode", "disable")
	u.Host, u.RawQuery = relay(t, network, target, pass), q.Encode()
	return u.String()
}

// relay is Relay for a target of any kind, and returns the address that it listens at.
func relay(t testing.TB, network, target string, pass func(client, server net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer in.Close()
				out, err := net.Dial(network, target)
				if err != nil {
					return
				}
				defer out.Close()
				pass(in, out)
			}()
		}
	}()
	return l.Addr().String()
}
