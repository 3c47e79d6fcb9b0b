package command

import "golang.org/x/sys/windows"

// freeBytes returns the room of the disk that has a folder.
func freeBytes(folder string) (float64, error) {
	name, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return float64(free), err
}
