//go:build unix

package command

import "golang.org/x/sys/unix"

// freeBytes returns the room of the disk that has a folder.
func freeBytes(folder string) (float64, error) {
	var disk unix.Statfs_t
	err := unix.Statfs(folder, &disk)
	return float64(disk.Bavail) * float64(disk.Bsize), err
}
