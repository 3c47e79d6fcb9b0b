//go:build unix

package disk

import "os"

// Open opens an existing file to read and write. The file can be renamed and removed while it is open.
func Open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) }

// Make is Open, but makes an empty file if there is none.
func Make(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) }
