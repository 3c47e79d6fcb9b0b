package postgres

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitUnheard closes a connection when sent data is not acknowledged in time. Keepalives do that only for a connection
// on which nothing was sent.
func limitUnheard(network, _ string, conn syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	return conn.Control(func(fd uintptr) {
		// Without it the longer time of the system applies.
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unheardFor.Milliseconds()))
	})
}
