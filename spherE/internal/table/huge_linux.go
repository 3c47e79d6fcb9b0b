package table

import "golang.org/x/sys/unix"

// adviseHuge ignores the result, because the advice is only a hint.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
