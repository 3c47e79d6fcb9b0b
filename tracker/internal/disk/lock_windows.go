package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock locks a file for this program until it is closed, or returns ErrLocked. It locks a byte far behind the content,
// since on Windows no other program can read what is locked.
func Lock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}
