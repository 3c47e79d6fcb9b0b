package table

import "golang.org/x/sys/unix"

// adviseHuge ignores the answer: it is a hint.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
