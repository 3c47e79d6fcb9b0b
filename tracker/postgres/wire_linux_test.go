package postgres

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/spherelab/spherelab/internal/expect"
)

// A machine that is gone acknowledges nothing: the system ends the connection after unheardFor.
func TestConnectionEndsUnheard(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	defer l.Close()
	conn, err := (&wires{}).DialContext(t.Context(), "tcp", l.Addr().String())
	expect.NoError(t, err)
	defer conn.Close()
	raw, err := conn.(*wire).Conn.(*net.TCPConn).SyscallConn()
	expect.NoError(t, err)
	limit := 0
	if err2 := raw.Control(func(fd uintptr) {
		limit, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT)
	}); err != nil || err2 != nil || limit != int(unheardFor.Milliseconds()) {
		t.Errorf("TCP_USER_TIMEOUT is %d, %v, %v", limit, err, err2)
	}
}
