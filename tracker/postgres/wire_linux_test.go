package postgres

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// A machine that is gone acknowledges nothing: the system ends the connection after unheardFor.
func TestConnectionEndsUnheard(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := (&wires{}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*wire).Conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	limit := 0
	if err2 := raw.Control(func(fd uintptr) {
		limit, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT)
	}); err != nil || err2 != nil || limit != int(unheardFor.Milliseconds()) {
		t.Errorf("TCP_USER_TIMEOUT is %d, %v, %v", limit, err, err2)
	}
}
