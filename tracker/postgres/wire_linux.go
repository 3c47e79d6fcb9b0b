package postgres

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitUnheard ends a connection when what was sent is not acknowledged in time, as keepalives end one on which nothing
// was sent.
func limitUnheard(network, _ string, conn syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	return conn.Control(func(fd uintptr) {
		// Without it the system's own, longer time holds.
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unheardFor.Milliseconds()))
	})
}
