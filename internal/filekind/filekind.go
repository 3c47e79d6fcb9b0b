// Package filekind reports what is at a path.
package filekind

import "os"

// IsFile reports whether a regular file is at the path, and not a folder or a pipe, which would block its reader
// forever.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// IsFolder reports whether a folder is at the path.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
