//go:build !linux

package postgres

import "syscall"

// limitUnheard does nothing: only keepalives end a connection to a machine that is gone.
func limitUnheard(string, string, syscall.RawConn) error { return nil }
