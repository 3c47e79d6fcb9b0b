//go:build unix

package pgprivate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// openLock opens (and creates) a lock file without locking it.
func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening lock file: %w", err)
	}
	return f, nil
}

// tryFlock takes the lock if it is free. how is unix.LOCK_EX or unix.LOCK_SH.
func tryFlock(f *os.File, how int) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, unix.EINTR):
			continue
		default:
			return false, fmt.Errorf("locking %s: %w", f.Name(), err)
		}
	}
}

// lockFile takes an exclusive lock, waiting until ctx ends. Closing the file releases the lock.
func lockFile(ctx context.Context, path string) (*os.File, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		ok, err := tryFlock(f, unix.LOCK_EX)
		if err != nil {
			f.Close()
			return nil, err
		}
		if ok {
			return f, nil
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("waiting for %s: %w", path, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// touch sets the file's modification time to now.
func touch(f *os.File) {
	now := time.Now()
	_ = os.Chtimes(f.Name(), now, now) // a failure only shortens the idle time
}
