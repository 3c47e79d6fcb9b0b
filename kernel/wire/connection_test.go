package wire

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// Without an address the sockets are for this machine alone; without a key, too.
func TestConnectionStaysOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []Connection{{}, {Key: "k"}, {Transport: "tcp"}} {
		if err := c.check(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		port := 0
		l, err := c.listen(&port)
		expect.NoError(t, err)
		if at := l.Addr().(*net.TCPAddr); !at.IP.IsLoopback() {
			t.Errorf("%+v listens on %s", c, at)
		}
		l.Close()
	}
	for _, c := range []Connection{
		{IP: "127.0.0.1"}, {IP: "127.3.2.1"}, {IP: "::1"}, {IP: "localhost"}, {IP: "*", Key: "k"},
		{IP: "192.0.2.1", Key: "k"},
		{Transport: "ipc", IP: "/x"},
	} {
		if err := c.check(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A unix socket that a killed kernel left behind is replaced; one that is in use is not.
func TestLeftBehindUnixSocket(t *testing.T) {
	t.Parallel()
	// The path of a socket must be short, and t.TempDir's is long.
	dir, err := os.MkdirTemp("", "k")
	expect.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	c := Connection{Transport: "ipc", IP: filepath.Join(dir, "k")}
	port := 7
	l, err := net.Listen("unix", c.unixPath(port))
	expect.NoError(t, err)
	if _, err := c.listen(&port); err == nil {
		t.Error("a socket in use was replaced")
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	l, err = c.listen(&port)
	expect.NoError(t, err)
	l.Close()
}
