//go:build unix

package dataset

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFolder makes sure that no other download writes below the folder. The lock is on the folder itself and ends with
// the process, so nothing stale can stay behind.
func lockFolder(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return func() { d.Close() }, nil // closing ends the lock
	case errors.Is(err, syscall.EWOULDBLOCK):
		d.Close()
		return nil, fmt.Errorf("another download into %s is running; wait for it to end", dir)
	case errors.Is(err, errors.ErrUnsupported):
		// A file system without locks.
		return func() { d.Close() }, nil
	}
	d.Close()
	return nil, fmt.Errorf("lock %s: %w", dir, err)
}
