//go:build unix

package pgprivate

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// maxSocketDir is the longest folder for which the socket's path fits into a Unix socket address. The shortest limit
// (macOS) is 104 bytes with the closing zero.
const maxSocketDir = 104 - 1 - len("/.s.PGSQL.5432")

// chooseSocketDir creates and returns a private folder for the socket: base/s if that path is short enough and its file
// system has sockets, else a folder in the run-time or temporary directory.
func chooseSocketDir(base string, a account) (string, error) {
	candidates := []string{filepath.Join(base, "s")}
	if a.Kind != accountOther {
		if run := os.Getenv("XDG_RUNTIME_DIR"); run != "" {
			candidates = append(candidates, filepath.Join(run, "spherelab-"+shortHash(base)))
		}
	}
	candidates = append(candidates,
		filepath.Join(os.TempDir(), fmt.Sprintf("spherelab-%d-%s", os.Getuid(), shortHash(base))),
		filepath.Join("/tmp", fmt.Sprintf("spherelab-%d-%s", os.Getuid(), shortHash(base))))
	var reasons error
	for _, dir := range candidates {
		if len(dir) > maxSocketDir {
			continue
		}
		err := privateDir(dir, a)
		if err == nil {
			err = socketWorks(dir)
		}
		if err == nil {
			return dir, nil
		}
		reasons = fmt.Errorf("%s: %w", dir, err)
	}
	if reasons == nil {
		reasons = fmt.Errorf("every candidate is longer than %d bytes", maxSocketDir)
	}
	return "", fmt.Errorf("no folder for the database's socket: %w", reasons)
}

// privateDir makes dir a folder of mode 0700 that belongs to the account. It refuses another user's folder.
func privateDir(dir string, a account) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok {
		return fmt.Errorf("is not a folder")
	}
	owner := os.Geteuid()
	if int(stat.Uid) != owner && !(a.Kind == accountOther && int(stat.Uid) == a.UID) {
		return fmt.Errorf("belongs to user %d", stat.Uid)
	}
	if a.Kind == accountOther {
		if err := os.Chown(dir, a.UID, a.GID); err != nil {
			return err
		}
	}
	if info.Mode().Perm() != 0o700 {
		return os.Chmod(dir, 0o700)
	}
	return nil
}

func socketWorks(dir string) error {
	path := filepath.Join(dir, fmt.Sprintf(".try%d", os.Getpid()%100000))
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	return l.Close() // removes the file too
}
