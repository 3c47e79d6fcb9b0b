// Package disk syncs folders to the disk and locks files.
package disk

import (
	"os"
	"runtime"
)

// SyncDir writes to the disk which files a folder has. Windows has no call for that.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
