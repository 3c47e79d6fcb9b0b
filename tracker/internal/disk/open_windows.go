package disk

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// Open opens an existing file to read and write. The file can be renamed and removed while it is open, which a file
// of os.OpenFile cannot on Windows.
func Open(path string) (*os.File, error) { return open(path, windows.OPEN_EXISTING) }

// Make is Open, but makes an empty file if there is none.
func Make(path string) (*os.File, error) { return open(path, windows.OPEN_ALWAYS) }

func open(path string, disposition uint32) (*os.File, error) {
	failed := func(err error) (*os.File, error) { return nil, &fs.PathError{Op: "open", Path: path, Err: err} }
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return failed(err)
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, share, nil, disposition,
		windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return failed(err)
	}
	return os.NewFile(uintptr(handle), path), nil
}
